"""Queries that are computed anew whenever a source changes, because no rule bounds their change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from quacklake.ivm.binding.names import parsed, source_tables
from quacklake.ivm.explain import AggregateStrategy, Explained
from quacklake.ivm.identity import ByContent, Identity
from quacklake.ivm.lineage import Origins
from quacklake.ivm.plan import State
from quacklake.ivm.program import Program, Read
from quacklake.ivm.refusals import RECURSIVE, refuse_unsupported
from quacklake.ivm.schema import Schema
from quacklake.kernel.errors import Unsupported

RECOMPUTED: Final = frozenset({RECURSIVE})
"""Constructs whose rows are a function of the sources', though no rule keeps them."""


@dataclass(frozen=True, slots=True)
class WholeView:
    """A query without a delta; `recomputed` says why. Otherwise it is used as a view is."""

    sql: str
    tree: exp.Query
    reads: tuple[Read, ...]
    recomputed: str

    @property
    def sources(self) -> frozenset[str]:
        """The names of the sources the query reads."""
        return frozenset(read.source for read in self.reads)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the output columns, as far as the query itself says them."""
        return tuple(self.tree.named_selects)

    @property
    def types(self) -> tuple[str, ...]:
        """Nothing is known of the output types before the query runs."""
        return ()

    @property
    def states(self) -> tuple[()]:
        """There is nothing to carry forward."""
        return ()

    @property
    def identity(self) -> Identity:
        """What identifies the rows of the stored result."""
        return ByContent()

    def columns_read(self, source: str) -> tuple[str, ...]:
        """The columns of a source that the query may read: all."""
        return next(read.columns for read in self.reads if read.source == source)

    def explain(self) -> Explained:
        """The query as one operator over its sources."""
        scans = tuple(Explained(f"scan {each}", "source", ()) for each in sorted(self.sources))
        return Explained("query with recursion", f"computed anew: {self.recomputed}", scans)

    def strategies(self) -> tuple[AggregateStrategy, ...]:
        """No aggregate is kept on its own."""
        return ()

    def lineage(self) -> dict[str, Origins]:
        """Where values come from is not followed through recursion."""
        return {}

    def full(self, dialect: str, *, row_ids: bool = False) -> Program:
        """The program of the whole result; its rows have no ids."""
        del row_ids
        uses = tuple(read.name for read in self.reads)
        return Program(dialect, self.reads, (), self.tree, uses)

    def delta(
        self, dialect: str, *, changed: Iterable[str] | None = None, row_ids: bool = False
    ) -> Program | None:
        """There is none."""
        del dialect, changed, row_ids
        raise Unsupported(f"the query is computed anew: {self.recomputed}")


def whole_view(sql: str, schema: Schema, reason: str) -> WholeView:
    """The query of `sql` over the tables of `schema`, to be computed anew each time."""
    tree = parsed(sql)
    refuse_unsupported(tree)
    reads = reads_in(tree, schema, State.NEW.value)
    return WholeView(sql, tree, reads, reason)


def reads_in(tree: exp.Query, schema: Schema, kind: str) -> tuple[Read, ...]:
    """The reads of a query's sources; the query then names those, and no tables."""
    by_name = {name.casefold(): name for name in schema}
    reads: dict[str, Read] = {}
    for table in source_tables(tree):
        written = by_name[".".join(part.name for part in table.parts).casefold()]
        columns = tuple(column.name for column in schema[written])
        name = f"{kind}_{len(reads) + 1}"
        read = reads.setdefault(written, Read(name, written, State.NEW, columns))
        if not table.alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name, quoted=True)))
        for part in ("db", "catalog"):
            table.set(part, None)
        table.set("this", exp.to_identifier(read.name, quoted=True))
    return tuple(reads.values())
