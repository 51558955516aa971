"""The rows that a recursion gains, round by round, until a round gives nothing new."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.changefeed.weighted import consolidated
from quacklake.format import casting
from quacklake.format.arrow import arrow_schema
from quacklake.format.snapshot import AtVersion
from quacklake.format.table import Table
from quacklake.ivm import ROWS, WEIGHT_COLUMN, RecursiveView
from quacklake.kernel.errors import Unsupported
from quacklake.pipeline.keys import key_filter
from quacklake.pipeline.ports import Kept, ProgramEngine
from quacklake.pipeline.settling import numbered
from quacklake.pipeline.supply import WEIGHT, Supply
from quacklake.scan.plan import Request
from quacklake.scan.reading import read_table

ROUNDS: Final = 1_000
_ROWS: Final = 10_000_000
"""A recursion that goes on for longer, or gains more, is taken for one without an end."""


def in_the_way(
    view: RecursiveView, dialect: str, supply: Supply, changed: Iterable[str]
) -> str | None:
    """Why the recursion cannot follow a window: rows went that it read."""
    program = view.seed(dialect, changed)
    for read in () if program is None else program.reads:
        if supply.is_change(read):
            least = pc.min(supply.change(read).column(WEIGHT_COLUMN)).as_py()
            if least is not None and least < 0:
                name = supply.tables[read.source].name
                return (
                    f"'{name}' lost rows, "
                    f"and the recursion '{view.name}' follows only rows that come"
                )
    return None


def gained(
    view: RecursiveView, engine: ProgramEngine, supply: Supply, table: Table, changed: Iterable[str]
) -> pa.Table:
    """The rows that the recursion gains, with weights; `table` has those that it has.

    Raises `Unsupported` if it seems to have no end.
    """
    found: list[pa.Table] = [arrow_schema((*table.columns, WEIGHT)).empty_table()]
    seed = view.seed(engine.dialect, changed)
    if seed is None:
        return found[0]
    kept = Kept(table.columns, {})
    following = view.round(engine.dialect)
    rows = engine.collected(seed, supply.beside(ROWS, table), kept)
    total = 0
    for _ in range(ROUNDS):
        if view.distinct:
            rows = _novel(rows, table, found, supply)
        if not rows.num_rows:
            return pa.concat_tables(found)
        total += pc.sum(rows.column(WEIGHT_COLUMN)).as_py()
        if total > _ROWS or (not view.distinct and _comes_back(rows, found, table)):
            break
        found.append(rows)
        rows = engine.collected(following, supply.beside(ROWS, table, rows), kept)
    raise endless(view, len(found))


def endless(view: RecursiveView, rounds: int) -> Unsupported:
    """The error of a recursion that is given up."""
    return Unsupported(
        f"the recursion '{view.name}' does not end, or not soon",
        hint="a cycle has an end only with UNION; if there is an end, refresh with mode='full'",
        recursion=view.name,
        rounds=rounds,
    )


def _comes_back(rows: pa.Table, found: Sequence[pa.Table], table: Table) -> bool:
    """Whether a round has all that an earlier one had: then there will always be one more.

    Of the earlier ones one is looked at, less than half as far: a cycle comes round to it.
    """
    earlier = found[1 << (len(found) - 1).bit_length() - 1] if len(found) > 1 else None
    if earlier is None:
        return False
    schema = arrow_schema((*table.columns, WEIGHT))
    less = pc.negate(rows.column(WEIGHT_COLUMN))
    signed = [earlier, rows.set_column(len(table.columns), WEIGHT_COLUMN, less)]
    batches = [batch for each in signed for batch in each.cast(schema).to_batches()]
    left = consolidated(batches, table.columns, schema)
    return not pc.any(pc.greater(left.column(WEIGHT_COLUMN), 0)).as_py()


def _novel(rows: pa.Table, table: Table, found: Iterable[pa.Table], supply: Supply) -> pa.Table:
    """Each row once that the recursion does not have yet, NULL equal to NULL and NaN to NaN."""
    if not rows.num_rows:
        return rows
    width = range(len(table.columns))
    known = pa.concat_tables(
        [_stored(rows, table, supply), *(each.select(width) for each in found)]
    )
    session = casting.session()
    session.register("novel", numbered(rows.select(width)))
    session.register("known", numbered(known))
    pairs = [
        (casting.restored(f"n.c{place}", column.type), casting.restored(f"k.c{place}", column.type))
        for place, column in enumerate(table.columns)
    ]
    same = " AND ".join(f"{mine} IS NOT DISTINCT FROM {theirs}" for mine, theirs in pairs)
    try:
        places = session.execute(
            "SELECT min(n.place) AS place FROM novel n "
            f"WHERE NOT EXISTS (SELECT 1 FROM known k WHERE {same}) "
            f"GROUP BY {', '.join(mine for mine, _ in pairs)} ORDER BY place"
        ).to_arrow_table()
    finally:
        session.unregister("novel")
        session.unregister("known")
    chosen = rows.take(places.column("place"))
    ones = pa.array([1] * chosen.num_rows, pa.int64())
    return chosen.set_column(len(width), WEIGHT_COLUMN, ones)


def _stored(rows: pa.Table, table: Table, supply: Supply) -> pa.Table:
    """The rows of the recursion that may be among `rows`."""
    chosen = key_filter(table.columns, rows.select(range(len(table.columns))))
    at = AtVersion(supply.work.ground.snapshot.id)
    plan = supply.work.session.plan(Request(table.name, at, None, chosen))
    return read_table(plan, supply.work.storage, meter=supply.meter)
