"""From what a user passes as `filter=` to a filter that can prune and decide."""

from __future__ import annotations

from functools import lru_cache

import pyarrow.compute as pc

from quacklake.format.table import Table
from quacklake.kernel.errors import UsageError
from quacklake.scan import arrowfilter, sqlfilter
from quacklake.scan.masks import ArrowFilter, PredicateFilter, RowFilter, SqlFilter, fits_arrow
from quacklake.scan.spoken import reads_floats, spoken
from quacklake.scan.sqlfilter import UNKNOWN


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
    greatest number and equal to itself, and the two zeros are one.
    """
    made = _from_arrow(given, table)
    tree = arrowfilter.tree_of(given)
    meaning = UNKNOWN if tree is None else arrowfilter.meaning_of(tree, table)
    if meaning.exact and fits_arrow(meaning.predicate):
        return PredicateFilter(made.columns, meaning.predicate)
    if tree is not None and reads_floats(tree, table):
        text = spoken(tree)
        if text is not None:
            return SqlFilter(made.columns, meaning.predicate, text, table.name.table).checked()
    return made


@lru_cache(maxsize=256)
def _from_sql(text: str, table: Table) -> RowFilter:
    tree = sqlfilter.parsed_condition(text)
    columns = sqlfilter.referenced_columns(tree, table)
    meaning = sqlfilter.meaning_of(tree, table)
    if meaning.exact and fits_arrow(meaning.predicate):
        return PredicateFilter(columns, meaning.predicate)
    simple = sqlfilter.is_simple(tree)
    return SqlFilter(columns, meaning.predicate, text, table.name.table, simple).checked()


def _from_arrow(expression: pc.Expression, table: Table) -> RowFilter:
    tree = arrowfilter.tree_of(expression)
    if tree is None:
        made = ArrowFilter(table.columns, UNKNOWN.predicate, expression)
    else:
        wanted = {table.column(name).id for name in arrowfilter.fields_of(tree)}
        columns = tuple(column for column in table.columns if column.id in wanted)
        made = ArrowFilter(columns, arrowfilter.meaning_of(tree, table).predicate, expression)
    return made.checked()
