"""What an engine runs: reads it must supply, steps it may keep, and the query of the change.

The engine gives every read a relation of that name. A read asks for some columns of a source in one
state: OLD and NEW are plain rows, CHANGE has the weight of each row in a column besides, one entry
for each distinct row whose weight is not zero. A read with keys will be joined with those key sets:
rows outside them may be left out, so a step of keys can be run first and its values used to skip
files. An engine that ignores keys gets the same result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from quacklake.ivm.plan import Origin, State

# The column that carries weights, in change reads and in the result.
WEIGHT_COLUMN: Final = "__weight"
# The column that carries row ids, in reads that ask for them and in what is made of those.
ROW_ID_COLUMN: Final = "__row_id"


@dataclass(frozen=True, slots=True)
class KeyPushdown:
    """Only rows whose `columns` occur in the rows of `step` (its `key_columns`) are needed.

    NULL equals NULL. Without columns: no row at all is needed if the step has none.
    """

    columns: tuple[str, ...]
    step: str
    key_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """A relation the engine supplies under `name`.

    `origin` says what `source` names: a source, a state relation of the view, or ("") its result.
    State and result are read as they are stored before the refresh. With `row_ids` the last of
    `columns` is the id of each row, and a change has one entry for each row and its values.
    """

    name: str
    source: str
    state: State
    columns: tuple[str, ...]
    keys: tuple[KeyPushdown, ...] = ()
    origin: Origin = Origin.SOURCE
    row_ids: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """A named intermediate result, over reads and earlier steps."""

    name: str
    query: exp.Query
    uses: tuple[str, ...]
    is_key_set: bool


@dataclass(frozen=True, slots=True)
class StateChange:
    """How the rows of a state relation change: its columns and a weight, consolidated."""

    name: str
    query: exp.Query
    uses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """Steps in an order in which each uses only earlier ones, and the query over them."""

    dialect: str
    reads: tuple[Read, ...]
    steps: tuple[Step, ...]
    query: exp.Query
    uses: tuple[str, ...]
    states: tuple[StateChange, ...] = ()

    def sql(self, *, kept: Iterable[str] = (), reads: Mapping[str, str] | None = None) -> str:
        """One statement for everything.

        Steps in `kept` exist already as relations. `reads` gives queries for reads that do not.
        """
        return self._statement(self.query, self.uses, frozenset(kept), reads or {})

    def step_sql(
        self, name: str, *, kept: Iterable[str] = (), reads: Mapping[str, str] | None = None
    ) -> str:
        """One statement for a step, with `kept` and `reads` as for `sql`."""
        step = next(each for each in self.steps if each.name == name)
        return self._statement(step.query, step.uses, frozenset(kept), reads or {})

    def state_sql(
        self, name: str, *, kept: Iterable[str] = (), reads: Mapping[str, str] | None = None
    ) -> str:
        """One statement for a state relation's change, with `kept` and `reads` as for `sql`."""
        change = next(each for each in self.states if each.name == name)
        return self._statement(change.query, change.uses, frozenset(kept), reads or {})

    def _statement(
        self,
        query: exp.Query,
        uses: tuple[str, ...],
        kept: frozenset[str],
        reads: Mapping[str, str],
    ) -> str:
        needed = self._needed(uses, kept)
        parts = [(name, text) for name, text in reads.items() if name in needed]
        parts += [
            (step.name, step.query.sql(dialect=self.dialect))
            for step in self.steps
            if step.name in needed
        ]
        text = query.sql(dialect=self.dialect)
        if not parts:
            return text
        return (
            f"WITH {', '.join(f'{self._quoted(name)} AS ({body})' for name, body in parts)} {text}"
        )

    def _quoted(self, name: str) -> str:
        return exp.to_identifier(name, quoted=True).sql(dialect=self.dialect)

    def _needed(self, uses: tuple[str, ...], kept: frozenset[str]) -> frozenset[str]:
        by_name = {step.name: step for step in self.steps}
        needed: set[str] = set()
        waiting = list(uses)
        while waiting:
            name = waiting.pop()
            if name in kept or name in needed:
                continue
            needed.add(name)
            waiting.extend(by_name[name].uses if name in by_name else ())
        return frozenset(needed)
