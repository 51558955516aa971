"""Rows kept in the catalog come back exactly, on every kind of catalog."""

from __future__ import annotations

import duckdb
import pytest

from quacklake.catalog import Backend
from quacklake.format.arrow import arrow_type
from quacklake.format.casting import restored, session
from quacklake.format.snapshot import AtVersion, Latest
from quacklake.format.sqltypes import literal, quoted
from quacklake.format.table import TableName
from quacklake.kernel.ids import SnapshotId
from tests.support.lakes import ALL, Lakes, lakes_on

T = TableName("main", "t")

VALUES = {
    "BOOLEAN": ["true", "false"],
    "TINYINT": ["-128", "127"],
    "SMALLINT": ["-32768", "32767"],
    "INTEGER": ["-2147483648", "2147483647"],
    "BIGINT": ["-9223372036854775808", "9223372036854775807"],
    "HUGEINT": [
        "-170141183460469231731687303715884105728",
        "170141183460469231731687303715884105727",
    ],
    "UTINYINT": ["0", "255"],
    "USMALLINT": ["65535"],
    "UINTEGER": ["4294967295"],
    "UBIGINT": ["18446744073709551615"],
    "UHUGEINT": ["340282366920938463463374607431768211455"],
    "FLOAT": ["0.1", "-0.0", "inf", "-inf", "nan", "3.4028235e38", "1e-45"],
    "DOUBLE": ["0.1", "-0.0", "inf", "-inf", "nan", "1.7976931348623157e308", "5e-324"],
    "DECIMAL(4,1)": ["-999.9", "0.0"],
    "DECIMAL(18,3)": ["123456789012345.678"],
    "DECIMAL(38,10)": ["-1234567890123456789012345678.0123456789"],
    "DATE": ["2020-02-29", "infinity", "-infinity", "0044-03-15 (BC)", "9999-12-31"],
    "TIME": ["00:00:00", "23:59:59.999999", "24:00:00"],
    "TIMETZ": ["01:02:03.5+02:30", "23:59:59-15:59"],
    "TIMESTAMP": [
        "2020-01-02 03:04:05.678901",
        "infinity",
        "-infinity",
        "0044-03-15 (BC) 01:02:03",
    ],
    "TIMESTAMP_S": ["2020-01-02 03:04:05", "1969-12-31 23:59:59"],
    "TIMESTAMP_MS": ["2020-01-02 03:04:05.678"],
    "TIMESTAMP_NS": ["2020-01-02 03:04:05.678901234"],
    "TIMESTAMPTZ": ["2020-01-02 03:04:05.678901+00", "2020-01-02 03:04:05-11:30"],
    "INTERVAL": ["1 year 2 months 3 days 04:05:06.7", "-3 days", "-14 months", "0 seconds"],
    "VARCHAR": ["", "it's", 'a "b" \\c', "NULL", "né\n日本", " pad "],
    "JSON": ['{"a": [1, "x\'y", null]}', "null", '"\\u00e9"'],
    "BLOB": ["", "\\x00\\xFF\\x27\\x5C"],
    "UUID": ["f79c3e09-677c-4bbd-a479-3f349cb785e7"],
}
SHAPES = {
    "plain": ("{t}", "x"),
    "list": ("{t}[]", "[x, NULL, x]"),
    "struct": ("STRUCT(a {t}, b STRUCT(c {t}, d {t}[]))", "{{'a': x, 'b': {{'c': x, 'd': [x]}}}}"),
    "map": ("MAP({t}, {t})", "MAP {{x: x}}"),
    "structs": ("STRUCT(a {t}, b MAP(VARCHAR, {t}))[]", "[{{'a': x, 'b': MAP {{'k': x}}}}, NULL]"),
    "map of structs": ('MAP(INT, STRUCT("q\' \\s" {t}))', "MAP {{1: {{'q'' \\s': x}}}}"),
}


def _columns(kind):
    """SQL for a table with one column per shape of `kind`, and for its values from `x`."""
    defined = [f"c{n} {spelled.format(t=kind)}" for n, (spelled, _) in enumerate(SHAPES.values())]
    return defined, [built.format() for _, built in SHAPES.values()]


def _query(kind):
    texts = ", ".join(f"({i}, {literal(text)})" for i, text in enumerate(VALUES[kind]))
    _, built = _columns(kind)
    typed = f"SELECT i, CAST(text AS {kind}) AS x FROM (VALUES {texts}) AS given(i, text)"
    return f"SELECT i, {', '.join(built)} FROM ({typed}) ORDER BY i"


def _texts_by_duckdb(kind):
    """What DuckDB prints for the same values."""
    defined, _ = _columns(kind)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"CREATE TABLE t (i INT, {', '.join(defined)})")
        connection.execute(f"INSERT INTO t {_query(kind)}")
        return connection.execute("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM t").fetchall()


def _texts(inlined):
    """What DuckDB prints for the rows as they came from the catalog."""
    shown = [
        f"CAST({restored(quoted(column.name), column.type)} AS VARCHAR)"
        for column in inlined.columns
    ]
    rows = session().from_arrow(inlined.rows).project(", ".join(shown))
    return rows.fetchall()


@pytest.fixture(scope="module", params=ALL, ids=lambda backend: backend.name.lower())
def typed(request, tmp_path_factory):
    """A lake with one table per type, all of whose rows are inlined."""
    statements = ["CALL lake.set_option('data_inlining_row_limit', 100)"]
    for number, kind in enumerate(VALUES):
        defined, _ = _columns(kind)
        statements += [
            f"CREATE TABLE t{number} (i INT, {', '.join(defined)})",
            f"INSERT INTO t{number} {_query(kind)}",
            f"INSERT INTO t{number} (i) VALUES (99)",
        ]
    return lakes_on(request.param, request, tmp_path_factory.mktemp("typed")).written(*statements)


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.replace("(", "_").strip(")"))
def test_inlined_values_of_every_type_and_shape_come_back_exactly(typed, reader_of, kind):
    reader = reader_of(typed)
    at = reader.snapshot(Latest())

    table = reader.table(TableName("main", f"t{list(VALUES).index(kind)}"), at)
    (inlined,) = reader.inlined_rows(table, at)

    names = ["row_id", "begin_snapshot", *(column.name for column in inlined.columns)]
    assert inlined.rows.schema.names == names
    for column in inlined.columns:
        assert inlined.rows.schema.field(column.name).type == arrow_type(column.type)
    assert inlined.rows.column("row_id").to_pylist() == list(range(len(VALUES[kind]) + 1))
    *values, absent = _texts(inlined)
    assert values == _texts_by_duckdb(kind)
    assert absent == ("99", *[None] * len(SHAPES))


def test_plain_inlined_values_equal_the_answer_of_the_extension(attachable, reader_of):
    columns = ", ".join(f"c{n} {kind}" for n, kind in enumerate(VALUES))
    values = ", ".join(literal(texts[0]) for texts in VALUES.values())
    place = attachable.written(f"CREATE TABLE t ({columns})", f"INSERT INTO t VALUES ({values})")
    with place.referee() as referee:
        expected = referee.rows("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM t")
    reader = reader_of(place)
    at = reader.snapshot(Latest())

    (inlined,) = reader.inlined_rows(reader.table(T, at), at)

    assert _texts(inlined) == expected


def test_variants_are_inlined_in_a_duckdb_catalog_and_read_as_json(tmp_path, reader_of):
    place = Lakes(Backend.DUCKDB, tmp_path).written(
        "CREATE TABLE t (v VARIANT, s STRUCT(v VARIANT)[])",
        "INSERT INTO t VALUES ({'a': [1, 2]}::VARIANT, [{'v': 1::VARIANT}]), (NULL, NULL)",
    )
    reader = reader_of(place)
    at = reader.snapshot(Latest())

    (inlined,) = reader.inlined_rows(reader.table(T, at), at)

    assert inlined.rows.column("v").to_pylist() == ['{"a":[1,2]}', None]
    assert inlined.rows.column("s").to_pylist() == [[{"v": "1"}], None]


def test_rows_of_older_schemas_keep_the_columns_they_were_written_with(lakes, reader_of):
    place = lakes.written(
        "CREATE TABLE t (a INT, s STRUCT(x INT))",
        "INSERT INTO t VALUES (1, {'x': 10})",
        "ALTER TABLE t RENAME COLUMN a TO b",
        "ALTER TABLE t ADD COLUMN s.y VARCHAR",
        "ALTER TABLE t ALTER COLUMN b SET DATA TYPE BIGINT",
        "INSERT INTO t VALUES (2, {'x': 20, 'y': 'z'})",
    )
    reader = reader_of(place)
    at = reader.snapshot(Latest())

    old, new = reader.inlined_rows(reader.table(T, at), at)

    assert [(c.id, c.name) for c in old.columns] == [(1, "a"), (2, "s")]
    assert [(c.id, c.name) for c in new.columns] == [(1, "b"), (2, "s")]
    assert old.rows.to_pylist() == [{"row_id": 0, "begin_snapshot": 2, "a": 1, "s": {"x": 10}}]
    assert new.rows.select(["b", "s"]).to_pylist() == [{"b": 2, "s": {"x": 20, "y": "z"}}]


def test_inlined_rows_live_from_their_begin_to_their_end(lakes, reader_of):
    place = lakes.written(
        "CREATE TABLE t (a INT)",
        "INSERT INTO t VALUES (1), (2)",
        "UPDATE t SET a = 3 WHERE a = 1",
        "DELETE FROM t WHERE a = 2",
    )
    reader = reader_of(place)
    table = reader.table(T, reader.snapshot(Latest()))

    seen = {}
    for number in range(1, 5):
        at = reader.snapshot(AtVersion(SnapshotId(number)))
        seen[number] = [
            (row["row_id"], row["begin_snapshot"], row["a"])
            for inlined in reader.inlined_rows(table, at)
            for row in inlined.rows.to_pylist()
        ]

    assert seen == {
        1: [],
        2: [(0, 2, 1), (1, 2, 2)],
        3: [(0, 3, 3), (1, 2, 2)],
        4: [(0, 3, 3)],
    }


def test_a_table_inlined_late_is_read_although_no_schema_version_names_it(lakes, reader_of):
    place = lakes.written(
        "CALL lake.set_option('data_inlining_row_limit', 0)",
        "CREATE TABLE t (a INT)",
        "ALTER TABLE t ADD COLUMN b INT",
        "CALL lake.set_option('data_inlining_row_limit', 10)",
        "INSERT INTO t VALUES (1, 2)",
        "CALL lake.set_option('data_inlining_row_limit', 0)",
        "ALTER TABLE t DROP COLUMN a",
    )
    reader = reader_of(place)
    at = reader.snapshot(Latest())

    (inlined,) = reader.inlined_rows(reader.table(T, at), at)

    assert inlined.rows.select(["a", "b"]).to_pylist() == [{"a": 1, "b": 2}]
