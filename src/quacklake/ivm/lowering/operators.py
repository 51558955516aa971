"""Each operator as a query over the blocks of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Protocol

from sqlglot import exp

from quacklake.ivm.expressions import Expr, null_safe_equal, number, reference, references
from quacklake.ivm.lowering.blocks import Block, named, over
from quacklake.ivm.lowering.unnesting import unnested
from quacklake.ivm.plan import (
    Aggregate,
    Distinct,
    Filter,
    Item,
    Join,
    LeftJoin,
    MarkJoin,
    Plan,
    Project,
    Restrict,
    SemiJoin,
    SetKind,
    SetOperation,
    TopN,
    UnionAll,
    Unnest,
    Values,
    Window,
)
from quacklake.ivm.shape import columns_of, ids_of

_PLACE: Final = "__place"


class Inputs(Protocol):
    """Where an operator gets its inputs from.

    Asked while one operator is lowered, once for each time an input is written down. An input that
    is used elsewhere too comes back as a reference to a step.
    """

    def block(self, plan: Plan) -> Block:
        """An input that may be merged with the operator."""
        ...

    def alias(self) -> str:
        """A name for a relation that no other relation has."""
        ...


def block_of(plan: Plan, inputs: Inputs, dialect: str) -> Block:
    """The operator as a block of its own or merged with its input's."""
    match plan:
        case Filter() | Project() | Join() | LeftJoin() | SemiJoin() | Restrict():
            return _mergeable(plan, inputs)
        case _:
            return wrapped(query_of(plan, inputs, dialect), plan, inputs)


def _mergeable(plan: Plan, inputs: Inputs) -> Block:
    match plan:
        case Filter():
            return _cheap(plan.input, inputs).filtered((plan.predicate,))
        case Project():
            block = _cheap(plan.input, inputs)
            outputs = tuple((item.column, block.read(item.expression)) for item in plan.items)
            return replace(block, outputs=outputs)
        case Join():
            return _join(plan, inputs)
        case LeftJoin():
            return _beside(plan.left, plan.right, plan.on, "LEFT", inputs)
        case SemiJoin():
            kind = "ANTI" if plan.anti else "SEMI"
            return _beside(plan.left, plan.right, plan.on, kind, inputs)
        case Restrict():
            pairs = zip(plan.on, columns_of(plan.keys), strict=True)
            on = [null_safe_equal(each, reference(key.id)) for each, key in pairs]
            return _beside(plan.input, plan.keys, on, "SEMI", inputs)
        case _:
            raise AssertionError(f"{type(plan).__name__} has no query")


def wrapped(query: exp.Query, plan: Plan, inputs: Inputs) -> Block:
    """A finished query as a relation."""
    alias = inputs.alias()
    named_query = exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier(alias)))
    return over(named_query, alias, columns_of(plan))


def query_of(plan: Plan, inputs: Inputs, dialect: str) -> exp.Query:
    """The query whose rows are the plan's, its columns named by their ids."""
    match plan:
        case Values():
            return _values(plan)
        case Aggregate():
            return _aggregate(plan, inputs)
        case Distinct():
            query = _cheap(plan.input, inputs).select()
            query.set("distinct", exp.Distinct())
            return query
        case Window():
            block = _cheap(plan.input, inputs)
            own = tuple((item.column, block.read(item.expression)) for item in plan.items)
            return replace(block, outputs=block.outputs + own).select()
        case MarkJoin():
            return _mark(plan, inputs)
        case UnionAll() | SetOperation():
            return _combined(plan, inputs)
        case TopN():
            return _top(plan, inputs)
        case Unnest():
            block = wrapped(_cheap(plan.input, inputs).select(), plan.input, inputs)
            return unnested(plan, block.source, dialect)
        case _:
            return _mergeable(plan, inputs).select()


def _cheap(plan: Plan, inputs: Inputs) -> Block:
    """The block of an input whose columns may be read more than once."""
    block = inputs.block(plan)
    return block if block.is_cheap() else wrapped(block.select(), plan, inputs)


def _bare(plan: Plan, inputs: Inputs) -> Block:
    """The block of an input that can stand behind JOIN."""
    block = inputs.block(plan)
    return block if block.is_bare() else wrapped(block.select(), plan, inputs)


def _join(plan: Join, inputs: Inputs) -> Block:
    block = _cheap(plan.inputs[0], inputs)
    have, pending = ids_of(plan.inputs[0]), list(plan.on)
    for each in plan.inputs[1:]:
        have |= ids_of(each)
        ready = [one for one in pending if references(one) <= have]
        pending = [one for one in pending if not references(one) <= have]
        other = _bare(each, inputs)
        block = block.joined(other.source, ready, other.by_id(), kind="")
        block = replace(block, outputs=block.outputs + other.outputs)
    return block


def _beside(left: Plan, right: Plan, on: Sequence[Expr], kind: str, inputs: Inputs) -> Block:
    block, other = _cheap(left, inputs), _bare(right, inputs)
    block = block.joined(other.source, on, other.by_id(), kind=kind)
    return replace(block, outputs=block.outputs + other.outputs) if kind == "LEFT" else block


def _values(plan: Values) -> exp.Select:
    rows = [exp.Tuple(expressions=[each.copy() for each in row]) for row in plan.rows]
    names = [exp.to_identifier(column.id, quoted=True) for column in plan.columns]
    alias = exp.TableAlias(this=exp.to_identifier("rows"), columns=names)
    return over(exp.Values(expressions=rows, alias=alias), "rows", plan.columns).select()


def _aggregate(plan: Aggregate, inputs: Inputs) -> exp.Select:
    block = _cheap(plan.input, inputs)
    items = [named(block.read(item.expression), item.column)
             for item in plan.keys + plan.aggregates]  # fmt: skip
    query = block.selecting(items)
    if plan.keys:
        places = [number(place + 1) for place in range(len(plan.keys))]
        query.set("group", exp.Group(expressions=places))
    return query


def _mark(plan: MarkJoin, inputs: Inputs) -> exp.Query:
    """The rows with a partner, and the rows without, each marked."""
    branches = []
    for kind, mark in (("SEMI", exp.true()), ("ANTI", exp.false())):
        block = _beside(plan.left, plan.right, plan.on, kind, inputs)
        branches.append(replace(block, outputs=(*block.outputs, (plan.mark, mark))).select())
    return exp.Union(this=branches[0], expression=branches[1], distinct=False)


def _combined(plan: UnionAll | SetOperation, inputs: Inputs) -> exp.Query:
    sides = plan.inputs if isinstance(plan, UnionAll) else (plan.left, plan.right)
    branches = []
    for each in sides:
        block = inputs.block(each)
        by_id = block.by_id()
        pairs = zip(plan.columns, columns_of(each), strict=True)
        outputs = tuple((out, by_id[own.id]) for out, own in pairs)
        branches.append(replace(block, outputs=outputs).select())
    whole: exp.Query = branches[0]
    for branch in branches[1:]:
        whole = _operation(plan, whole, branch)
    return whole


def _operation(plan: UnionAll | SetOperation, left: exp.Query, right: exp.Query) -> exp.Query:
    if isinstance(plan, UnionAll):
        return exp.Union(this=left, expression=right, distinct=False)
    kind = exp.Intersect if plan.kind is SetKind.INTERSECT else exp.Except
    return kind(this=left, expression=right, distinct=not plan.all)


def _top(plan: TopN, inputs: Inputs) -> exp.Select:
    block = _cheap(plan.input, inputs)
    order = exp.Order(expressions=[block.read(each) for each in plan.order])
    if not plan.partition:
        query = block.select()
        query.set("order", order)
        if plan.limit is not None:
            query.set("limit", exp.Limit(expression=number(plan.limit)))
        if plan.offset:
            query.set("offset", exp.Offset(expression=number(plan.offset)))
        return query
    partition = [block.read(each) for each in plan.partition]
    place = exp.Window(this=exp.RowNumber(), partition_by=partition, order=order)
    ranked = Item(replace(columns_of(plan)[0], id=_PLACE), place)
    query = replace(block, outputs=(*block.outputs, (ranked.column, place))).select()
    chosen: list[Expr] = [exp.GT(this=reference(_PLACE), expression=number(plan.offset))]
    if plan.limit is not None:
        last = number(plan.offset + plan.limit)
        chosen.append(exp.LTE(this=reference(_PLACE), expression=last))
    outer = wrapped(query, plan, inputs)
    return replace(outer, where=tuple(chosen)).select()
