"""The Hypothesis strategy for whole histories of a lake."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from hypothesis import strategies as st

from tests.support import random_changes as changes
from tests.support import random_steps as steps
from tests.support.histories import History, Step
from tests.support.worlds import World

_Maker: TypeAlias = Callable[[World], st.SearchStrategy[Step]]

_DATA: Final[tuple[_Maker, ...]] = (
    *(steps.insert,) * 5,
    *(steps.delete,) * 3,
    *(steps.update,) * 2,
    steps.merge,
)
_SCHEMA: Final[tuple[_Maker, ...]] = (
    changes.add_column,
    changes.drop_column,
    changes.rename_column,
    changes.widen_column,
    changes.change_default,
    changes.change_field,
    changes.change_field,
    changes.partition,
    changes.partition,
    changes.sort,
    changes.comment,
    changes.rename_table,
)
_REST: Final[tuple[_Maker, ...]] = (
    *(steps.maintain,) * 5,
    steps.option,
    steps.option,
    steps.add_files,
    changes.create_table,
    changes.create_schema,
    changes.create_view,
    changes.drop_table,
)


@st.composite
def histories(draw: st.DrawFn, *, text_inlined: bool, longest: int = 14) -> History:
    """The making of a lake, its first step a table.

    `text_inlined` says that the catalog keeps nested inlined values as text, as all but a
    DuckDB catalog do.
    """
    encrypted = draw(st.sampled_from([False] * 5 + [True]))
    world = World(text_inlined=text_inlined, encrypted=encrypted)
    done: list[Step] = []
    for _ in range(draw(st.integers(2, longest))):
        world.number()
        done.append(draw(_next(world)))
    return History(
        steps=tuple(done),
        encrypted=encrypted,
        inlined_rows=draw(st.sampled_from([10, 10, 3, 0])),
    )


@st.composite
def _next(draw: st.DrawFn, world: World) -> Step:
    """Rows half of the time, the schema or upkeep otherwise, now and then several at once."""
    if not world.tables:
        return draw(changes.create_table(world))
    family = draw(st.sampled_from([_DATA, _DATA, _DATA, _SCHEMA, _SCHEMA, _REST, ()]))
    if family:
        return draw(draw(st.sampled_from(family))(world))
    # Two alterations of a table in one transaction leave a catalog that nobody can load.
    makers = [draw(st.sampled_from(_DATA + _SCHEMA))]
    makers += draw(st.lists(st.sampled_from(_DATA), min_size=1, max_size=3))
    several = [text for maker in makers for text in draw(maker(world)).statements]
    return Step("transaction", tuple(several))
