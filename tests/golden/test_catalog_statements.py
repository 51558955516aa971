"""The SQL each catalog is sent, as text: a change shows up as a diff to review.

`pytest tests/golden --regen-golden` writes the files anew.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal as Number
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy.dialects.mysql.pymysql import MySQLDialect_pymysql
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.schema import CreateTable

from quacklake.catalog import Backend
from quacklake.catalog.backends.duckdb import CachingDialect
from quacklake.catalog.statements import entries, files, inlined, objects, snapshots, window
from quacklake.catalog.statements.scope import Scope
from quacklake.format.partition import Bucket, Part, PartitionKey, PartitionSpec
from quacklake.format.predicate import (
    Compare,
    Comparison,
    IsNotNull,
    IsNull,
    OneOf,
    all_of,
    any_of,
)
from quacklake.format.table import Table, TableName
from quacklake.format.types import Column, Decimal, Kind, List, Scalar
from quacklake.kernel.ids import ColumnId, PartitionId, TableId

FOLDER = Path(__file__).parent / "catalog"
DIALECTS = {
    Backend.DUCKDB: (CachingDialect, "main"),
    Backend.SQLITE: (SQLiteDialect_pysqlite, None),
    Backend.POSTGRES: (PGDialect_psycopg, "public"),
    Backend.MYSQL: (MySQLDialect_pymysql, None),
}
EQ, GE, LT = Comparison.EQ, Comparison.GE, Comparison.LT


def _column(number, name, lake_type):
    return Column(ColumnId(number), name, lake_type)


COLUMNS = tuple(
    _column(number, name, lake_type)
    for number, (name, lake_type) in enumerate(
        {
            "whole": Scalar(Kind.INT64),
            "text": Scalar(Kind.VARCHAR),
            "real": Scalar(Kind.FLOAT64),
            "money": Decimal(18, 3),
            "day": Scalar(Kind.DATE),
            "moment": Scalar(Kind.TIMESTAMP),
            "instant": Scalar(Kind.TIMESTAMPTZ),
            "flag": Scalar(Kind.BOOLEAN),
            "key": Scalar(Kind.UUID),
            "span": Scalar(Kind.INTERVAL),
            "list": List(_column(99, "element", Scalar(Kind.JSON))),
        }.items(),
        start=1,
    )
)
TABLE = Table(TableId(7), UUID(int=7), TableName("main", "t"), "data/main/t/", COLUMNS)
MOMENT = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


def _c(name):
    return TABLE.column(name)


PREDICATES = {
    "whole": Compare(_c("whole"), EQ, 5),
    "whole_range": all_of(Compare(_c("whole"), GE, 5), Compare(_c("whole"), LT, 9)),
    "text": Compare(_c("text"), LT, "x"),
    "real": Compare(_c("real"), Comparison.GT, 1.5),
    "money": Compare(_c("money"), Comparison.LE, Number("1.25")),
    "day": Compare(_c("day"), EQ, date(2026, 1, 2)),
    "moment": Compare(_c("moment"), GE, MOMENT.replace(tzinfo=None)),
    "instant": Compare(_c("instant"), GE, MOMENT),
    "flag": Compare(_c("flag"), Comparison.NE, True),
    "key": Compare(_c("key"), EQ, UUID(int=1)),
    "nulls": all_of(IsNull(_c("whole")), IsNotNull(_c("text"))),
    "either": any_of(OneOf(_c("whole"), (1, 2)), Compare(_c("text"), EQ, "x")),
}
SPECS = tuple(
    PartitionSpec(PartitionId(number), (PartitionKey(0, ColumnId(column), transform),))
    for number, (column, transform) in enumerate(
        [(1, Part.IDENTITY), (1, Bucket(8)), (6, Part.YEAR), (6, Part.DAY)], start=20
    )
)


def _statements(scope):
    """Every statement by its name."""
    simple = {
        "snapshots": (snapshots, "latest with_id before bounds commits"),
        "entries": (entries, "all_tables tables_in table_named timeless columns_ever"),
        "objects": (
            objects,
            "schemas table_names views macros options facts is_installed mappings",
        ),
        "files": (files, "files partition_values file_stats table_stats"),
        "window": (window, "retained unbroken rewrites files"),
    }
    found = {
        f"{title}.{name}": getattr(module, name)(scope)
        for title, (module, names) in simple.items()
        for name in names.split()
    }
    for name, predicate in PREDICATES.items():
        found[f"pruned.{name}"] = files.pruned_files(scope, TABLE, predicate, ())
    week = all_of(
        Compare(_c("moment"), GE, datetime(2026, 1, 2)),  # noqa: DTZ001
        Compare(_c("moment"), LT, datetime(2026, 1, 9)),  # noqa: DTZ001
    )
    both = all_of(PREDICATES["whole"], week)
    found["pruned.by_partition"] = files.pruned_files(scope, TABLE, both, SPECS)
    found["inlined.deletes"] = inlined.inlined_deletes(scope, 7)
    found["inlined.probe"] = inlined.inlined_probe(scope, "ducklake_inlined_data_7_1")
    found["inlined.window_probe"] = inlined.window_probe(scope, "ducklake_inlined_data_7_1")
    found["inlined.rows_born"] = inlined.rows_born(scope, "ducklake_inlined_data_7_1", COLUMNS[:2])
    found["inlined.rows_died"] = inlined.rows_died(scope, "ducklake_inlined_data_7_1", COLUMNS[:2])
    found["window.files_of"] = window.files_of(scope, 7)
    found["window.deletions"] = window.deletions(scope, 7)
    found["inlined.rows"] = inlined.inlined_rows(scope, "ducklake_inlined_data_7_1", COLUMNS)
    return found


def _text(scope, dialect):
    parts = [
        f"-- {name}\n{str(statement.compile(dialect=dialect)).strip()};"
        for name, statement in _statements(scope).items()
    ]
    made = [
        str(CreateTable(table).compile(dialect=dialect)).strip().replace("\t", "    ") + ";"
        for table in scope.tables.values()
    ]
    lines = "\n\n".join([*parts, "-- tables", *made]).splitlines()
    return "\n".join(line.rstrip() for line in lines) + "\n"


@pytest.mark.parametrize("backend", DIALECTS, ids=lambda backend: backend.name.lower())
def test_the_statements_are_those_on_record(backend, request):
    dialect, schema = DIALECTS[backend]
    file = FOLDER / f"{backend.name.lower()}.sql"

    text = _text(Scope(backend, schema), dialect())

    if request.config.getoption("--regen-golden"):
        file.write_text(text)
    assert text == file.read_text()
