"""DuckDB's own extension reads what we write as the values we meant, and would say the same of it.

Law: for every type, a file of ours reads back equal, filters included, and its statistics are
text by text those the extension records for the same values.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quacklake.format.partition import PartitionSpec
from quacklake.format.table import Table
from quacklake.storage import Storage
from quacklake.storage.writing import (
    ROW_ID,
    WriteOptions,
    WrittenFile,
    write_data_files,
    write_delete_file,
)
from tests.support.examples import examples
from tests.support.shapes import Leaf, literals
from tests.support.written import HandmadeLake, rows_of, statistics_of


@dataclass(frozen=True)
class Case:
    """Values of a type, as SQL; `alike` if the extension can write them and counts them right."""

    sql: str
    values: tuple[str, ...]
    alike: bool = True


def case(sql: str, *values: str, alike: bool = True) -> Case:
    return Case(sql, values, alike)


HIGHEST_UUID: Final = "'ffffffff-ffff-ffff-ffff-ffffffffffff'"
CASES: Final = {
    "boolean": case("BOOLEAN", "true", "false"),
    "int8": case("TINYINT", "-128", "127"),
    "int16": case("SMALLINT", "-32768", "32767"),
    "int32": case("INTEGER", "-2147483648", "2147483647"),
    "int64": case("BIGINT", "-9223372036854775808", "9223372036854775807"),
    "uint8": case("UTINYINT", "0", "255"),
    "uint16": case("USMALLINT", "0", "65535"),
    "uint32": case("UINTEGER", "1", "4294967295"),
    "uint64": case("UBIGINT", "5", "18446744073709551615"),
    "int128": case("HUGEINT", "1", "-5"),
    "extreme int128": case("HUGEINT", str(-(2**127)), str(2**127 - 1), alike=False),
    "extreme uint128": case("UHUGEINT", "0", str(2**128 - 1), alike=False),
    "float": case("FLOAT", "'-inf'", "1e8", "1e-45", "3.4028235e38", "0.1"),
    "float with nan": case("FLOAT", "'nan'", "1.5"),
    "nothing but nan": case("DOUBLE", "'nan'", "'nan'"),
    "double": case("DOUBLE", "1e16", "1e15", "1e300", "-1.7976931348623157e308", "5e-324"),
    "double with nan": case("DOUBLE", "'nan'", "1e300", "'inf'"),
    "short decimal": case("DECIMAL(4,1)", "-999.9", "999.9"),
    "whole decimal": case("DECIMAL(9,0)", "-999999999", "1"),
    "decimal": case("DECIMAL(18,3)", "999999999999999.999", "-0.001"),
    "wide decimal": case("DECIMAL(38,10)", "9" * 28 + "." + "9" * 10, "-0.0000000001"),
    "date": case("DATE", "'0044-03-15 (BC)'", "'12345-12-31'", "'0001-01-01'"),
    "endless date": case("DATE", "'infinity'", "'-infinity'", "'5877642-06-25 (BC)'"),
    "time": case("TIME", "'24:00:00'", "'00:00:00.000001'", "'12:00:00.5'"),
    "time_ns": case("TIME_NS", "'23:59:59.999999999'", "'00:00:00'", alike=False),
    "timetz": case("TIMETZ", "'10:00:00+02'", "'10:00:00-15:59'", "'01:02:03.5+00'", alike=False),
    "timestamp": case(
        "TIMESTAMP", "'290309-12-22 (BC) 00:00:00'", "'294247-01-10 04:00:54.775806'"
    ),
    "endless timestamp": case("TIMESTAMP", "'infinity'", "'-infinity'", "'2020-01-01 00:00:00.1'"),
    "timestamp_s": case("TIMESTAMP_S", "'0044-01-01 (BC) 00:00:01'", "'12020-01-01 00:00:00'"),
    "endless timestamp_s": case("TIMESTAMP_S", "'infinity'", "'-infinity'", alike=False),
    "timestamp_ms": case("TIMESTAMP_MS", "'2020-01-01 00:00:00.001'", "'infinity'", "'-infinity'"),
    "timestamp_ns": case(
        "TIMESTAMP_NS", "'2262-04-11 23:47:16.854775806'", "'2000-01-01 00:00:00.000000100'"
    ),
    "timestamptz": case(
        "TIMESTAMPTZ", "'2020-01-01 00:00:00.5+05:30'", "'0044-01-01 (BC) 00:00:00+00'"
    ),
    "interval": case(
        "INTERVAL",
        "'1 year 2 months 3 days 04:05:06.123456'",
        "'-1 year 3 days -00:00:00.000001'",
        "'0 seconds'",
        "'1 month -1 day'",
        alike=False,
    ),
    "text": case("VARCHAR", "''", "'é€😀'", "'NULL'"),
    "256 bytes": case("VARCHAR", "repeat('a', 256)", "repeat('b', 256)"),
    "long text": case("VARCHAR", "repeat('a', 257)", "repeat('b', 300)"),
    "very long text": case("VARCHAR", "repeat('a', 6000)", "repeat('b', 7000)"),
    "text cut in a character": case(
        "VARCHAR", "repeat('a', 255) || 'é'", "repeat('z', 250) || repeat('é', 100)"
    ),
    "text that cannot be cut": case("VARCHAR", "repeat('é', 300)", "'a'"),
    "text with nul": case("VARCHAR", "'a' || chr(0)", "'b' || chr(0)"),
    "blob": case("BLOB", r"'\xAA\x00'", "'b'", "''"),
    "long blob": case("BLOB", "repeat('a', 300)", "repeat('b', 257)"),
    "blob that cannot be cut": case("BLOB", r"repeat('\xFF', 300)", "'b'"),
    "uuid": case(
        "UUID",
        HIGHEST_UUID,
        "'00000000-0000-0000-0000-000000000000'",
        "'80000000-0000-0000-0000-000000000000'",
    ),
    "json": case("JSON", "'{\"a\": 1}'", "'[1,2]'", "'null'"),
    "variant": case("VARIANT", '\'{"a":[1,{"b":null}]}\'::JSON', "'\"x\"'::JSON", alike=False),
    "geometry": case("GEOMETRY", "'POINT (1 2)'", "'LINESTRING Z (0 0 1, 1 1 5)'", "'POINT EMPTY'"),
    "geometries": case(
        "GEOMETRY",
        "'MULTIPOLYGON M (((0 0 1, 0 1 2, 1 1 3, 0 0 1)))'",
        "'GEOMETRYCOLLECTION (POINT (1 1))'",
        "'MULTILINESTRING ZM ((0 0 1 1, 0 1 2 2))'",
    ),
    "list": case("INTEGER[]", "[1, NULL, 3]", "[]", "[NULL]"),
    "lists of lists": case("DOUBLE[][]", "[[1.5, 'nan'::DOUBLE], NULL, []]", "[]"),
    "struct": case(
        "STRUCT(x INTEGER, y STRUCT(z VARCHAR, w UUID[]))",
        f"{{'x': 1, 'y': {{'z': 'a', 'w': [{HIGHEST_UUID}, NULL]}}}}",
        "{'x': NULL, 'y': NULL}",
    ),
    "map": case(
        "MAP(VARCHAR, FLOAT)",
        "MAP {'a': 1.5::FLOAT, 'b': 'nan'::FLOAT}",
        "MAP {}",
        "MAP {'c': NULL}",
    ),
    "map of lists": case(
        "MAP(UUID, INTERVAL[])", f"MAP {{{HIGHEST_UUID}: [INTERVAL '-1 day']}}", alike=False
    ),
    "list of structs": case(
        "STRUCT(g GEOMETRY, h HUGEINT, t TIMESTAMP_S, v VARIANT)[]",
        "[{'g': 'POINT (1 2)', 'h': 5, 't': '2020-01-01', 'v': '{\"a\":1}'::JSON}, NULL]",
        alike=False,
    ),
    "nothing": case("INTEGER"),
    "no double": case("DOUBLE"),
    "no text": case("VARCHAR"),
    "no geometry": case("GEOMETRY"),
}
COLUMNS: Final = tuple(CASES)


def declared(names: tuple[str, ...]) -> str:
    return ", ".join(f'"{name}" {CASES[name].sql}' for name in names)


def table_of(names: tuple[str, ...]) -> str:
    """All values, one row for each of the longest case, and a last row of NULLs."""
    height = max(len(CASES[name].values) for name in names) + 1
    return " UNION ALL ".join(f"SELECT {_row(names, i)}" for i in range(height))


def _row(names: tuple[str, ...], i: int) -> str:
    padded = ((CASES[name], (*CASES[name].values, *["NULL"] * 9)[i]) for name in names)
    return ", ".join(f"({value})::{each.sql}" for each, value in padded)


def written(lake: HandmadeLake, query: str, **options: Any) -> tuple[WrittenFile, ...]:
    table = lake.table()
    return write_data_files(
        Storage(), lake.directory, table.columns, [rows_of(table.columns, query)], **options
    )


def test_statistics_are_those_of_the_extension(tmp_path: Path) -> None:
    names = tuple(name for name in COLUMNS if CASES[name].alike)
    lake = HandmadeLake(tmp_path, declared(names))
    with lake.referee() as referee:
        referee.execute(f"INSERT INTO t {table_of(names)}")

    (file,) = written(lake, table_of(names))

    assert statistics_of(file) == lake.recorded(0)


@pytest.mark.parametrize("encrypt", [False, True])
@pytest.mark.parametrize("version", ["V1", "V2"])
def test_the_extension_reads_every_value_back(
    version: str, tmp_path: Path, *, encrypt: bool
) -> None:
    settings = {"ENCRYPTED": "true"} if encrypt else {}
    lake = HandmadeLake(tmp_path, declared(COLUMNS), **settings)
    query = table_of(COLUMNS)

    lake.enter(written(lake, query, encrypt=encrypt, options=WriteOptions(parquet_version=version)))

    columns = ", ".join(f'"{name}"' for name in COLUMNS)
    shown = ", ".join(f'("{name}"::VARCHAR, typeof("{name}"))' for name in COLUMNS)
    with lake.referee() as referee:
        found = referee.rows(f"SELECT {shown} FROM t")
        expected = referee.rows(f"SELECT {shown} FROM ({query}) AS q({columns})")
    for i, name in enumerate(COLUMNS):
        assert [row[i] for row in found] == [row[i] for row in expected], name


def test_encrypted_files_have_the_statistics_of_plain_ones(tmp_path: Path) -> None:
    names = tuple(name for name in COLUMNS if CASES[name].alike)
    lake = HandmadeLake(tmp_path, declared(names))

    (plain,) = written(lake, table_of(names))
    (sealed,) = written(lake, table_of(names), encrypt=True)

    assert statistics_of(sealed) == statistics_of(plain)


def test_the_extension_filters_long_encrypted_files(tmp_path: Path) -> None:
    lake = HandmadeLake(tmp_path, "a BIGINT, s VARCHAR, l STRUCT(x BIGINT)[]", ENCRYPTED="true")
    query = "SELECT i, md5(i::VARCHAR), [{'x': i}, NULL] FROM range(60000) AS r(i)"

    lake.enter(written(lake, query, encrypt=True, options=WriteOptions(row_group_size=20_480)))

    with lake.referee() as referee:
        found = referee.rows(
            "SELECT count(*), sum(l[1].x), min(s) FROM t WHERE a >= 45000 AND a % 7 = 0"
        )
        expected = referee.rows(
            f"SELECT count(*), sum(l[1].x), min(s) FROM ({query}) AS q(a, s, l)"
            " WHERE a >= 45000 AND a % 7 = 0"
        )
    assert found == expected


def test_the_extension_finds_every_value_by_a_filter(tmp_path: Path) -> None:
    # NUL and the largest float are beyond the extension's own filters.
    beyond = {"text with nul", "float", "variant", "list of structs"}
    names = tuple(name for name in COLUMNS if name not in beyond)
    lake = HandmadeLake(tmp_path, declared(names))

    lake.enter(written(lake, table_of(names)))

    with lake.referee() as referee:
        for name in names:
            for value in CASES[name].values:
                for comparison in ("=", ">=", "<="):
                    condition = f'"{name}" {comparison} ({value})::{CASES[name].sql}'
                    found = referee.rows(f"SELECT count(*) > 0 FROM t WHERE {condition}")
                    assert found == [(True,)], condition


def test_nan_is_found_in_any_row_group(tmp_path: Path) -> None:
    lake = HandmadeLake(tmp_path, "x DOUBLE")
    query = "SELECT CASE WHEN i = 700 THEN 'nan'::DOUBLE ELSE i END FROM range(1000) AS r(i)"

    lake.enter(written(lake, query, options=WriteOptions(row_group_size=100)))

    with lake.referee() as referee:
        for condition, count in (("x = 'nan'", 1), ("x > 998", 2), ("x >= 5000", 1)):
            found = referee.rows(f"SELECT count(*) FROM t WHERE {condition}")
            assert found == [(count,)], condition


LEAVES: Final = (
    *("BOOLEAN", "BIGINT", "UBIGINT", "FLOAT", "DOUBLE", "DECIMAL(18,4)", "DECIMAL(38,10)"),
    *("DATE", "TIME", "TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMPTZ", "VARCHAR", "BLOB", "UUID"),
)
ROWS: Final = st.lists(
    st.tuples(*(literals(Leaf(sql)).map(lambda text, sql=sql: f"{text}::{sql}") for sql in LEAVES)),
    min_size=1,
    max_size=5,
)


def test_statistics_of_any_values_are_those_of_the_extension(tmp_path: Path) -> None:
    lake = HandmadeLake(tmp_path, ", ".join(f"c{i} {sql}" for i, sql in enumerate(LEAVES)))
    files = count()
    with lake.referee() as referee:

        @settings(max_examples=examples(25), deadline=None)
        @given(ROWS)
        def hold(rows: list[tuple[str, ...]]) -> None:
            query = " UNION ALL ".join(f"SELECT {', '.join(row)}" for row in rows)
            referee.execute(f"INSERT INTO t {query}")

            (file,) = written(lake, query)

            assert _unsigned_zero(statistics_of(file)) == _unsigned_zero(lake.recorded(next(files)))

        hold()


def _unsigned_zero(statistics: dict[int, tuple[Any, ...]]) -> dict[int, tuple[Any, ...]]:
    """Zeros of both signs are one bound."""
    return {
        column: tuple("0.0" if each == "-0.0" else each for each in row)
        for column, row in statistics.items()
    }


PARTITIONED: Final = (
    "k INTEGER, s VARCHAR, ts TIMESTAMP, day DATE, z TIMESTAMPTZ, n DECIMAL(9,2), u UUID, b BOOLEAN"
)
SPLIT_ROWS: Final = """
    SELECT i::INTEGER, CASE WHEN i % 3 = 0 THEN NULL ELSE 'é/' || (i % 3) END,
        TIMESTAMP '2019-12-31 23:30:00' + INTERVAL (i) HOUR,
        CASE WHEN i = 7 THEN 'infinity'::DATE ELSE DATE '0001-01-01' - i::INTEGER END,
        TIMESTAMPTZ '2020-01-01 00:30:00+00' - INTERVAL (i) HOUR,
        i::DECIMAL(9,2) / 4, md5(i::VARCHAR)::UUID, i % 2 = 0
    FROM range(40) AS r(i)
"""


@pytest.mark.parametrize(
    "keys",
    [
        "s, b",
        "year(ts), month(ts), day(ts)",
        "hour(z)",
        "year(day), b",
        "bucket(4, k), bucket(3, s)",
        "bucket(5, n), bucket(4, u)",
        "bucket(7, ts), bucket(3, day), bucket(2, b)",
        "n",
        "z",
    ],
)
def test_rows_are_split_as_the_extension_splits_them(keys: str, tmp_path: Path) -> None:
    lake = HandmadeLake(tmp_path, PARTITIONED)
    with lake.referee() as referee:
        referee.execute(f"ALTER TABLE t SET PARTITIONED BY ({keys})")
        referee.execute(f"INSERT INTO t {SPLIT_ROWS}")
    theirs = lake.partitions()

    files = written(lake, SPLIT_ROWS, partition=_spec(lake.table()))

    ours = {file.partition_values: (_folder(lake, file), file.record_count) for file in files}
    assert ours == theirs


def _spec(table: Table) -> PartitionSpec:
    assert table.partition is not None
    return table.partition


def _folder(lake: HandmadeLake, file: WrittenFile) -> str:
    return file.location.removeprefix(lake.directory).rpartition("/")[0]


def test_the_extension_prunes_our_partitions_rightly(tmp_path: Path) -> None:
    lake = HandmadeLake(tmp_path, PARTITIONED)
    with lake.referee() as referee:
        referee.execute("ALTER TABLE t SET PARTITIONED BY (bucket(4, k), year(ts), s)")

    lake.enter(written(lake, SPLIT_ROWS, partition=_spec(lake.table())))

    with lake.referee() as referee:
        for i in range(40):
            assert referee.rows(f"SELECT k FROM t WHERE k = {i}") == [(i,)]
        assert referee.rows("SELECT count(*) FROM t WHERE s IS NULL") == [(14,)]
        assert referee.rows("SELECT count(*) FROM t WHERE ts < '2020-01-01'") == [(1,)]


def test_the_extension_keeps_the_row_ids_we_write(tmp_path: Path) -> None:
    lake = HandmadeLake(tmp_path, "a BIGINT")
    columns = lake.table().columns
    batch = rows_of((*columns, ROW_ID), "SELECT i, 100 - i FROM range(3) AS r(i)")

    files = write_data_files(Storage(), lake.directory, columns, [batch], internal=(ROW_ID,))
    lake.enter(files)

    with lake.referee() as referee:
        assert referee.rows("SELECT rowid, a FROM t ORDER BY a") == [(100, 0), (99, 1), (98, 2)]


@pytest.mark.parametrize("encrypt", [False, True])
def test_the_extension_applies_our_deletes(tmp_path: Path, *, encrypt: bool) -> None:
    options = {"ENCRYPTED": "true"} if encrypt else {}
    lake = HandmadeLake(tmp_path, "a BIGINT", **options)
    files = written(lake, "SELECT i FROM range(10) AS r(i)", encrypt=encrypt)
    lake.enter(files)

    gone = write_delete_file(
        Storage(), lake.directory, files[0].location, np.array([0, 3, 9]), encrypt=encrypt
    )
    lake.enter_delete(0, gone)

    with lake.referee() as referee:
        left = [row[0] for row in referee.rows("SELECT a FROM t ORDER BY a")]
        assert left == [1, 2, 4, 5, 6, 7, 8]
        assert referee.rows("SELECT count(*) FROM t") == [(7,)]


def test_the_extension_applies_tagged_deletes_by_snapshot(tmp_path: Path) -> None:
    lake = HandmadeLake(tmp_path, "a BIGINT")
    files = written(lake, "SELECT i FROM range(4) AS r(i)")
    lake.enter(files)
    lake.enter(written(lake, "SELECT 100"))

    tags = np.array([3, 4], np.int64)
    gone = write_delete_file(Storage(), lake.directory, files[0].location, np.array([1, 2]), tags)
    lake.enter_delete(0, gone, begin=3)

    with lake.referee() as referee:
        now = referee.rows("SELECT a FROM t WHERE a < 100 ORDER BY a")
        before = referee.rows("SELECT a FROM t AT (VERSION => 3) WHERE a < 100 ORDER BY a")
        assert (now, before) == ([(0,), (3,)], [(0,), (2,), (3,)])
