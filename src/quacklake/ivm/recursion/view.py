"""A recursive query that is kept: the rows of the recursion are stored, and followed in rounds.

    D₀ = Δstart + Δstep(R₀)    the step of the rows that are there, over what its tables gained
    Dₖ = step(Dₖ₋₁)            over the tables as they are now
    ΔR = D₀ + D₁ + …           until a round gives nothing

With UNION a round loses what was there before it. The rest of the query is a view of which the
recursion is a source, and follows ΔR by the ordinary rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from quacklake.ivm.binding.names import resolve
from quacklake.ivm.compiler import StateTable, View, compile_tree
from quacklake.ivm.explain import AggregateStrategy, Explained
from quacklake.ivm.identity import ByContent, ByRowId, Identity
from quacklake.ivm.lineage import Origins
from quacklake.ivm.program import Program, Read, StateChange, Step
from quacklake.ivm.recursion.linear import check_linear
from quacklake.ivm.recursion.parts import ROWS, taken_apart, without
from quacklake.ivm.schema import Schema, SourceColumn
from quacklake.ivm.whole import WholeView, reads_in, whole_view
from quacklake.kernel.errors import UsageError

RECURSION: Final = "recursion"
"""The name of the state that has the rows of the recursion, and of the step that computes them."""

_RULE: Final = "semi-naive, where rows only come; else computed anew"


@dataclass(frozen=True, slots=True)
class RecursiveView:
    """A query with a recursion that can be followed; otherwise it is used as a view is.

    `start` gives its first rows, `rounds` is start and step as a view over the rows of the
    recursion, and `rest` the rest of the query; `tree` computes all its rows from `reads`.
    """

    sql: str
    name: str
    columns: tuple[str, ...]
    distinct: bool
    start: View
    rounds: View
    rest: View
    tree: exp.Select
    reads: tuple[Read, ...]

    @property
    def recomputed(self) -> None:
        """Nothing stands against following it, as long as rows only come."""
        return None

    @property
    def followed(self) -> frozenset[str]:
        """The sources of the recursion itself."""
        return self.rounds.sources - {ROWS}

    @property
    def sources(self) -> frozenset[str]:
        """The names of the sources the query reads."""
        return self.followed | (self.rest.sources - {ROWS})

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the output columns."""
        return self.rest.names

    @property
    def types(self) -> tuple[str, ...]:
        """Spark's names of the output types; "" where the compiler does not know one."""
        return self.rest.types

    @property
    def states(self) -> tuple[StateTable, ...]:
        """The state relations: the rows of the recursion, and what the rest needs."""
        return (StateTable(RECURSION, self.columns, None), *self.rest.states)

    @property
    def identity(self) -> Identity:
        """What identifies the rows of the stored result."""
        found = self.rest.identity
        return ByContent() if isinstance(found, ByRowId) else found

    def columns_read(self, source: str) -> tuple[str, ...]:
        """The columns of a source that the query reads."""
        found = (self.rounds.columns_read(source), self.rest.columns_read(source))
        return tuple(dict.fromkeys(name for names in found for name in names))

    def explain(self) -> Explained:
        """The operators of the query, each with its rule; those of the recursion below its rows."""
        so_far = Explained(f"rows of {self.name} so far", RECURSION, ())
        inside = _with_rows(self.rounds.explain(), so_far)
        return _with_rows(
            self.rest.explain(), Explained(f"recursion {self.name}", _RULE, (inside,))
        )

    def strategies(self) -> tuple[AggregateStrategy, ...]:
        """How each aggregate of the query is kept."""
        return self.rest.strategies()

    def lineage(self) -> dict[str, Origins]:
        """For each output the (source, column) pairs its value is computed from."""
        inside = self._inside()
        return {name: _resolved(each, inside) for name, each in self.rest.lineage().items()}

    def _inside(self) -> dict[str, Origins]:
        """Where the columns of the recursion come from, through any number of rounds."""
        direct = self.rounds.lineage()
        found: dict[str, Origins] = dict.fromkeys(direct, frozenset())
        while True:
            more = {name: _resolved(each, found) for name, each in direct.items()}
            if more == found:
                return found
            found = more

    def full(self, dialect: str, *, row_ids: bool = False) -> Program:
        """The program of the whole result, of the rows of the recursion, and of other states.

        Its rows have no ids.
        """
        del row_ids
        rest = self.rest.full(dialect)
        made = Step(RECURSION, self.tree, tuple(each.name for each in self.reads), False)
        names = [each for each in rest.reads if each.source == ROWS]
        rows = [Step(each.name, _columns(each.columns), (RECURSION,), False) for each in names]
        # Sorted as they will be looked for, so that statistics can tell where they are.
        kept = _columns(self.columns)
        if sought := self._sought():
            kept = kept.order_by(*map(_column, sought))
        return replace(
            rest,
            reads=(*self.reads, *(each for each in rest.reads if each.source != ROWS)),
            steps=(made, *rows, *rest.steps),
            states=(StateChange(RECURSION, kept, (RECURSION,)), *rest.states),
        )

    def _sought(self) -> tuple[str, ...]:
        """The columns by which a change looks for rows of the recursion."""
        seed = self.seed("spark", self.followed)
        reads = () if seed is None else seed.reads
        found = (key.columns for read in reads if read.source == ROWS for key in read.keys)
        return tuple(dict.fromkeys(name for names in found for name in names))

    def seed(self, dialect: str, changed: Iterable[str]) -> Program | None:
        """What a change of the sources `changed` adds at once; None if it adds nothing."""
        return self.rounds.delta(dialect, changed=self.followed & frozenset(changed))

    def round(self, dialect: str) -> Program:
        """What rows of the recursion, given as its change, add in one more round."""
        program = self.rounds.delta(dialect, changed={ROWS})
        if program is None:
            raise AssertionError("the step of a recursion reads its rows")
        return program


def recursive_view(sql: str, schema: Schema) -> RecursiveView | WholeView:
    """A query with a recursion: followed where it can be, else computed anew, which says why."""
    try:
        return _followed(sql, schema)
    except UsageError as error:
        what = error.facts.get("construct")
        why = f"with {what}" if what else "of which a part means nothing by itself"
        return whole_view(
            sql, schema, f"a recursive common table expression {why} is computed anew"
        )


def _followed(sql: str, schema: Schema) -> RecursiveView:
    parts = taken_apart(sql)
    columns = parts.columns or _outputs(parts.start(), schema)
    start = compile_tree(parts.start(columns), schema, keep_state=False)
    over: Schema = {**schema, ROWS: tuple(map(SourceColumn, columns, start.types))}
    for part, known in ((parts.start(), schema), (parts.step(), over)):
        if len(_outputs(part, known)) != len(columns):
            raise without(f"parts of '{parts.name}' that have not as many columns")
    rounds = compile_tree(parts.rounds(columns), over, keep_state=False)
    check_linear(rounds.plan, parts.name)
    rest = compile_tree(parts.rest, over)
    tree = parts.whole(columns)
    reads = reads_in(tree, schema, "whole")
    name, distinct = parts.name, parts.distinct
    return RecursiveView(sql, name, columns, distinct, start, rounds, rest, tree, reads)


def _outputs(part: exp.Query, schema: Schema) -> tuple[str, ...]:
    """What the columns of a part are called, each `*` written out."""
    inner = resolve(part, schema).tree.find(exp.Subquery)
    return tuple(inner.this.named_selects) if inner is not None else ()


def _columns(names: Iterable[str]) -> exp.Select:
    """Some columns of the recursion's rows; the number one for each if there are none."""
    chosen: list[exp.Expr] = [_column(each) for each in names]
    one = exp.alias_(exp.Literal.number(1), "one")
    return exp.select(*(chosen or [one])).from_(
        exp.Table(this=exp.to_identifier(RECURSION, quoted=True))
    )


def _column(name: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True))


def _with_rows(tree: Explained, rows: Explained) -> Explained:
    """The tree with `rows` where it scans the recursion."""
    if tree.text.startswith(f"scan {ROWS} "):
        return rows
    return replace(tree, inputs=tuple(_with_rows(each, rows) for each in tree.inputs))


def _resolved(origins: Origins, inside: dict[str, Origins]) -> Origins:
    """Origins with the columns of the recursion replaced by what they come from."""
    plain = frozenset(each for each in origins if each[0] != ROWS)
    return plain.union(*(inside[column] for source, column in origins if source == ROWS))
