"""What stands in FROM: tables, subqueries, values, joins and lateral views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from quacklake.ivm.binding.context import Bound, Context, Scope, type_of
from quacklake.ivm.binding.subqueries import bind_predicate, bind_scalar
from quacklake.ivm.expressions import Expr, is_null, reference
from quacklake.ivm.plan import (
    Apply,
    ApplyKind,
    Column,
    Filter,
    Item,
    Join,
    LeftJoin,
    Plan,
    Project,
    Scan,
    SemiJoin,
    UnionAll,
    Unnest,
    Values,
)
from quacklake.ivm.refusals import refusal
from quacklake.ivm.shape import columns_of
from quacklake.kernel.errors import UsageError


@dataclass(frozen=True, slots=True)
class From:
    """The rows of a FROM clause and the names of their columns."""

    plan: Plan
    tables: Mapping[str, Mapping[str, Column]]


def bind_from(context: Context, select: exp.Select, scope: Scope) -> From:
    """The FROM clause of a SELECT with its joins and lateral views."""
    clause = select.args.get("from_")
    if clause is None:
        return From(Values(((exp.true(),),), (context.fresh("one", "BOOLEAN"),)), {})
    whole = _relation(context, clause.this, From(Values(((),), ()), {}), scope)
    for join in select.args.get("joins") or ():
        whole = _joined(context, whole, join, scope)
    for lateral in select.args.get("laterals") or ():
        whole = _lateral_view(context, whole, lateral, scope)
    return whole


def _relation(context: Context, node: Expr, left: From, scope: Scope) -> From:
    """One relation; `left` is what a lateral one may read."""
    if isinstance(node, exp.Table):
        relation = _table(context, node, scope)
    elif isinstance(node, exp.Values):
        relation = _values(context, node)
    elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
        relation = _relation(context, node.this, left, scope)
    elif isinstance(node, exp.Subquery):
        relation = _named(context.query(_bare(node), replace(scope, tables={})), node)
    elif isinstance(node, exp.Lateral):
        relation = _named(context.query(node.this, _within(scope, left)), node)
    else:
        raise refusal(f"{node.key} in FROM", "tables, subqueries, VALUES and LATERAL are known")
    for join in node.args.get("joins") or ():
        relation = _joined(context, relation, join, scope)
    return relation


def _bare(node: exp.Subquery) -> Expr:
    return node.this if isinstance(node.this, exp.Query) else node


def _within(scope: Scope, left: From) -> Scope:
    return replace(scope, tables=left.tables)


def _table(context: Context, node: exp.Table, scope: Scope) -> From:
    if node.name in scope.ctes:
        return _named(context.renamed(scope.ctes[node.name]), node)
    source = context.sources[node.name]
    columns = {name: context.fresh(name, each.type) for name, each in source.columns.items()}
    plan = Scan(
        source.name,
        tuple(each.name for each in source.columns.values()),
        tuple(columns.values()),
        frozenset(columns[name].id for name, each in source.columns.items() if not each.nullable),
    )
    return From(plan, {node.alias_or_name: columns})


def _values(context: Context, node: exp.Values) -> From:
    rows = tuple(
        tuple(row.expressions) if isinstance(row, exp.Tuple) else (row,) for row in node.expressions
    )
    names = [each.name for each in node.args["alias"].columns]
    names = names or [f"col{place + 1}" for place in range(len(rows[0]))]
    columns = {
        name: context.fresh(name, type_of(value))
        for name, value in zip(names, rows[0], strict=True)
    }
    return From(Values(rows, tuple(columns.values())), {node.alias: columns})


def _named(bound: Bound, node: Expr) -> From:
    alias = node.args.get("alias")
    names = [each.name for each in alias.columns] if alias is not None else []
    names = names or [name for name, _ in bound.outputs]
    columns = {name: column for name, (_, column) in zip(names, bound.outputs, strict=True)}
    return From(bound.plan, {node.alias_or_name: columns})


def _joined(context: Context, left: From, join: exp.Join, scope: Scope) -> From:
    side, kind = join.side.upper(), join.kind.upper()
    if join.method:
        raise refusal(f"a {join.method} join", "inner, outer, cross, semi and anti joins are known")
    if isinstance(join.this, exp.Unnest):
        return _unnested(context, left, join.this, scope, outer=side == "LEFT")
    if isinstance(join.this, exp.Lateral):
        return _lateral_join(context, left, join, scope)
    right = _relation(context, join.this, left, scope)
    tables = {**left.tables, **right.tables}
    inner = replace(scope, tables=tables)
    if not (side or kind in {"SEMI", "ANTI"}):
        plan: Plan = Join((left.plan, right.plan), ())
        condition = join.args.get("on")
        return From(bind_predicate(context, plan, condition, inner) if condition else plan, tables)
    on = _condition(context, join, inner)
    if kind in {"SEMI", "ANTI"}:
        if side == "RIGHT":
            raise refusal("a RIGHT SEMI or RIGHT ANTI join", "exchange the two sides")
        return From(SemiJoin(left.plan, right.plan, on, kind == "ANTI"), left.tables)
    if side == "LEFT":
        return From(LeftJoin(left.plan, right.plan, on), tables)
    if side == "RIGHT":
        return From(LeftJoin(right.plan, left.plan, on), tables)
    return _full_join(context, From(left.plan, tables), right.plan, on)


def _condition(context: Context, join: exp.Join, scope: Scope) -> tuple[Expr, ...]:
    """The ON clause of a join that keeps rows without partner."""
    condition = join.args.get("on")
    if condition is None:
        return ()
    if condition.find(exp.Query):
        raise refusal("a subquery in the ON clause of an outer join", "join in a subquery")
    nothing = Values(((),), ())
    _, bound = bind_scalar(context, nothing, condition, scope)
    return (bound,)


def _full_join(context: Context, left: From, right: Plan, on: tuple[Expr, ...]) -> From:
    """L FULL JOIN R = L LEFT JOIN R, and the rows of R without partner, padded on the left."""
    marker = context.fresh("partner", "BOOLEAN")
    marked = Project(
        left.plan,
        (
            *(Item(column, reference(column.id)) for column in columns_of(left.plan)),
            Item(marker, exp.true()),
        ),
    )
    lonely = Filter(LeftJoin(right, marked, on), is_null(reference(marker.id)))
    columns = columns_of(left.plan) + columns_of(right)
    items = tuple(Item(column, reference(column.id)) for column in columns)
    fresh = {column.id: context.fresh(column.id, column.type) for column in columns}
    matched = Project(LeftJoin(left.plan, right, on), items)
    plan = UnionAll((matched, Project(lonely, items)), tuple(fresh.values()))
    tables = {
        alias: {name: fresh[column.id] for name, column in names.items() if column.id in fresh}
        for alias, names in left.tables.items()
    }
    return From(plan, tables)


def _lateral_join(context: Context, left: From, join: exp.Join, scope: Scope) -> From:
    lateral = join.this
    if lateral.args.get("view") or not isinstance(lateral.this, exp.Query):
        return _lateral_view(context, left, lateral, scope)
    right = _relation(context, lateral, left, scope)
    tables = {**left.tables, **right.tables}
    condition = join.args.get("on")
    inner = replace(scope, tables=tables)
    if join.side.upper() == "LEFT":
        on = _condition(context, join, inner)
        return From(Apply(ApplyKind.LEFT, left.plan, right.plan, on), tables)
    plan: Plan = Apply(ApplyKind.INNER, left.plan, right.plan, ())
    return From(bind_predicate(context, plan, condition, inner) if condition else plan, tables)


def _lateral_view(context: Context, left: From, node: exp.Lateral, scope: Scope) -> From:
    alias = node.args["alias"]
    names = [each.name for each in alias.columns]
    plan, array = bind_scalar(context, left.plan, node.this.this, _within(scope, left))
    outer = bool(node.args.get("outer")) or type(node.this).__name__.endswith("Outer")
    plan, columns = unnest(context, plan, node.this, array, names, outer=outer)
    return From(plan, {**left.tables, alias.name: columns})


def unnest(
    context: Context, plan: Plan, generator: Expr, array: Expr, names: list[str], *, outer: bool
) -> tuple[Plan, dict[str, Column]]:
    """The plan with an array or map spread over rows, and the new columns by name."""
    if not isinstance(generator, exp.Explode | exp.Posexplode):
        raise refusal(f"the generator {generator.key}", "explode and posexplode are known")
    counted = isinstance(generator, exp.Posexplode)
    kind = generator.this.type
    is_map = kind is not None and kind.this == exp.DataType.Type.MAP
    usual = (["pos"] if counted else []) + (["key", "value"] if is_map else ["col"])
    if names and len(names) != len(usual):
        raise UsageError(f"a generator gives {len(usual)} columns", hint=f"{len(names)} are named")
    columns = {name: context.fresh(name) for name in names or usual}
    made = tuple(columns.values())
    position = made[0] if counted else None
    return Unnest(plan, array, made[1:] if counted else made, position, outer), columns


def _unnested(context: Context, left: From, node: exp.Unnest, scope: Scope, *, outer: bool) -> From:
    if len(node.expressions) != 1:
        raise refusal("UNNEST of several arrays", "unnest them one by one")
    alias = node.args["alias"]
    names = [each.name for each in alias.columns]
    plan, array = bind_scalar(context, left.plan, node.expressions[0], _within(scope, left))
    generator = exp.Explode(this=node.expressions[0])
    plan, columns = unnest(context, plan, generator, array, names, outer=outer)
    return From(plan, {**left.tables, alias.name: columns})
