"""SELECT, clause by clause, in the order SQL gives them meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from quacklake.ivm.binding.context import Bound, Context, Scope
from quacklake.ivm.binding.grouping import bind_grouping
from quacklake.ivm.binding.limits import limited, ordering
from quacklake.ivm.binding.relations import bind_from, unnest
from quacklake.ivm.binding.subqueries import bind_predicate, bind_scalar
from quacklake.ivm.binding.windows import lift_windows
from quacklake.ivm.expressions import Expr, reference, rewrite
from quacklake.ivm.plan import Column, Distinct, Item, Plan, Project, TopN
from quacklake.kernel.errors import UsageError


@dataclass(frozen=True, slots=True)
class _Clauses:
    """What is computed of each row after WHERE."""

    outputs: tuple[Expr, ...]
    order: tuple[Expr, ...]
    on: tuple[Expr, ...]
    having: tuple[Expr, ...]
    qualify: tuple[Expr, ...]

    def flat(self) -> tuple[Expr, ...]:
        return self.outputs + self.order + self.on + self.having + self.qualify

    def refilled(self, flat: Sequence[Expr]) -> _Clauses:
        parts, start = [], 0
        for each in (self.outputs, self.order, self.on, self.having, self.qualify):
            parts.append(tuple(flat[start : start + len(each)]))
            start += len(each)
        return _Clauses(*parts)


def bind_select(context: Context, node: exp.Select, scope: Scope) -> Bound:
    """The plan of a SELECT."""
    whole = bind_from(context, node, scope)
    plan, inner = whole.plan, replace(scope, tables=whole.tables)
    if where := node.args.get("where"):
        plan = bind_predicate(context, plan, where.this, inner)
    names = [each.alias_or_name for each in node.expressions]
    clauses = _clauses_of(node, names)
    grouped = bind_grouping(context, plan, node, inner, clauses.flat())
    plan, inner, clauses = grouped.plan, grouped.scope, clauses.refilled(grouped.clauses)
    for predicate in clauses.having:
        plan = bind_predicate(context, plan, predicate, inner)
    plan, flat = lift_windows(context, plan, node, inner, clauses.flat())
    clauses = clauses.refilled(flat)
    for predicate in clauses.qualify:
        plan = bind_predicate(context, plan, predicate, inner)
    return _projected(context, plan, node, inner, (names, clauses))


def _clauses_of(node: exp.Select, names: list[str]) -> _Clauses:
    outputs = tuple(each.unalias() for each in node.expressions)
    aliases = dict(zip(names, outputs, strict=True))

    def unaliased(expression: Expr) -> Expr:
        def change(each: Expr) -> Expr | None:
            if isinstance(each, exp.Column) and not each.table and each.name in aliases:
                chosen: Expr = aliases[each.name].copy()
                return chosen
            return None

        return rewrite(expression, change)

    distinct = node.args.get("distinct")
    on = distinct.args.get("on") if distinct else None
    order = ordering(node) if _needs_order(node) else ()
    having, qualify = node.args.get("having"), node.args.get("qualify")
    return _Clauses(
        outputs,
        tuple(unaliased(each) for each in order),
        tuple(unaliased(each) for each in (on.expressions if on else ())),
        (unaliased(having.this),) if having else (),
        (unaliased(qualify.this),) if qualify else (),
    )


def _needs_order(node: exp.Select) -> bool:
    distinct = node.args.get("distinct")
    return bool(
        node.args.get("limit") or node.args.get("offset") or (distinct and distinct.args.get("on"))
    )


def _projected(
    context: Context,
    plan: Plan,
    node: exp.Select,
    scope: Scope,
    computed: tuple[list[str], _Clauses],
) -> Bound:
    names, clauses = computed
    plan, outputs = _outputs(context, plan, scope, names, clauses.outputs)
    distinct = node.args.get("distinct")
    if distinct and not clauses.on:
        plan = Distinct(Project(plan, tuple(item for _, item in outputs)))
        order = tuple(_in_outputs(each, clauses.outputs, outputs) for each in clauses.order)
        bound = Bound(plan, tuple((name, item.column) for name, item in outputs))
        return Bound(limited(bound.plan, node, order), bound.outputs)
    visible = tuple(item for _, item in outputs)
    order_items = []
    for each in clauses.order:
        plan, ordered = bind_scalar(context, plan, each.this, scope)
        order_items.append((each, _item_for(context, ordered, visible)))
    on_items = []
    for each in clauses.on:
        plan, partition = bind_scalar(context, plan, each, scope)
        on_items.append(Item(context.fresh("on"), partition))
    ordering_only = (item for _, item in order_items if item not in visible)
    hidden = (*dict.fromkeys(ordering_only), *on_items)
    plan = Project(plan, visible + hidden)
    order = tuple(_reordered(each, item.column) for each, item in order_items)
    if on_items:
        partition_by = tuple(reference(item.column.id) for item in on_items)
        plan = TopN(plan, partition_by, order, 1, 0)
    plan = limited(plan, node, order)
    if hidden:
        plan = Project(
            plan, tuple(Item(item.column, reference(item.column.id)) for item in visible)
        )
    return Bound(plan, tuple((name, item.column) for name, item in outputs))


def _item_for(context: Context, expression: Expr, visible: tuple[Item, ...]) -> Item:
    """The output that has this value, or one more column for it: no value is carried twice."""
    same = (item for item in visible if item.expression == expression)
    return next(same, None) or Item(context.fresh("order"), expression)


def _outputs(
    context: Context, plan: Plan, scope: Scope, names: list[str], expressions: Sequence[Expr]
) -> tuple[Plan, list[tuple[str, Item]]]:
    found: list[tuple[str, Item]] = []
    for name, expression in zip(names, expressions, strict=True):
        if isinstance(expression, exp.Explode | exp.Posexplode | exp.Aliases):
            plan, made = _generated(context, plan, scope, name, expression)
            found.extend(made)
            continue
        plan, bound = bind_scalar(context, plan, expression, scope)
        found.append((name, Item(context.fresh(name, context.type_of(expression, bound)), bound)))
    return plan, found


def _generated(
    context: Context, plan: Plan, scope: Scope, name: str, node: Expr
) -> tuple[Plan, list[tuple[str, Item]]]:
    """EXPLODE as an output: rows multiply before the projection."""
    generator = node.this if isinstance(node, exp.Aliases) else node
    names = [each.name for each in node.expressions] if isinstance(node, exp.Aliases) else []
    if not names and isinstance(generator, exp.Explode) and not _is_map(generator):
        names = [name]
    plan, array = bind_scalar(context, plan, generator.this, scope)
    outer = type(generator).__name__.endswith("Outer")
    plan, columns = unnest(context, plan, generator, array, names, outer=outer)
    return plan, [
        (each, Item(context.fresh(each), reference(column.id))) for each, column in columns.items()
    ]


def _is_map(generator: Expr) -> bool:
    kind = generator.this.type
    return kind is not None and kind.this == exp.DataType.Type.MAP


def _in_outputs(ordered: Expr, asts: Sequence[Expr], outputs: list[tuple[str, Item]]) -> Expr:
    for tree, (_, item) in zip(asts, outputs, strict=True):
        if tree == ordered.this:
            return _reordered(ordered, item.column)
    raise UsageError(
        "ORDER BY of a SELECT DISTINCT must name its columns", hint="select what you order by"
    )


def _reordered(ordered: Expr, column: Column) -> Expr:
    copied = ordered.copy()
    copied.set("this", reference(column.id))
    return copied
