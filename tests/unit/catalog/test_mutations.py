"""Mutations become few statements, in order."""

from __future__ import annotations

from uuid import UUID

import pyarrow as pa
import pytest
from sqlalchemy.dialects import mysql, postgresql, sqlite
from sqlalchemy.sql import text

from quacklake.catalog import Backend
from quacklake.catalog.mutations import (
    CreateInlined,
    Delete,
    DropInlined,
    End,
    EndInlined,
    Insert,
    InsertInlined,
    InsertInlinedDeletes,
    RemoveInlined,
    Update,
)
from quacklake.catalog.statements.mutations import planned
from quacklake.catalog.statements.scope import Scope
from quacklake.catalog.statements.work import Define, Direct, Drop, Load
from quacklake.format.types import Column, Kind, Scalar

SCOPE = Scope(Backend.SQLITE, None)
DIALECTS = {
    Backend.SQLITE: sqlite.dialect(),
    Backend.POSTGRES: postgresql.dialect(),
    Backend.MYSQL: mysql.dialect(),
    Backend.DUCKDB: postgresql.dialect(),
}
TAG = (1, 1, None, "k", "v")
COLUMNS = (Column(1, "a", Scalar(Kind.INT32)), Column(2, "S", Scalar(Kind.VARCHAR)))
ROWS = pa.table(
    [pa.array([5]), pa.array([1], pa.int32()), pa.array(["x"])], names=["row_id", "a", "S"]
)


def work(*mutations, scope=SCOPE):
    return list(planned(scope, mutations))


def sql(statement, backend=Backend.SQLITE):
    compiled = statement.compile(dialect=DIALECTS[backend])
    return " ".join(str(compiled).split())


def test_neighbouring_inserts_into_one_table_are_one_statement():
    found = work(Insert("tag", (TAG,)), Insert("tag", (TAG, TAG)), Insert("column_tag", ()))

    assert len(found) == 1
    assert len(found[0].parameters) == 3


def test_an_insert_between_others_keeps_its_place():
    found = work(
        Insert("tag", (TAG,)), Insert("table_stats", ((1, 2, 3, 4),)), Insert("tag", (TAG,))
    )

    assert [each.sql.table.name for each in found] == [
        "ducklake_tag",
        "ducklake_table_stats",
        "ducklake_tag",
    ]


def test_updates_that_differ_in_values_are_one_statement():
    found = work(
        *(Update("table_stats", (("table_id", i),), (("record_count", i * 10),)) for i in range(3))
    )

    assert len(found) == 1
    assert found[0].parameters == [
        {"where_table_id": i, "to_record_count": i * 10} for i in range(3)
    ]


def test_duckdb_gets_updates_of_different_rows_as_one_statement():
    scope = Scope(Backend.DUCKDB, "main")
    first, second = (
        Update("table_stats", (("table_id", i),), (("record_count", i),)) for i in range(2)
    )

    (joined,) = work(first, second, scope=scope)
    (ordered,) = work(first, second, first, scope=scope)

    assert joined.sql == (
        'UPDATE "main"."ducklake_table_stats" AS old SET "record_count" = new.v0 '
        'FROM (VALUES (?, ?), (?, ?)) AS new(w0, v0) WHERE old."table_id" = new.w0'
    )
    assert joined.parameters == (0, 0, 1, 1)
    assert len(ordered.parameters) == 3


@pytest.mark.parametrize("where", [(("table_id", None),), (("table_id", (1, 2)),)])
def test_updates_with_other_conditions_stand_alone(where):
    update = Update("table_stats", where, (("record_count", 1),))

    assert len(work(update, update)) == 2


def test_rows_are_as_wide_as_their_table():
    with pytest.raises(ValueError, match="zip"):
        work(Insert("tag", ((1, 2),)))


def test_only_live_rows_are_ended():
    (found,) = work(End("data_file", (("table_id", 3),), 9))

    assert sql(found.sql) == (
        "UPDATE ducklake_data_file SET end_snapshot=? "
        "WHERE ducklake_data_file.end_snapshot IS NULL AND ducklake_data_file.table_id = ?"
    )


def test_a_condition_without_values_changes_nothing():
    assert work(Delete("data_file", (("data_file_id", ()),))) == []


def test_many_values_become_several_statements():
    found = work(Delete("data_file", (("data_file_id", tuple(range(2500))),)))

    assert len(found) == 3


def test_a_condition_among_values_may_include_null():
    (found,) = work(Delete("tag", (("key", (None, "a")), ("value", None))))

    assert sql(found.sql) == (
        'DELETE FROM ducklake_tag WHERE (ducklake_tag."key" IS NULL OR '
        'ducklake_tag."key" IN (__[POSTCOMPILE_key_1])) AND ducklake_tag.value IS NULL'
    )


def test_uuids_are_given_as_text():
    identity = UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7")
    (found,) = work(Insert("schema", ((1, identity, 1, None, "s", "s/", True),)))

    assert found.parameters[0]["schema_uuid"] == str(identity)


def test_duckdb_gets_few_rows_as_parameters_and_many_as_arrow():
    scope = Scope(Backend.DUCKDB, "main")

    (few,) = work(Insert("tag", (TAG,) * 20), scope=scope)
    (many,) = work(Insert("tag", (TAG,) * 21), scope=scope)

    assert isinstance(few, Direct)
    assert len(few.parameters) == 100
    assert isinstance(many, Load)
    assert many.rows.num_rows == 21


def test_inlined_rows_are_inserted_by_position():
    (found,) = work(InsertInlined(1, 2, COLUMNS, ROWS, 7))

    assert str(found.sql) == str(
        text('INSERT INTO "ducklake_inlined_data_1_2" VALUES (:p0, :p1, :p2, :p3, :p4)')
    )
    assert found.parameters == [{"p0": 5, "p1": 7, "p2": None, "p3": 1, "p4": "x"}]


def test_no_inlined_rows_are_no_work():
    assert work(InsertInlined(1, 2, COLUMNS, ROWS.slice(0, 0), 7)) == []


def test_strings_are_bytes_on_postgres():
    (found,) = work(
        InsertInlined(1, 2, COLUMNS, ROWS, 7), scope=Scope(Backend.POSTGRES, 'od:d "schema"')
    )

    assert found.parameters[0]["p4"] == b"x"
    assert '"od\\:d ""schema"""."ducklake_inlined_data_1_2"' in str(found.sql.text) or (
        '"od:d ""schema"""."ducklake_inlined_data_1_2"' in str(found.sql)
    )


def test_an_inlined_table_is_made_and_registered():
    made, registered = work(CreateInlined(1, 2, COLUMNS))

    assert isinstance(made, Define)
    assert sql(made.create) == (
        "CREATE TABLE ducklake_inlined_data_1_2 ( row_id BIGINT, begin_snapshot BIGINT, "
        'end_snapshot BIGINT, a BIGINT, "S" VARCHAR )'
    )
    assert registered.parameters == [
        {"table_id": 1, "table_name": "ducklake_inlined_data_1_2", "schema_version": 2}
    ]


def test_an_inlined_table_is_unregistered_before_it_is_dropped():
    unregistered, dropped = work(DropInlined(1, 2))

    assert sql(unregistered.sql).startswith("DELETE FROM ducklake_inlined_data_tables")
    assert isinstance(dropped, Drop)
    assert sql(dropped.drop) == "DROP TABLE IF EXISTS ducklake_inlined_data_1_2"


def test_rows_of_the_same_commit_are_not_ended():
    (found,) = work(EndInlined(1, 2, (5, 6), 9))

    assert "end_snapshot IS NULL" in sql(found.sql)
    assert "begin_snapshot != ?" in sql(found.sql)


def test_flushed_rows_are_those_begun_until_then():
    (found,) = work(RemoveInlined(1, 2, 9))

    assert sql(found.sql) == (
        "DELETE FROM ducklake_inlined_data_1_2 WHERE ducklake_inlined_data_1_2.begin_snapshot <= ?"
    )


def test_the_table_of_inlined_deletes_is_made_if_it_is_absent():
    made, inserted = work(InsertInlinedDeletes(4, ((1, 2), (1, 3)), 9))

    assert sql(made.create) == (
        "CREATE TABLE IF NOT EXISTS ducklake_inlined_delete_4 "
        "( file_id BIGINT, row_id BIGINT, begin_snapshot BIGINT )"
    )
    assert [tuple(row.values()) for row in inserted.parameters] == [(1, 2, 9), (1, 3, 9)]
