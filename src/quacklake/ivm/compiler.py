"""SQL text becomes a view: a normalised plan, and for every set of changed sources a program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlglot import exp

from quacklake.ivm.binding.names import parsed, resolve
from quacklake.ivm.binding.queries import bind
from quacklake.ivm.delta.change import Differential
from quacklake.ivm.delta.result import from_stored_result
from quacklake.ivm.delta.weights import WEIGHT, consolidated
from quacklake.ivm.explain import AggregateStrategy, Explained, explained, strategies
from quacklake.ivm.expressions import reference
from quacklake.ivm.identity import ROW_ID, Identity, identity_of, with_row_ids
from quacklake.ivm.lineage import Origins, lineage_of
from quacklake.ivm.lowering.lower import lower
from quacklake.ivm.passes.fresh import Fresh
from quacklake.ivm.passes.normal import normalised
from quacklake.ivm.passes.store_aggregates import store_aggregates
from quacklake.ivm.passes.store_tops import store_tops
from quacklake.ivm.plan import Column, Item, Plan, Project, Scan, Stored, TopN
from quacklake.ivm.program import Program
from quacklake.ivm.schema import Schema
from quacklake.ivm.shape import bottom_up, columns_of, nodes_of, sources_of
from quacklake.kernel.errors import UsageError


@dataclass(frozen=True, slots=True)
class StateTable:
    """A relation the engine keeps beside the result, filled once and changed at every refresh.

    `key` columns identify a row; without any there is exactly one row. None: only all its values
    do.
    """

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class View:
    """A query that can be kept: its output names, the plan, and the sources it reads."""

    sql: str
    names: tuple[str, ...]
    plan: Plan
    fresh: Fresh

    @property
    def recomputed(self) -> None:
        """Nothing stands against keeping it by its change."""
        return None

    @property
    def sources(self) -> frozenset[str]:
        """The names of the sources the view reads."""
        return sources_of(self.plan)

    @property
    def types(self) -> tuple[str, ...]:
        """Spark's names of the output types; "" where the compiler does not know one."""
        return tuple(column.type for column in columns_of(self.plan))

    def columns_read(self, source: str) -> tuple[str, ...]:
        """The columns of a source that the view reads."""
        scans = (node for node in nodes_of(self.plan) if isinstance(node, Scan))
        found = (name for scan in scans if scan.source == source for name in scan.fields)
        return tuple(dict.fromkeys(found))

    @property
    def states(self) -> tuple[StateTable, ...]:
        """The state relations of the view."""
        return tuple(StateTable(node.name, node.fields, _key_of(node)) for node in self._stored())

    @property
    def identity(self) -> Identity:
        """What identifies the rows of the stored result."""
        return identity_of(self.plan, self.names)

    def explain(self) -> Explained:
        """The operators of the view, each with its rule."""
        return explained(self.plan)

    def strategies(self) -> tuple[AggregateStrategy, ...]:
        """How each aggregate of the view is kept."""
        return strategies(self.plan)

    def lineage(self) -> dict[str, Origins]:
        """For each output the (source, column) pairs its value is computed from."""
        return lineage_of(self.plan, self.names)

    def full(self, dialect: str, *, row_ids: bool = False) -> Program:
        """The program of the whole result, over the NEW state of every source.

        Its `states` are the whole rows of the state relations, with no weight. With `row_ids`,
        for a view identified so, the id of each row follows its columns.
        """
        states = {
            node.name: _without_state(_state_named(node, node.input)) for node in self._stored()
        }
        plan, extra = self._identified(row_ids=row_ids)
        return lower(_without_state(self._named(plan, extra)), dialect, states)

    def delta(
        self, dialect: str, *, changed: Iterable[str] | None = None, row_ids: bool = False
    ) -> Program | None:
        """The program of the result's change when only the sources `changed` changed.

        Its rows have the view's columns and a weight, each distinct row once and never with weight
        zero. None: nothing the view reads has changed. The engine casts rows to the types of the
        stored result and state. With `row_ids`, for a view identified so, the id of each row
        stands before the weight.
        """
        sources = self.sources if changed is None else self.sources & frozenset(changed)
        work = Differential(sources, self.fresh)
        plan, extra = self._identified(row_ids=row_ids)
        change = from_stored_result(plan, self.names, work) or work.change(plan)
        if change is None:
            return None
        states = {}
        for node in self._stored():
            carried = work.change(node)
            if carried is not None:
                states[node.name] = _state_named(node, carried, (WEIGHT,))
        return lower(self._named(consolidated(change), (*extra, WEIGHT)), dialect, states)

    def _identified(self, *, row_ids: bool) -> tuple[Plan, tuple[Column, ...]]:
        """The plan, and the column besides the view's own by which its rows are found."""
        return (with_row_ids(self.plan), (ROW_ID,)) if row_ids else (self.plan, ())

    def _stored(self) -> list[Stored]:
        return [node for node in nodes_of(self.plan) if isinstance(node, Stored)]

    def _named(self, plan: Plan, extra: tuple[Column, ...] = ()) -> Plan:
        """The plan with its columns under the names the query gives them."""
        return _renamed(plan, columns_of(self.plan), self.names, extra)


def _renamed(
    plan: Plan, columns: Iterable[Column], names: Iterable[str], extra: tuple[Column, ...]
) -> Plan:
    items = [
        Item(Column(name, column.type), reference(column.id))
        for name, column in zip(names, columns, strict=True)
    ]
    return Project(plan, (*items, *(Item(each, reference(each.id)) for each in extra)))


def _key_of(node: Stored) -> tuple[str, ...] | None:
    return None if isinstance(node.input, TopN) else node.fields[: len(node.keys)]


def _state_named(node: Stored, plan: Plan, extra: tuple[Column, ...] = ()) -> Plan:
    return _renamed(plan, columns_of(node), node.fields, extra)


def _without_state(plan: Plan) -> Plan:
    """The plan computed from its sources alone."""
    return bottom_up(plan, lambda node: node.input if isinstance(node, Stored) else node)


def compile_view(sql: str, schema: Schema, *, keep_state: bool = True) -> View:
    """The view a query in Spark's dialect defines over the tables of `schema`.

    Raises `Unsupported`, naming the construct, for what cannot be kept incrementally. Without
    state every aggregate is recomputed for the groups that a change touches.
    """
    return replace(compile_tree(parsed(sql), schema, keep_state=keep_state), sql=sql)


def compile_tree(tree: exp.Query, schema: Schema, *, keep_state: bool = True) -> View:
    """The view of a query that is parsed already; the tree is used up."""
    sql = tree.sql("spark")
    context, bound = bind(resolve(tree, schema))
    names = tuple(name for name, _ in bound.outputs)
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise UsageError(
            f"two columns of the view are named '{min(repeated)}'", hint="give one an alias"
        )
    plan = normalised(_outputs_only(bound.plan, bound.outputs), context.fresh)
    if keep_state:
        plan = store_tops(store_aggregates(plan, context.fresh))
    return View(sql, names, plan, context.fresh)


def _outputs_only(plan: Plan, outputs: tuple[tuple[str, Column], ...]) -> Plan:
    return Project(plan, tuple(Item(column, reference(column.id)) for _, column in outputs))
