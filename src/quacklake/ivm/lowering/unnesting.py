"""Arrays and maps spread over rows, as each engine writes it."""

from __future__ import annotations

from sqlglot import exp

from quacklake.ivm.expressions import Expr, number, reference
from quacklake.ivm.plan import Column, Unnest
from quacklake.ivm.shape import columns_of


def unnested(plan: Unnest, source: Expr, dialect: str) -> exp.Select:
    """The query of an unnest; DuckDB joins with UNNEST, Spark has LATERAL VIEW."""
    return _on_duckdb(plan, source) if dialect == "duckdb" else _on_spark(plan, source)


def _on_spark(plan: Unnest, source: Expr) -> exp.Select:
    kind = exp.Explode if plan.position is None else exp.Posexplode
    made = (() if plan.position is None else (plan.position,)) + plan.columns
    alias = exp.TableAlias(this=exp.to_identifier("spread"), columns=[_name(each) for each in made])
    lateral = exp.Lateral(
        this=kind(this=plan.array.copy()), view=True, outer=plan.outer, alias=alias
    )
    names = [reference(column.id) for column in columns_of(plan)]
    query = exp.Select(expressions=names).from_(source)
    query.append("laterals", lateral)
    return query


def _on_duckdb(plan: Unnest, source: Expr) -> exp.Select:
    """A zip of the elements and their positions, taken from the row itself.

    UNNEST in the select list repeats the row for each element; no element, no row.
    """
    is_map = len(plan.columns) > 1
    array = plan.array.copy()
    if is_map:
        array = exp.Anonymous(this="map_entries", expressions=[array])
    length = exp.Anonymous(this="len", expressions=[array.copy()])
    places: Expr = exp.Anonymous(this="range", expressions=[length])
    if plan.outer:
        nothing = exp.Anonymous(this="list_value", expressions=[exp.null()])
        empty = exp.EQ(
            this=exp.Coalesce(this=length.copy(), expressions=[number(0)]), expression=number(0)
        )
        places = exp.Case().when(empty, nothing).else_(places)
    own = columns_of(plan.input)
    place = "__position"
    spread = exp.Select(
        expressions=[
            *(reference(column.id) for column in own),
            exp.alias_(array.copy(), "__array", quoted=True),
            exp.alias_(exp.Anonymous(this="unnest", expressions=[places]), place, quoted=True),
        ]
    ).from_(source)
    at = exp.Anonymous(
        this="list_extract",
        expressions=[reference("__array"), exp.Add(this=reference(place), expression=number(1))],
    )
    outputs: list[Expr] = [reference(column.id) for column in own]
    if plan.position is not None:
        outputs.append(_as(exp.cast(reference(place), "INT"), plan.position))
    outputs += [
        _as(_part(at, index, is_map=is_map), each) for index, each in enumerate(plan.columns)
    ]
    return exp.Select(expressions=outputs).from_(spread.subquery("spread"))


def _part(element: Expr, index: int, *, is_map: bool) -> Expr:
    if not is_map:
        return element.copy()
    field = exp.Literal.string(("key", "value")[index])
    return exp.Anonymous(this="struct_extract", expressions=[element.copy(), field])


def _as(expression: Expr, column: Column) -> Expr:
    return exp.alias_(expression, column.id, quoted=True)


def _name(column: Column) -> exp.Identifier:
    return exp.to_identifier(column.id, quoted=True)
