"""GROUP BY: keys and aggregates become columns, and everything after reads only those.

ROLLUP, CUBE and GROUPING SETS become a union of plain groupings over the same input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Final

from sqlglot import exp

from quacklake.ivm.binding.context import Context, Scope
from quacklake.ivm.binding.subqueries import bind_scalar, is_subquery
from quacklake.ivm.expressions import Expr, number, reference, rewrite, rewrite_below
from quacklake.ivm.plan import Aggregate, Column, Item, Plan, Project, UnionAll
from quacklake.ivm.refusals import function_name

_WRAPPERS: Final = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
# Aggregates that the parser does not know as such.
_OTHER_AGGREGATES: Final = frozenset(
    {"regr_count", "regr_r2", "regr_sxx", "regr_syy", "regr_sxy", "histogram_numeric",
     "try_sum", "try_avg", "bitmap_construct_agg", "grouping_id", "every", "some"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Grouped:
    """A grouped plan, what its columns are called, and the clauses that read them."""

    plan: Plan
    scope: Scope
    clauses: tuple[Expr, ...]


@dataclass(slots=True)
class _Collected:
    """Aggregate calls met so far, each with the column that will hold it."""

    calls: list[tuple[Expr, Column]] = field(default_factory=list)
    markers: list[tuple[Expr, Column]] = field(default_factory=list)


def bind_grouping(
    context: Context, plan: Plan, select: exp.Select, scope: Scope, clauses: Sequence[Expr]
) -> Grouped:
    """Group a plan where the SELECT asks for it; the clauses answered read its columns."""
    group = select.args.get("group")
    if group is None and not any(has_aggregate(each) for each in clauses):
        return Grouped(plan, scope, tuple(clauses))
    keys, sets = _keys_and_sets(select, group)
    bound_keys = []
    for key in keys:
        plan, bound = bind_scalar(context, plan, key, scope)
        column = context.fresh(key.alias_or_name or "key", context.type_of(key, bound))
        bound_keys.append(Item(column, bound))
    collected = _Collected()
    rewritten = tuple(
        _after_grouping(context, clause, keys, bound_keys, collected) for clause in clauses
    )
    aggregates = []
    for call, column in collected.calls:
        plan, bound = bind_scalar(context, plan, call, scope)
        # Known only now: what the call aggregates.
        typed = replace(column, type=context.type_of(call, bound))
        context.types[column.id] = typed.type
        aggregates.append(Item(typed, bound))
    if sets is None:
        grouped: Plan = Aggregate(plan, tuple(bound_keys), tuple(aggregates))
        columns = {item.column.id: item.column for item in bound_keys}
    else:
        grouped, columns = _grouping_sets(
            context, plan, bound_keys, aggregates, sets, _markers(collected, keys)
        )
    return Grouped(grouped, _visible(scope, bound_keys, columns), rewritten)


def has_aggregate(node: Expr) -> bool:
    """Whether an expression aggregates rows of its own level."""
    found = False

    def change(each: Expr) -> Expr | None:
        nonlocal found
        if is_subquery(each):
            return each.copy()
        if isinstance(each, exp.Window):
            for part in _window_parts(each):
                rewrite_below(part, change)
            return each.copy()
        found = found or is_aggregate(each)
        return None

    rewrite(node, change)
    return found


def is_aggregate(node: Expr) -> bool:
    """Whether a node is a call of an aggregate function, with FILTER and order around it."""
    while isinstance(node, _WRAPPERS):
        node = node.this
    return isinstance(node, exp.AggFunc | exp.Grouping) or (
        isinstance(node, exp.Anonymous | exp.Func) and function_name(node) in _OTHER_AGGREGATES
    )


def _window_parts(window: exp.Window) -> list[Expr]:
    """What a window expression computes per row: everything but its own function."""
    parts: list[Expr] = []
    function = window.this
    while isinstance(function, _WRAPPERS):
        parts.extend(each for each in function.iter_expressions() if each is not function.this)
        function = function.this
    parts.append(function)
    holders = (window.args.get("order"), window.args.get("spec"))
    parts.extend(each for each in holders if each is not None)
    partition = window.args.get("partition_by") or []
    return [*parts, exp.Tuple(expressions=partition)] if partition else parts


def _after_grouping(
    context: Context,
    clause: Expr,
    keys: Sequence[Expr],
    bound: Sequence[Item],
    collected: _Collected,
) -> Expr:
    def change(node: Expr) -> Expr | None:
        for key, item in zip(keys, bound, strict=True):
            if node == key:
                return _typed(item.column, key)
        if is_subquery(node):
            return node.copy()
        if isinstance(node, exp.Window):
            return _windowed(node.copy(), change)
        if is_aggregate(node):
            marker = isinstance(node, exp.Grouping) or function_name(node) == "grouping_id"
            return _collect(context, node, collected.markers if marker else collected.calls)
        return None

    return rewrite(clause, change)


def _windowed(window: exp.Window, change: object) -> Expr:
    partition = window.args.get("partition_by") or []
    window.set("partition_by", None)
    for part in _window_parts(window):
        rewrite_below(part, change)  # type: ignore[arg-type]
    window.set("partition_by", [rewrite(each, change) for each in partition])  # type: ignore[arg-type]
    return window


def _collect(context: Context, node: Expr, calls: list[tuple[Expr, Column]]) -> Expr:
    for call, column in calls:
        if call == node:
            return _typed(column, node)
    inner = node
    while isinstance(inner, _WRAPPERS):
        inner = inner.this
    column = context.fresh(inner.key)
    calls.append((node.copy(), column))
    return _typed(column, node)


def _typed(column: Column, node: Expr) -> Expr:
    found = reference(column.id)
    found.type = node.type
    return found


def _visible(scope: Scope, keys: Sequence[Item], columns: dict[str, Column]) -> Scope:
    """The names that still mean something after grouping: those of plain key columns."""
    kept = {
        item.expression.name: columns[item.column.id]
        for item in keys
        if isinstance(item.expression, exp.Column)
    }
    tables = {
        alias: {name: kept[column.id] for name, column in names.items() if column.id in kept}
        for alias, names in scope.tables.items()
    }
    return replace(scope, tables=tables)


def _keys_and_sets(
    select: exp.Select, group: exp.Group | None
) -> tuple[list[Expr], list[tuple[int, ...]] | None]:
    """The distinct key expressions, and which of them each grouping set has."""
    if group is None:
        return [], None
    if group.args.get("all"):
        plain = [each.unalias() for each in select.expressions]
        return [each for each in plain if not has_aggregate(each)], None
    keys: list[Expr] = []

    def place(expression: Expr) -> int:
        inner = expression.unnest()
        if inner not in keys:
            keys.append(inner)
        return keys.index(inner)

    elements = group.expressions + [
        each for kind in ("rollup", "cube", "grouping_sets") for each in group.args.get(kind) or ()
    ]
    combining = (exp.Rollup, exp.Cube, exp.GroupingSets)
    plain_places = tuple(place(each) for each in elements if not isinstance(each, combining))
    choices: list[list[tuple[int, ...]]] = []
    for rollup in (each for each in elements if isinstance(each, exp.Rollup)):
        members = [_members(each, place) for each in rollup.expressions]
        members = members or [(each,) for each in plain_places]
        plain_places = plain_places if rollup.expressions else ()
        choices.append([_merged(members[:size]) for size in range(len(members), -1, -1)])
    for cube in (each for each in elements if isinstance(each, exp.Cube)):
        members = [_members(each, place) for each in cube.expressions]
        members = members or [(each,) for each in plain_places]
        plain_places = plain_places if cube.expressions else ()
        choices.append(
            [_merged(some) for size in range(len(members), -1, -1)
             for some in combinations(members, size)]
        )  # fmt: skip
    choices += [
        [_members(each, place) for each in sets.expressions]
        for sets in elements
        if isinstance(sets, exp.GroupingSets)
    ]
    if not choices:
        return keys, None
    return keys, [_merged((plain_places, *chosen)) for chosen in product(*choices)]


def _members(node: Expr, place: object) -> tuple[int, ...]:
    parts = node.expressions if isinstance(node, exp.Tuple) else [node]
    return tuple(place(each) for each in parts)  # type: ignore[operator]


def _merged(parts: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(each for part in parts for each in part))


def _markers(collected: _Collected, keys: Sequence[Expr]) -> list[tuple[Column, tuple[int, ...]]]:
    """For each GROUPING call the places of its keys, most significant bit first."""
    found = []
    for node, column in collected.markers:
        named = node.expressions or keys
        found.append((column, tuple(keys.index(each.unnest()) for each in named)))
    return found


def _grouping_sets(
    context: Context,
    plan: Plan,
    keys: Sequence[Item],
    aggregates: Sequence[Item],
    sets: Sequence[tuple[int, ...]],
    markers: Sequence[tuple[Column, tuple[int, ...]]],
) -> tuple[Plan, dict[str, Column]]:
    branches = []
    for chosen in sets:
        own_keys = {p: Item(context.fresh("key", keys[p].column.type), keys[p].expression)
                    for p in chosen}  # fmt: skip
        own = [Item(context.fresh(each.column.id, each.column.type), each.expression)
               for each in aggregates]  # fmt: skip
        grouped = Aggregate(plan, tuple(own_keys.values()), tuple(own))
        items = [Item(context.fresh("key", each.column.type),
                      reference(own_keys[p].column.id) if p in chosen else _null(each.column))
                 for p, each in enumerate(keys)]  # fmt: skip
        items += [Item(context.fresh("value"), reference(each.column.id)) for each in own]
        items += [Item(context.fresh("grouping"), _grouping_bits(places, chosen))
                  for _, places in markers]  # fmt: skip
        branches.append(Project(grouped, tuple(items)))
    columns = tuple(each.column for each in (*keys, *aggregates)) + tuple(m for m, _ in markers)
    return UnionAll(tuple(branches), columns), {each.column.id: each.column for each in keys}


def _null(column: Column) -> Expr:
    return exp.cast(exp.null(), column.type, dialect="spark") if column.type else exp.null()


def _grouping_bits(places: tuple[int, ...], chosen: tuple[int, ...]) -> Expr:
    bits = 0
    for place in places:
        bits = bits * 2 + (place not in chosen)
    return number(bits)
