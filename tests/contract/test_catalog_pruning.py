"""Which files a predicate leaves, on every kind of catalog."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from uuid import UUID

import pytest

from quacklake.catalog import open_catalog
from quacklake.format.predicate import (
    ANYTHING,
    NOTHING,
    Compare,
    Comparison,
    IsNotNull,
    IsNull,
    OneOf,
    all_of,
    any_of,
)
from quacklake.format.snapshot import Latest
from quacklake.format.table import TableName
from tests.support.lakes import ALL, lakes_on

EQ, NE, LT = Comparison.EQ, Comparison.NE, Comparison.LT
LE, GT, GE = Comparison.LE, Comparison.GT, Comparison.GE
NO_INLINING = "CALL lake.set_option('data_inlining_row_limit', 0)"
T = TableName("main", "t")


def utc(*parts):
    return datetime(*parts, tzinfo=UTC)


def unzoned(*parts):
    return datetime(*parts)  # noqa: DTZ001


# One row per file: the files are numbered by their place in this list.
ROWS = [
    (
        "10, 'apple', -1.5, 1.25, '2020-01-01', '2020-01-01 00:00:00', '2020-01-01 00:00:00+00', "
        "'01:00:00', true, '00000000-0000-0000-0000-000000000001', 1, 0.1"
    ),
    (
        "20, 'banana', 2.5, 10.50, '2020-02-01', '2020-02-01 12:30:00.5', "
        "'2020-02-01 00:00:00+00', '12:30:00.25', false, "
        "'80000000-0000-0000-0000-000000000000', 18446744073709551615, 0.2"
    ),
    "NULL, NULL, 'nan', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL",
    (
        "-5, 'ünïcödé', 9.0, -7.00, 'infinity', 'infinity', 'infinity', '23:59:59', true, "
        "'ffffffff-ffff-ffff-ffff-ffffffffffff', 0, 16777216"
    ),
]
CASES = {
    "equal": (("a", EQ, 20), [1]),
    "equal to nothing": (("a", EQ, 15), []),
    "unequal": (("a", NE, 10), [1, 3]),
    "below": (("a", LT, 10), [3]),
    "at most": (("a", LE, 10), [0, 3]),
    "above": (("a", GT, 10), [1]),
    "at least": (("a", GE, 10), [0, 1]),
    "above a fraction": (("a", GT, Decimal("19.5")), [1]),
    "equal to a fraction": (("a", EQ, Decimal("19.5")), []),
    "far beyond the type": (("a", LT, 10**30), [0, 1, 3]),
    "text equal": (("s", EQ, "banana"), [1]),
    "text in byte order": (("s", GT, "b"), [1, 3]),
    "text upper case is lower": (("s", LT, "a"), []),
    "text with a trailing space": (("s", EQ, "apple "), []),
    "text unequal": (("s", NE, "apple"), [1, 3]),
    "text with a quote": (("s", EQ, "it's"), []),
    "text with NUL": (("s", EQ, "a\0b"), [0, 1, 3]),
    "float above keeps NaN": (("f", GT, 3.0), [2, 3]),
    "float below drops NaN": (("f", LT, 0.0), [0, 2]),
    "float NaN": (("f", EQ, float("nan")), [0, 1, 2, 3]),
    "decimal": (("d", GE, Decimal("1.25")), [0, 1]),
    "decimal above": (("d", GT, Decimal("1.26")), [1]),
    "date": (("day", EQ, date(2020, 2, 1)), [1, 3]),
    "date below keeps infinity out of reach": (("day", LT, date(2020, 2, 1)), [0, 3]),
    "timestamp": (("ts", LT, unzoned(2020, 1, 1)), [3]),
    "timestamp at most": (("ts", LE, unzoned(2020, 1, 1)), [0, 3]),
    "timestamp later in the second": (("ts", GT, unzoned(2020, 1, 1, 0, 0, 1)), [1, 3]),
    "timestamp zoned": (("tz", GE, utc(2020, 2, 1)), [1, 3]),
    "timestamp without its zone": (("tz", GE, unzoned(2020, 2, 1)), [0, 1, 3]),
    "time": (("tm", GT, time(1, 0, 0)), [0, 1, 3]),
    "time below": (("tm", LT, time(1, 0, 0)), []),
    "boolean": (("ok", EQ, False), [1]),
    "boolean unequal": (("ok", NE, False), [0, 3]),
    "uuid": (("u", GT, UUID(int=1)), [1, 3]),
    "uuid equal": (("u", EQ, UUID(int=2**127)), [1]),
    "unsigned 64": (("big", EQ, 2**64 - 1), [1]),
    "unsigned 64 above": (("big", GT, 2**63), [1]),
    "float32 as a double": (("f4", EQ, 0.10000000149011612), [0]),
}


@pytest.fixture(scope="module", params=ALL, ids=lambda backend: backend.name.lower())
def plain(request, tmp_path_factory):
    """A lake with one file per row of `ROWS`."""
    return lakes_on(request.param, request, tmp_path_factory.mktemp("plain")).written(
        NO_INLINING,
        "CREATE TABLE t (a INT, s VARCHAR, f DOUBLE, d DECIMAL(9,2), day DATE, ts TIMESTAMP, "
        "tz TIMESTAMPTZ, tm TIME, ok BOOLEAN, u UUID, big UBIGINT, f4 FLOAT)",
        *(f"INSERT INTO t VALUES ({row})" for row in ROWS),
    )


def _left(reader, predicate_of):
    """The places, among all files, of those a predicate leaves."""
    at = reader.snapshot(Latest())
    table = reader.table(T, at)
    places = {file.id: place for place, file in enumerate(reader.files(table, at))}
    return [places[file.id] for file in reader.files(table, at, predicate_of(table))]


@pytest.mark.parametrize("case", CASES)
def test_a_comparison_leaves_the_files_whose_range_allows_it(plain, reader_of, case):
    (column, op, value), expected = CASES[case]

    left = _left(reader_of(plain), lambda t: Compare(t.column(column), op, value))

    assert left == expected


def test_combinations_leave_what_their_parts_leave(plain, reader_of):
    reader = reader_of(plain)

    def left(build):
        return _left(reader, lambda t: build(t.column))

    assert left(lambda c: ANYTHING) == [0, 1, 2, 3]
    assert left(lambda c: NOTHING) == []
    assert left(lambda c: IsNull(c("a"))) == [2]
    assert left(lambda c: IsNotNull(c("s"))) == [0, 1, 3]
    assert left(lambda c: OneOf(c("a"), (10, -5))) == [0, 3]
    assert left(lambda c: OneOf(c("a"), ())) == []
    assert left(lambda c: OneOf(c("a"), tuple(range(11, 200)))) == [1]
    ranged = (("a", GE, 0), ("a", LT, 15))
    assert left(lambda c: all_of(*(Compare(c(n), op, v) for n, op, v in ranged))) == [0]
    either = (("a", EQ, 20), ("s", EQ, "ünïcödé"))
    assert left(lambda c: any_of(*(Compare(c(n), op, v) for n, op, v in either))) == [1, 3]
    assert left(lambda c: any_of(Compare(c("a"), EQ, 20), IsNull(c("a")))) == [1, 2]
    mixed = lambda c: all_of(  # noqa: E731
        IsNotNull(c("a")),
        any_of(Compare(c("a"), GT, 15), all_of(Compare(c("s"), LT, "b"), Compare(c("a"), LT, 99))),
    )
    assert left(mixed) == [0, 1]


def test_files_without_statistics_stay(lakes, reader_of):
    place = lakes.written(
        NO_INLINING,
        "CREATE TABLE t (a INT)",
        "INSERT INTO t VALUES (1)",
        "ALTER TABLE t ADD COLUMN b INT DEFAULT 7",
        "INSERT INTO t VALUES (2, 2)",
    )

    left = _left(reader_of(place), lambda t: Compare(t.column("b"), EQ, 7))

    assert left == [0]


def test_statistics_of_a_former_type_prune_nothing_wrongly(lakes, reader_of):
    place = lakes.written(
        NO_INLINING,
        "CREATE TABLE t (a BOOLEAN, d DATE, f FLOAT, i INT, ts TIMESTAMP)",
        "INSERT INTO t VALUES (true, '2020-01-01', 0.1, 9, '2020-01-01 00:00:00')",
        "ALTER TABLE t ALTER a SET DATA TYPE INT",
        "ALTER TABLE t ALTER d SET DATA TYPE TIMESTAMP",
        "ALTER TABLE t ALTER f SET DATA TYPE DOUBLE",
        "ALTER TABLE t ALTER i SET DATA TYPE DECIMAL(18, 3)",
        "ALTER TABLE t ALTER ts SET DATA TYPE TIMESTAMPTZ",
        "INSERT INTO t VALUES (5, '2021-01-01 10:00:00', 0.5, 10.125, '2022-01-01 00:00:00+00')",
    )
    reader = reader_of(place)

    def left(column, op, value):
        return _left(reader, lambda t: Compare(t.column(column), op, value))

    assert left("a", EQ, 1) == [0]
    assert left("d", EQ, unzoned(2020, 1, 1)) == [0]
    assert left("d", GT, unzoned(2020, 6, 1)) == [1]
    assert 0 in left("f", EQ, 0.10000000149011612)
    assert left("f", EQ, 0.5) == [1]
    assert left("i", EQ, Decimal(9)) == [0]
    assert left("i", GT, Decimal("9.5")) == [1]
    assert left("ts", EQ, utc(2019, 12, 31, 12)) == [0]


def test_identity_partitions_are_pruned_by_value(lakes, reader_of):
    place = lakes.written(
        NO_INLINING,
        "CREATE TABLE t (k VARCHAR, n INT)",
        "INSERT INTO t VALUES ('before', 1)",
        "ALTER TABLE t SET PARTITIONED BY (k, n)",
        "INSERT INTO t VALUES ('b', 10)",
        "INSERT INTO t VALUES ('', 9)",
        "INSERT INTO t VALUES (NULL, NULL)",
    )
    _forget_statistics(place)
    reader = reader_of(place)

    def left(build):
        return _left(reader, build)

    assert left(lambda t: Compare(t.column("k"), EQ, "b")) == [0, 1]
    assert left(lambda t: Compare(t.column("k"), NE, "b")) == [0, 2]
    assert left(lambda t: Compare(t.column("n"), GT, 9)) == [0, 1]
    assert left(lambda t: IsNull(t.column("n"))) == [0, 3]
    assert left(lambda t: IsNotNull(t.column("n"))) == [0, 1, 2]
    assert left(lambda t: OneOf(t.column("k"), ("", "zzz"))) == [0, 2]


def test_calendar_partitions_are_pruned_by_the_span_asked_for(lakes, reader_of):
    moments = ["2020-01-15 01:00:00", "2020-06-15 13:00:00", "2021-01-20 13:00:00"]
    place = lakes.written(
        NO_INLINING,
        "CREATE TABLE t (y TIMESTAMP, m TIMESTAMP, d TIMESTAMP, h TIMESTAMP)",
        "ALTER TABLE t SET PARTITIONED BY (year(y), month(m), day(d), hour(h))",
        *(f"INSERT INTO t VALUES ('{m}', '{m}', '{m}', '{m}')" for m in moments),
        "INSERT INTO t VALUES ('infinity', 'infinity', 'infinity', 'infinity')",
        "INSERT INTO t VALUES (NULL, NULL, NULL, NULL)",
    )
    _forget_statistics(place)
    reader = reader_of(place)

    def left(column, low, high):
        return _left(
            reader,
            lambda t: all_of(
                Compare(t.column(column), GE, low), Compare(t.column(column), LT, high)
            ),
        )

    assert left("y", unzoned(2021, 1, 1), unzoned(2021, 2, 1)) == [2, 3, 4]
    assert left("m", unzoned(2020, 1, 1), unzoned(2020, 2, 1)) == [0, 2, 3, 4]
    assert left("m", unzoned(2019, 12, 1), unzoned(2020, 1, 2)) == [0, 2, 3, 4]
    assert left("m", unzoned(2019, 1, 1), unzoned(2021, 1, 1)) == [0, 1, 2, 3, 4]
    assert left("d", unzoned(2020, 6, 14), unzoned(2020, 6, 16)) == [0, 1, 3, 4]
    assert left("h", unzoned(2020, 6, 15, 12, 30), unzoned(2020, 6, 15, 13, 30)) == [1, 2, 3, 4]
    later = _left(reader, lambda t: Compare(t.column("y"), GT, unzoned(2020, 12, 31)))
    assert later == [0, 1, 2, 3, 4]
    assert _left(reader, lambda t: Compare(t.column("y"), GT, unzoned(2021, 1, 1))) == [2, 3, 4]
    assert _left(reader, lambda t: IsNull(t.column("y"))) == [3, 4]


def test_buckets_are_pruned_by_hash_and_only_under_their_own_specification(lakes, reader_of):
    place = lakes.written(
        NO_INLINING,
        "CREATE TABLE t (a BIGINT, s VARCHAR)",
        "INSERT INTO t VALUES (1, 'x')",
        "ALTER TABLE t SET PARTITIONED BY (bucket(4, a))",
        *(f"INSERT INTO t VALUES ({n}, 'x')" for n in range(6)),
        "INSERT INTO t VALUES (NULL, 'x')",
        "ALTER TABLE t SET PARTITIONED BY (bucket(16, s))",
        "INSERT INTO t VALUES (3, 'y')",
    )
    buckets = _forget_statistics(place)
    reader = reader_of(place)

    for wanted in range(6):
        left = _left(reader, lambda t, w=wanted: Compare(t.column("a"), EQ, w))
        same = [n + 1 for n in range(6) if buckets[n + 1] == buckets[wanted + 1]]
        assert left == [0, *same, 8]
    assert _left(reader, lambda t: IsNull(t.column("a"))) == [0, 7, 8]
    assert 8 not in _left(reader, lambda t: Compare(t.column("s"), EQ, "x"))
    assert 8 in _left(reader, lambda t: Compare(t.column("s"), GT, "x"))


def test_buckets_of_a_former_type_prune_nothing(lakes, reader_of):
    place = lakes.written(
        NO_INLINING,
        "CREATE TABLE t (a UINTEGER)",
        "ALTER TABLE t SET PARTITIONED BY (bucket(64, a))",
        "INSERT INTO t VALUES (1)",
    )
    _forget_statistics(place)
    with open_catalog(place.location) as catalog, catalog._engine.begin() as connection:
        columns = catalog.scope.tables["column"]
        row = dict(connection.execute(columns.select()).mappings().one())
        connection.execute(columns.update().values(end_snapshot=4))
        row.update(begin_snapshot=4, column_type="int64")
        connection.execute(columns.insert().values(row))
        snapshots = catalog.scope.tables["snapshot"]
        connection.execute(
            snapshots.update().where(snapshots.c.snapshot_id == 3).values(snapshot_id=4)
        )

    assert _left(reader_of(place), lambda t: Compare(t.column("a"), EQ, 1)) == [0]


def _forget_statistics(place):
    """Leave only partition values to prune by; return them by the place of their file."""
    with open_catalog(place.location) as catalog:
        with catalog._engine.begin() as connection:
            connection.execute(catalog.scope.tables["file_column_stats"].delete())
        with catalog.read() as reader:
            at = reader.snapshot(Latest())
            table = reader.table(T, at)
            values = reader.partition_values(table, at)
            return [values.get(file.id) for file in reader.files(table, at)]
