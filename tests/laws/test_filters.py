"""A filter lets through exactly the rows for which DuckDB finds the condition true.

And its predicate, which pruning relies on, holds for every one of them.
"""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal as Number
from uuid import UUID, uuid4

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quacklake.format import casting
from quacklake.format.arrow import arrow_type
from quacklake.format.sqltypes import quoted, sql_type
from quacklake.format.table import Table, TableName
from quacklake.format.types import Column, Decimal, Kind, LakeType, Scalar
from quacklake.kernel.ids import ColumnId, TableId
from quacklake.scan.filters import pushed_down, row_filter
from quacklake.scan.masks import PredicateFilter
from quacklake.scan.sought import condition_sql

TYPES: dict[str, LakeType] = {
    "b": Scalar(Kind.BOOLEAN),
    "i": Scalar(Kind.INT32),
    "l": Scalar(Kind.INT64),
    "u": Scalar(Kind.UINT64),
    "h": Scalar(Kind.INT128),
    "r": Scalar(Kind.FLOAT32),
    "f": Scalar(Kind.FLOAT64),
    "n": Decimal(9, 2),
    "s": Scalar(Kind.VARCHAR),
    "d": Scalar(Kind.DATE),
    "t": Scalar(Kind.TIMESTAMP),
    "z": Scalar(Kind.TIMESTAMPTZ),
    "e": Scalar(Kind.TIMESTAMP_S),
    "c": Scalar(Kind.TIME),
    "g": Scalar(Kind.UUID),
}
TABLE = Table(
    TableId(1),
    uuid4(),
    TableName("main", "t"),
    "",
    tuple(Column(ColumnId(i), name, kind) for i, (name, kind) in enumerate(TYPES.items(), 1)),
)
DAY = date(2024, 2, 28)
NOON = datetime(2024, 2, 28, 12)  # noqa: DTZ001 - a timestamp without zone
VALUES: dict[str, list[object]] = {
    "b": [True, False],
    "i": [-5, 0, 3, 7],
    "l": [-(2**60), 0, 3, 2**60],
    "u": [0, 3, 2**63],
    "h": [Number(-3), Number(0), Number(7)],
    "r": [0.0, -0.0, 0.5, math.inf, math.nan],
    "f": [0.0, -0.0, 0.1, 3.0, -math.inf, math.nan],
    "n": [Number("0.00"), Number("0.50"), Number("3.25")],
    "s": ["", "a", "ab", "abc", "b", "é", "'"],
    "d": [DAY + timedelta(days) for days in range(3)],
    "t": [NOON + timedelta(hours=hours) for hours in range(0, 36, 12)],
    "z": [(NOON + timedelta(hours=hours)).replace(tzinfo=UTC) for hours in range(0, 36, 12)],
    "e": [NOON + timedelta(hours=hours) for hours in range(0, 36, 12)],
    "c": [time(12), time(12, 0, 0, 500000), time(13)],
    "g": [str(UUID(int=n)) for n in (0, 1, 2**127)],
}
LITERALS: dict[str, list[str]] = {
    "b": ["true", "false"],
    "i": ["-5", "0", "3", "2.5", "3.0", "'7'", "3e0"],
    "l": ["0", "3", str(2**60), "1152921504606846976.5"],
    "u": ["3", "9223372036854775808", "-1"],
    "h": ["0", "7", "-3"],
    "r": ["0", "0.5", "0.1", "'NaN'::FLOAT"],
    "f": ["0", "0.1", "3", "-1e3", "'inf'::DOUBLE"],
    "n": ["0.5", "0.50", "3", "0.123"],
    "s": ["''", "'ab'", "'b'", "'é'", "''''"],
    "d": ["'2024-02-29'", "DATE '2024-02-28'", "TIMESTAMP '2024-02-28 12:00:00'"],
    "t": ["'2024-02-29'", "TIMESTAMP '2024-02-28 12:00:00'", "'2024-02-29 00:00:00.5'"],
    "z": ["'2024-02-29'", "'2024-02-28 13:00:00+01'", "TIMESTAMPTZ '2024-02-29 00:00:00+00'"],
    "e": ["'2024-02-29'", "TIMESTAMP '2024-02-29 00:00:00.5'"],
    "c": ["'12:00:00'", "'12:00:00.5'"],
    "g": ["'00000000-0000-0000-0000-000000000001'"],
}


def atoms() -> st.SearchStrategy[str]:
    """A comparison, a test for NULL, a range, a list or a pattern on one column."""
    operators = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])

    def on(name: str) -> st.SearchStrategy[str]:
        literal = st.sampled_from(LITERALS[name])
        choices = [
            st.builds(f"{name} {{}} {{}}".format, operators, literal),
            st.builds(f"{{}} {{}} {name}".format, literal, operators),
            st.sampled_from([f"{name} IS NULL", f"{name} IS NOT NULL", f"{name} = NULL"]),
            st.builds(f"{name} BETWEEN {{}} AND {{}}".format, literal, literal),
            st.builds(f"{name} IN ({{}}, {{}})".format, literal, literal),
            st.builds(f"{name} NOT IN ({{}}, NULL)".format, literal),
        ]
        if name == "s":
            patterns = st.sampled_from(["s LIKE 'a%'", "s LIKE '_b'", "starts_with(s, 'ab')"])
            choices.append(patterns)
            choices.append(st.just("length(s) > 1"))
        if name == "b":
            choices.append(st.just("b"))
        return st.one_of(choices)

    return st.sampled_from(list(TYPES)).flatmap(on)


CONDITIONS = st.recursive(
    atoms(),
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("NOT ({})".format, inner),
    ),
    max_leaves=4,
)
SESSION = duckdb.connect()
ROWS = st.lists(
    st.fixed_dictionaries({n: st.sampled_from([None, *VALUES[n]]) for n in TYPES}), max_size=6
)


def carried(rows: list[dict[str, object]]) -> pa.Table:
    """The rows as a scan hands them to a filter."""
    schema = pa.schema([(name, arrow_type(kind)) for name, kind in TYPES.items()])
    return pa.Table.from_pylist(rows, schema=schema)


def truth_by_duckdb(rows: pa.Table, condition: str) -> list[bool]:
    """What DuckDB says of each row of a table with the lake's own types."""
    session = SESSION.cursor()
    session.execute("SET TimeZone = 'UTC'")
    typed = ", ".join(
        f"{casting.restored(quoted(n), k)}::{sql_type(k)} AS {quoted(n)}" for n, k in TYPES.items()
    )
    session.execute(f"CREATE OR REPLACE TEMP TABLE t AS SELECT {typed} FROM rows")
    found = session.execute(f"SELECT coalesce(({condition}), false) FROM t").fetchall()
    return [row[0] for row in found]


@given(ROWS, CONDITIONS)
def test_a_sql_filter_keeps_what_duckdb_keeps(
    rows: list[dict[str, object]], condition: str
) -> None:
    given_rows = carried(rows)
    try:
        expected = truth_by_duckdb(given_rows, condition)
    except duckdb.ConversionException:
        return

    chosen = row_filter(condition, TABLE)

    seen = given_rows.select([column.name for column in chosen.columns])
    if not chosen.columns:
        seen = given_rows
    assert chosen.mask(seen).to_pylist() == expected


@given(ROWS, CONDITIONS)
def test_the_predicate_of_a_filter_holds_for_every_row_it_keeps(
    rows: list[dict[str, object]], condition: str
) -> None:
    given_rows = carried(rows)
    chosen = row_filter(condition, TABLE)
    try:
        kept = chosen.mask(given_rows)
        implied = PredicateFilter(TABLE.columns, chosen.predicate).mask(given_rows)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return

    assert pc.all(pc.or_(pc.invert(kept), implied), min_count=0).as_py()


@pytest.mark.parametrize(
    ("expression", "condition"),
    [
        (pc.field("f") > 2.0, "f > 2"),
        ((pc.field("i") >= 3) & pc.field("s").isin(["a", "ab"]), "i >= 3 AND s IN ('a', 'ab')"),
        (pc.field("f").is_null() | (pc.field("l") < 3), "f IS NULL OR l < 3"),
        (pc.field("t") == NOON, "t = TIMESTAMP '2024-02-28 12:00:00'"),
    ],
)
def test_an_expression_pushed_down_by_duckdb_means_what_duckdb_means(
    expression: pc.Expression, condition: str
) -> None:
    rows = carried(
        [{n: VALUES[n][i % len(VALUES[n])] for n in TYPES} for i in range(6)]
        + [dict.fromkeys(TYPES)]
    )

    chosen = pushed_down(expression, TABLE)

    assert isinstance(chosen, PredicateFilter)
    assert chosen.mask(rows).to_pylist() == truth_by_duckdb(rows, condition)


@given(ROWS, CONDITIONS)
def test_what_is_sought_is_what_the_filter_keeps(
    rows: list[dict[str, object]], condition: str
) -> None:
    table = carried(rows)
    chosen = row_filter(condition, TABLE)
    names = {column.id: quoted(column.name) for column in TABLE.columns}
    sought = condition_sql(chosen.predicate, names)

    if isinstance(chosen, PredicateFilter) and sought is not None:
        assert truth_by_duckdb(table, sought) == chosen.mask(table).to_pylist()
