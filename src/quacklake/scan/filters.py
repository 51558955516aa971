"""From what a user passes as `filter=` to a filter that can prune and decide."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from quacklake.format.arrow import arrow_field
from quacklake.format.table import Table
from quacklake.kernel.errors import UsageError
from quacklake.scan import arrowfilter, sqlfilter
from quacklake.scan.masks import ArrowFilter, PredicateFilter, RowFilter, SqlFilter, fits_arrow


def row_filter(given: str | pc.Expression, table: Table) -> RowFilter:
    """The filter that a SQL condition or a pyarrow expression means on `table`."""
    if isinstance(given, str):
        return _from_sql(given, table)
    if isinstance(given, pc.Expression):
        return _from_arrow(given, table)
    raise UsageError(
        f"a filter is a SQL condition or a pyarrow expression, not {type(given).__name__}"
    )


def pushed_down(given: pc.Expression, table: Table) -> RowFilter:
    """The filter that DuckDB means by an expression it hands to a scan.

    DuckDB drops its own check after handing it over, so its order must hold: NaN is the
    greatest number.
    """
    made = _from_arrow(given, table)
    try:
        meaning = arrowfilter.meaning_of(arrowfilter.tree_of(given), table)
    except arrowfilter.UnknownShape:
        return made
    if meaning.exact and fits_arrow(meaning.predicate):
        return PredicateFilter(made.columns, meaning.predicate)
    return made


def _from_sql(text: str, table: Table) -> RowFilter:
    tree = sqlfilter.parsed_condition(text)
    columns = sqlfilter.referenced_columns(tree, table)
    meaning = sqlfilter.meaning_of(tree, table)
    if meaning.exact and fits_arrow(meaning.predicate):
        return PredicateFilter(columns, meaning.predicate)
    return SqlFilter(columns, meaning.predicate, text, table.name.table).checked()


def _from_arrow(expression: pc.Expression, table: Table) -> RowFilter:
    try:
        tree = arrowfilter.tree_of(expression)
        names = {name.casefold() for name in arrowfilter.fields_of(tree)}
        columns = tuple(table.column(name) for name in arrowfilter.fields_of(tree))
        columns = tuple(c for c in table.columns if c.name.casefold() in names)
        meaning = arrowfilter.meaning_of(tree, table)
    except arrowfilter.UnknownShape:
        columns, meaning = table.columns, arrowfilter.NOTHING_KNOWN
    made = ArrowFilter(columns, meaning.predicate, expression)
    fields = [replace_nullable(column) for column in columns]
    made.mask(pa.schema(fields).empty_table())
    return made


def replace_nullable(column: object) -> pa.Field:
    """The Arrow field of a column, NULL allowed: pieces of a table carry no promise."""
    return arrow_field(replace(column, nullable=True))  # type: ignore[type-var]
