"""Spark over a lake: ours against Spark on the same bare files, and DuckDB's extension.

Everything is measured in one run, in turns. A ratio below 1 means that we are faster.
`--quick` is a smoke test at a tenth of the size; its ratios say little. `--only` runs one part.
"""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

import pyarrow as pa
from lakes import duckdb_with_extensions, folder_of_its_own
from report import machine

import quacklake as ql
from quacklake import spark as ql_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from quacklake import Lake

OURS = "Quacklake"
QUERY = "SELECT g, count(*) AS n, sum(v) AS total, max(day) AS last FROM {t} GROUP BY g"


@dataclass(frozen=True, slots=True)
class Size:
    """How large the table is, how many files the listed one has, and how often lines run."""

    rows: int
    files: int
    rounds: int


FULL = Size(rows=20_000_000, files=10_000, rounds=5)
QUICK = Size(rows=2_000_000, files=500, rounds=2)


def in_turns(rounds: int, runs: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """The median seconds of each, after one run that does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    names = list(runs)
    for number in range(rounds + 1):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            before = time.perf_counter()
            runs[name]()
            if number:
                seconds[name].append(time.perf_counter() - before)
    return {name: median(found) for name, found in seconds.items()}


def told(line: str, seconds: Mapping[str, float], goal: str) -> None:
    """One line of the table: our time, and its ratio to every other."""
    ours = seconds[OURS]
    ratios = [f"{ours / other:.2f} of {name}" for name, other in seconds.items() if name != OURS]
    print(f"| {line} | {ours:.2f} s | {', '.join(ratios)} | {goal} |", flush=True)


def source(spark: SparkSession, rows: int) -> DataFrame:
    """Rows that are cheap to compute."""
    return spark.range(0, rows, 1, 4).selectExpr(
        "id",
        "cast(id % 1000 as int) AS g",
        "cast(id % 9973 as double) / 7 AS v",
        "concat('name ', id % 5000) AS s",
        "date_add(date'2020-01-01', cast(id % 2000 as int)) AS day",
    )


def writing(spark: SparkSession, lake: Lake, size: Size) -> None:
    """Writing a frame: ours against Spark's own writer."""
    frame = source(spark, size.rows)
    shape = {"id": "bigint", "g": "int", "v": "double", "s": "varchar", "day": "date"}
    bare = Path("bare").absolute()

    def ours() -> None:
        table = lake.create_table("written", shape)
        table.append(frame)
        lake.drop_table("written")

    def theirs() -> None:
        shutil.rmtree(bare, ignore_errors=True)
        frame.write.parquet(str(bare))

    rounds = max(2, size.rounds - 2)
    seconds = in_turns(rounds, {OURS: ours, "df.write.parquet": theirs})
    told(f"write {size.rows:,} rows", seconds, "≤ 1.2")


def scanning(spark: SparkSession, lake: Lake, size: Size) -> None:
    """Scan and aggregate, without and with deleted rows: from a name, or files, to the answer."""
    shape = {"id": "bigint", "g": "int", "v": "double", "s": "varchar", "day": "date"}
    table = lake.create_table("facts", shape)
    table.append(source(spark, size.rows))
    files = [file.path for file in table.files()]

    def plain(name: str) -> None:
        spark.read.parquet(*files).createOrReplaceTempView(name)

    def from_files() -> None:
        plain("plain")
        spark.sql(QUERY.format(t="plain")).toArrow()

    plain("ready")
    runs: dict[str, Callable[[], object]] = {
        OURS: lambda: lake.sql(QUERY.format(t="facts"), engine="spark").to_arrow(),
        "spark.read.parquet": from_files,
        "Spark on a view made before": lambda: spark.sql(QUERY.format(t="ready")).toArrow(),
        "DuckDB's extension": extension(lake),
    }
    told(f"scan and aggregate {size.rows:,} rows", in_turns(size.rounds, runs), "≤ 1.05 of Spark")
    table.delete("id % 100 = 7")
    # What it costs Spark to number the rows of a file, of which it then leaves none out.
    spark.read.parquet(*files).where("_metadata.row_index >= 0").createOrReplaceTempView("numbered")
    numbering = "Spark numbering rows"
    runs[numbering] = lambda: spark.sql(QUERY.format(t="numbered")).toArrow()
    told("the same with 1 % deleted", in_turns(size.rounds, runs), "≤ 1.3 of Spark without")


def extension(lake: Lake) -> Callable[[], pa.Table]:
    """The same query by DuckDB's own extension."""
    connection = duckdb_with_extensions()
    target = lake.label.removeprefix("sqlite:///")
    connection.execute(f"ATTACH 'ducklake:sqlite:{target}' AS spark_lake")
    return lambda: connection.execute(QUERY.format(t="spark_lake.facts")).to_arrow_table()


def planning(spark: SparkSession, lake: Lake, size: Size) -> None:
    """From a call to a DataFrame, with many files."""
    table = lake.create_table("listed", {"k": "int", "v": "int"}, partition_by=["k"])
    keys = pa.array(range(size.files), pa.int32())
    table.append(pa.table({"k": keys, "v": keys}))
    files = [file.path for file in table.files()]
    # A list of files, and a schema: Spark has nothing to look up that we have not.
    schema = table.scan().to_spark(spark).schema
    runs = {
        OURS: lambda: table.scan().to_spark(spark),
        "spark.read.parquet": lambda: spark.read.schema(schema).parquet(*files),
    }
    told(f"plan {size.files:,} files", in_turns(3, runs), "below 1")


PARTS: Final[dict[str, Callable[[SparkSession, Lake, Size], None]]] = {
    "scan": scanning,
    "write": writing,
    "plan": planning,
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the size")
    parser.add_argument("--only", choices=list(PARTS), help="one part of the table")
    given = parser.parse_args()
    size = QUICK if given.quick else FULL
    chosen = [PARTS[given.only]] if given.only else list(PARTS.values())
    print(machine())
    with folder_of_its_own():
        spark = ql_spark.session()
        address = f"sqlite:///{Path('bench.sqlite').absolute()}"
        with ql.connect(address, data_path="data/", engine="spark") as lake:
            print("\n| line | ours | ours over | goal |\n|---|---|---|---|")
            for part in chosen:
                part(spark, lake, size)
        spark.stop()


if __name__ == "__main__":
    main()
