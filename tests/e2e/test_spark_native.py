"""Files that Spark's own writer made are files of the lake, to us and to stock DuckDB."""

from __future__ import annotations

import math
import sqlite3
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import quacklake as ql
from quacklake.engine.spark import native
from tests.support.referee import Referee
from tests.support.spark import ONE_WORKER

pytestmark = ONE_WORKER

COLUMNS = {
    "id": "bigint",
    "flag": "boolean",
    "tiny": "tinyint",
    "short": "smallint",
    "whole": "integer",
    "single": "float",
    "ratio": "double",
    "small": "decimal(7, 2)",
    "medium": "decimal(18, 4)",
    "large": "decimal(38, 10)",
    "name": "varchar",
    "raw": "blob",
    "day": "date",
    "seen": "timestamp",
    "moment": "timestamptz",
    "pair": "struct(x integer, deep struct(y varchar))",
}


def row(number: int) -> dict[str, object]:
    return {
        "id": number,
        "flag": number % 2 == 0,
        "tiny": number % 128 - 64,
        "short": -number,
        "whole": number * 1_000,
        "single": number / 8,
        "ratio": -0.0 if number == 3 else number / 7,
        "small": Decimal(number) / 100,
        "medium": Decimal(-number) / 10_000,
        "large": Decimal(f"12345678901234567890.{number:010}"),
        "name": "" if number == 1 else f"näme {number}",
        "raw": bytes([0, 255, number % 256]),
        "day": date(1, 1, 2) if number == 5 else date(2026, 1, 1 + number % 28),
        "seen": datetime(1400, 1, 1, second=number % 60, microsecond=number),  # noqa: DTZ001
        "moment": datetime(2026, 11, 1, 3, number % 60, tzinfo=UTC),
        "pair": None if number == 2 else {"x": number, "deep": {"y": str(number)}},
    }


@pytest.fixture
def lake(tmp_path):
    with ql.connect(f"sqlite:///{tmp_path}/c.sqlite", data_path=f"{tmp_path}/data/") as lake:
        yield lake


def given(lake, spark, rows, columns=COLUMNS):
    """The rows in a table that our own writer wrote, and as a frame over it."""
    lake.set_option("data_inlining_row_limit", 0)
    table = lake.create_table("given", columns)
    table.append(pa.Table.from_pylist(rows, schema=table.to_arrow().schema))
    return table, table.scan().to_spark(spark)


def paths(tmp_path, table):
    return [path for path in Path(tmp_path, "data").rglob("*") if path.name in names(table)]


def names(table):
    return {file.path.rpartition("/")[2] for file in table.files()}


def statistics(tmp_path, table):
    with sqlite3.connect(tmp_path / "c.sqlite") as catalog:
        return catalog.execute(
            """SELECT column_id, sum(value_count), sum(null_count), min(contains_nan),
            min(min_value), max(max_value) FROM ducklake_file_column_stats s
            JOIN ducklake_table t USING (table_id) WHERE table_name = ?
            GROUP BY column_id ORDER BY column_id""",
            [table],
        ).fetchall()


def test_every_type_arrives_and_is_known_as_if_we_had_written_it(lake, spark, tmp_path):
    nothing = dict.fromkeys(COLUMNS) | {"id": 1_000}
    expected, frame = given(lake, spark, [*map(row, range(100)), nothing])
    table = lake.create_table("t", COLUMNS)

    assert table.append(frame).inserted == 101

    (path,) = paths(tmp_path, table)
    footer = pq.read_metadata(path)
    assert "parquet-mr" in footer.created_by
    (file,) = table.files()
    assert (file.size_bytes, file.rows) == (path.stat().st_size, 101)
    assert path.read_bytes()[-8:-4] == footer.serialized_size.to_bytes(4, "little")
    assert table.to_arrow().sort_by("id").equals(expected.to_arrow().sort_by("id"))
    own, sparks = statistics(tmp_path, "given"), statistics(tmp_path, "t")
    # Truth is spelled as for files that were added, and of bytes no bounds are taken over.
    other = [list(COLUMNS).index(name) + 1 for name in ("flag", "raw")]
    assert [each for each in own if each[0] not in other] == [
        each for each in sparks if each[0] not in other
    ]
    with Referee(f"sqlite:{tmp_path}/c.sqlite") as referee:
        rows = [referee.rows(f"SELECT * FROM {name} ORDER BY id") for name in ("given", "t")]
        assert rows[0] == rows[1]
        referee.execute("UPDATE t SET name = 'new' WHERE id < 50")
        referee.execute("CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0)")
    assert table.scan(filter="name = 'new'").to_arrow().num_rows == 50


def test_not_a_number_is_in_no_bound_and_always_found(lake, spark, tmp_path):
    values = [math.nan if number % 10 == 0 else number / 2 for number in range(100)]
    rows = [{"id": n, "x": v, "y": 1.5} for n, v in enumerate(values)]
    _, frame = given(lake, spark, rows, {"id": "bigint", "x": "double", "y": "float"})
    table = lake.create_table("t", {"id": "bigint", "x": "double", "y": "float"})

    table.append(frame)

    _, x, y = statistics(tmp_path, "t")
    assert x[3:] == (None, None, None)
    assert y[3:] == (0, "1.5", "1.5")
    assert table.scan(filter="x > 1000").to_arrow().num_rows == 10
    with Referee(f"sqlite:{tmp_path}/c.sqlite") as referee:
        assert referee.rows("SELECT count(*) FROM t WHERE x > 1000") == [(10,)]


def test_columns_are_matched_by_name_and_found_by_id_afterwards(lake, spark):
    lake.set_option("data_inlining_row_limit", 0)
    columns = {"id": "bigint", "a b": "varchar", "Ünit`x": "integer", "s": "struct(x int, y int)"}
    table = lake.create_table("t", columns)
    frame = spark.range(100).selectExpr(
        "named_struct('x', int(id), 'y', int(-id)) AS S",
        "int(id) AS `ünit``x`",
        "id AS ID",
        "string(id) AS `A b`",
    )

    table.append(frame)
    for old, new in (("id", "c"), ("a b", "id"), ("s.x", "z")):
        table.rename_column(old, new)

    found = table.to_arrow().sort_by("c").to_pylist()
    assert found[7] == {"c": 7, "id": "7", "Ünit`x": 7, "s": {"z": 7, "y": -7}}


def test_options_of_the_table_are_heeded(lake, spark, tmp_path):
    lake.set_option("parquet_row_group_size", "1000")
    lake.set_option("parquet_compression", "zstd")
    lake.set_option("target_file_size", "40KB")
    table = lake.create_table("t", {"id": "bigint", "v": "bigint"})

    table.append(spark.range(0, 20_000, 1, 2).selectExpr("id", "id * 2 AS v"))

    written = [pq.read_metadata(path) for path in paths(tmp_path, table)]
    assert len(written) == 8
    assert {each.row_group(0).column(0).compression for each in written} == {"ZSTD"}
    assert max(each.row_group(0).num_rows for each in written) == 1_000
    assert {file.rows for file in table.files()} == {2_500}


def test_few_rows_stay_in_the_catalog(lake, spark, tmp_path):
    table = lake.create_table("t", {"id": "bigint"})

    assert table.append(spark.range(3)).inserted == 3
    assert table.append(spark.range(0)).inserted == 0

    assert table.files() == ()
    assert left_over(tmp_path) == []
    assert table.to_arrow().num_rows == 3


@pytest.mark.parametrize("problem", ["null", "error"])
def test_a_failure_leaves_nothing(lake, spark, tmp_path, problem):
    table = lake.create_table("t", {"id": "bigint", "v": "bigint"})
    table.set_not_null("v")
    wrong = "if(id = 700, NULL, id)" if problem == "null" else "raise_error('no')"

    with pytest.raises(ql.QuacklakeError, match="NOT NULL" if problem == "null" else "no"):
        table.append(spark.range(1_000).selectExpr("id", f"bigint({wrong}) AS v"))

    assert left_over(tmp_path) == []
    assert not list(Path(tmp_path, "data").rglob("*-spark"))
    assert table.append(spark.range(100).selectExpr("id", "id AS v")).inserted == 100


def test_a_struct_that_may_not_be_null_is_checked_too(lake, spark):
    table = lake.create_table("t", {"id": "bigint", "s": "struct(x integer)"})
    table.set_not_null("s")
    struct = "if(id = 700, NULL, named_struct('x', int(id)))"

    with pytest.raises(ql.UsageError, match="NOT NULL"):
        table.append(spark.range(1_000).selectExpr("id", f"{struct} AS s"))

    assert table.to_arrow().num_rows == 0


def test_rows_in_files_that_are_not_seen_here_are_missed(lake, spark, tmp_path, monkeypatch):
    table = lake.create_table("t", {"id": "bigint"})
    run = native._run

    def elsewhere(frame, writing, place):
        # What executors write to disks of their own is not on this one.
        count = run(frame, writing, place)
        next(iter(place.glob("*.parquet"))).unlink()
        return count

    monkeypatch.setattr(native, "_run", elsewhere)
    with pytest.raises(ql.Unavailable, match="500 rows"):
        table.append(spark.range(0, 1_000, 1, 2))

    assert left_over(tmp_path) == []
    assert table.to_arrow().num_rows == 0


@pytest.mark.parametrize("kind", ["integer[]", "map(varchar, integer)", "uuid", "timestamp_ns"])
def test_what_spark_cannot_say_is_written_by_workers(lake, spark, tmp_path, kind):
    values = {
        "integer[]": [1, None],
        "map(varchar, integer)": [("a", 1)],
        "uuid": "f79c3e09-677c-4bbd-a479-3f349cb785e7",
        "timestamp_ns": 123,
    }
    _, frame = given(lake, spark, [{"id": 1, "x": values[kind]}], {"id": "bigint", "x": kind})
    table = lake.create_table("t", {"id": "bigint", "x": kind})

    table.append(frame)

    (path,) = paths(tmp_path, table)
    assert "arrow" in pq.read_metadata(path).created_by
    assert table.to_arrow().equals(lake.table("given").to_arrow())


def test_what_a_killed_job_left_is_found_by_clean_up(lake, tmp_path):
    table = lake.create_table("t", {"id": "bigint"})
    table.append(pa.table({"id": list(range(100))}))
    (path,) = paths(tmp_path, table)
    left = path.parent / "ducklake-01a1e331-1031-7bdd-b266-ff6c70be906e-spark/_temporary/0"
    left.mkdir(parents=True)
    (left / "part-00000.snappy.parquet").write_bytes(b"half")
    (path.parent / "part-00000.snappy.parquet").write_bytes(b"somebody's")

    lake.delete_orphaned_files(older_than=datetime.now(UTC) + timedelta(hours=1))

    assert left_over(tmp_path) == [path.name, "part-00000.snappy.parquet"]


def left_over(tmp_path) -> list[str]:
    found = (path for path in Path(tmp_path, "data").rglob("*") if path.is_file())
    return sorted(path.name for path in found)
