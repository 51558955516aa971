"""Schemas, tables, views, macros and options at a snapshot, on every kind of catalog."""

from __future__ import annotations

from functools import cache

import duckdb
import pytest
from sqlalchemy import event

from quacklake.catalog import Option, open_catalog
from quacklake.format.partition import Bucket, Part
from quacklake.format.snapshot import AtVersion, Latest
from quacklake.format.sqltypes import sql_type
from quacklake.format.table import TableName
from quacklake.format.types import Kind, List, Map, Scalar, Struct
from quacklake.kernel.errors import CorruptLake, NotFound
from quacklake.kernel.ids import SnapshotId

EVOLUTION = (
    "CREATE SCHEMA s",
    "CREATE TABLE s.t (a INT NOT NULL, b VARCHAR DEFAULT 'it''s', st STRUCT(x INT, y VARCHAR[]))",
    "ALTER TABLE s.t ADD COLUMN c DECIMAL(9,2) DEFAULT 1.50",
    "ALTER TABLE s.t RENAME COLUMN a TO id",
    "ALTER TABLE s.t ALTER COLUMN id SET DATA TYPE BIGINT",
    "ALTER TABLE s.t ADD COLUMN st.z DOUBLE",
    "ALTER TABLE s.t DROP COLUMN st.x",
    "ALTER TABLE s.t DROP COLUMN b",
    "ALTER TABLE s.t ALTER COLUMN id DROP NOT NULL",
    "ALTER TABLE s.t RENAME TO u",
    'CREATE TABLE s."We ""ird, näme" ("col % ü" MAP(VARCHAR, STRUCT(q UUID)[]))',
    "DROP TABLE s.u",
)


def test_columns_are_those_the_extension_shows_at_every_snapshot(attachable, reader_of):
    place = attachable.written(*EVOLUTION)
    expected = {
        snapshot: _columns_by_the_extension(place, snapshot)
        for snapshot in range(len(EVOLUTION) + 1)
    }

    reader = reader_of(place)

    for snapshot, columns in expected.items():
        at = reader.snapshot(AtVersion(SnapshotId(snapshot)))
        found = {
            str(table.name): [(c.name, _spelled(c)) for c in table.columns]
            for table in reader.tables(at)
        }
        assert found == columns


def _columns_by_the_extension(place, snapshot):
    with place.referee(SNAPSHOT_VERSION=str(snapshot)) as referee:
        rows = referee.rows(
            "SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns() "
            "WHERE database_name = 'lake' ORDER BY table_oid, column_index"
        )
    found: dict[str, list[tuple[str, str]]] = {}
    for schema, table, column, data_type in rows:
        found.setdefault(f"{schema}.{table}", []).append((column, data_type))
    return found


def _spelled(column):
    return _by_duckdb(sql_type(column.type))


@cache
def _by_duckdb(kind):
    with duckdb.connect() as connection:
        return connection.execute(f"SELECT typeof(CAST(NULL AS {kind}))").fetchone()[0]


def test_ids_names_defaults_and_nullability_survive_evolution(lakes, reader_of):
    reader = reader_of(lakes.written(*EVOLUTION))
    before = reader.table(TableName("s", "t"), reader.snapshot(AtVersion(SnapshotId(2))))
    after = reader.table(TableName("s", "u"), reader.snapshot(AtVersion(SnapshotId(10))))

    assert not before.column("a").nullable
    assert after.id == before.id
    assert after.uuid == before.uuid
    assert after.location == before.location
    assert [(c.id, c.name, c.nullable) for c in after.columns] == [
        (1, "id", True),
        (3, "st", True),
        (7, "c", True),
    ]
    assert (before.column("B").initial_default, before.column("b").default) == ("it's", "it's")
    assert after.column("c").initial_default == "1.50"
    assert after.column("id").default is None
    assert isinstance(after.column("st").type, Struct)
    assert [(f.id, f.name) for f in after.column("st").type.fields] == [(5, "y"), (8, "z")]


def test_an_expression_default_is_marked_as_one(lakes, reader_of):
    reader = reader_of(lakes.written("CREATE TABLE t (a INT, made TIMESTAMP DEFAULT now())"))

    column = reader.table(TableName("main", "t"), reader.snapshot(Latest())).column("made")

    assert column.default_is_expression
    assert "now" in (column.default or "")
    assert column.initial_default is None


def test_nested_types_hold_their_fields(lakes, reader_of):
    reader = reader_of(lakes.written("CREATE TABLE t (m MAP(VARCHAR, STRUCT(q UUID)[]))"))

    column = reader.table(TableName("main", "t"), reader.snapshot(Latest())).column("m")

    match column.type:
        case Map(key, value):
            assert (key.id, key.type) == (2, Scalar(Kind.VARCHAR))
            assert isinstance(value.type, List)
            assert isinstance(value.type.element.type, Struct)
            assert value.type.element.type.fields[0].type == Scalar(Kind.UUID)
        case other:
            pytest.fail(f"not a map: {other}")


def test_a_table_is_found_in_any_case(lakes, reader_of):
    reader = reader_of(lakes.written('CREATE SCHEMA "Sch"', 'CREATE TABLE "Sch"."TaBle" (a INT)'))

    table = reader.table(TableName("sCH", "tAbLe"), reader.snapshot(Latest()))

    assert table.name == TableName("Sch", "TaBle")


def test_a_missing_table_names_the_near_ones(lakes, reader_of):
    place = lakes.written("CREATE TABLE orders (a INT)", "CREATE SCHEMA s")
    reader = reader_of(place)
    at = reader.snapshot(Latest())

    with pytest.raises(NotFound) as misspelled:
        reader.table(TableName("main", "order"), at)
    with pytest.raises(NotFound) as misplaced:
        reader.table(TableName("s", "orders"), at)
    with pytest.raises(NotFound) as unlike:
        reader.table(TableName("main", "zzz"), at)

    assert misspelled.value.facts["near"] == ("main.orders",)
    assert misplaced.value.facts["near"] == ("main.orders",)
    assert unlike.value.facts["near"] == ()


def test_paths_are_full_locations(attachable, reader_of):
    place = attachable.written('CREATE SCHEMA "a b"', 'CREATE TABLE "a b"."c/d" (a INT)')
    reader = reader_of(place)
    at = reader.snapshot(Latest())

    schemas = {schema.name: schema for schema in reader.schemas(at)}
    table = reader.tables(at, "a b")[0]

    assert schemas["main"].location == f"{place.data_path}main/"
    assert schemas["a b"].location.startswith(place.data_path)
    assert table.location.startswith(schemas["a b"].location)
    assert table.location.endswith(f"{table.uuid}/")


def test_sort_order_partitioning_and_comment_belong_to_the_snapshot(lakes, reader_of):
    place = lakes.written(
        "CREATE TABLE t (a INT, ts TIMESTAMP)",
        "ALTER TABLE t SET PARTITIONED BY (year(ts), bucket(8, a), a)",
        "ALTER TABLE t SET SORTED BY (a DESC NULLS LAST, ts)",
        "COMMENT ON TABLE t IS 'hello'",
        "ALTER TABLE t RESET PARTITIONED BY",
        "COMMENT ON TABLE t IS NULL",
    )
    reader = reader_of(place)
    name = TableName("main", "t")
    first, full, last = (
        reader.table(name, reader.snapshot(AtVersion(SnapshotId(number)))) for number in (1, 4, 6)
    )

    assert (first.partition, first.sort, first.comment) == (None, (), None)
    assert full.partition is not None
    assert [(k.index, k.column, k.transform) for k in full.partition.keys] == [
        (0, 2, Part.YEAR),
        (1, 1, Bucket(8)),
        (2, 1, Part.IDENTITY),
    ]
    assert [(k.expression, k.descending, k.nulls_first) for k in full.sort] == [
        ("a", True, False),
        ("ts", False, full.sort[1].nulls_first),
    ]
    assert full.comment == "hello"
    assert (last.partition, last.comment) == (None, None)
    assert [len(spec.keys) for spec in reader.partition_specs(last)] == [3, 0]


def test_views_and_macros_are_listed_with_their_parts(lakes, reader_of):
    place = lakes.written(
        "CREATE TABLE t (a INT)",
        'CREATE VIEW v("x ""y", z) AS SELECT a, a FROM t',
        "CREATE MACRO add(a, b := 5) AS a + b",
        "CREATE MACRO pick(n) AS TABLE SELECT n AS n",
    )
    reader = reader_of(place)
    at = reader.snapshot(Latest())

    (view,) = reader.views(at)
    scalar, tabular = reader.macros(at)

    assert (view.name, view.dialect) == (TableName("main", "v"), "duckdb")
    assert view.column_aliases == ('x "y', "z")
    assert "SELECT" in view.sql.upper()
    assert (scalar.name, scalar.sql) == (TableName("main", "add"), "(a + b)")
    assert (scalar.is_table, tabular.is_table) == (False, True)
    required, defaulted = scalar.parameters
    assert (":=" in required, ":=" in defaulted, "5" in defaulted) == (False, True, True)
    assert len(tabular.parameters) == 1


def test_options_say_for_what_they_are_set(lakes, reader_of):
    place = lakes.written(
        "CREATE SCHEMA s",
        "CREATE TABLE s.t (a INT)",
        "CALL lake.set_option('parquet_compression', 'zstd')",
        "CALL lake.set_option('data_inlining_row_limit', 0, schema => 's')",
        "CALL lake.set_option('target_file_size', '1MB', schema => 's', table_name => 't')",
        "ALTER TABLE s.t RENAME TO u",
    )

    options = reader_of(place).options()

    assert Option("parquet_compression", "zstd", "global", None) in options
    assert Option("data_inlining_row_limit", "0", "schema", "s") in options
    sized = [option for option in options if option.key == "target_file_size"]
    assert [(option.scope, option.scope_name) for option in sized] == [("table", "s.u")]
    assert Option("version", "1.0", "global", None) in options


def test_listing_many_tables_takes_as_many_queries_as_listing_one(lakes):
    place = lakes.written(*(f"CREATE TABLE t{number} (a INT, b VARCHAR)" for number in range(12)))
    asked = []

    with open_catalog(place.location) as catalog:
        event.listen(catalog._engine, "before_cursor_execute", lambda *_: asked.append(1))
        with catalog.read() as reader:
            at = reader.snapshot(Latest())
            asked.clear()
            assert len(reader.tables(at)) == 12
            many = len(asked)

    assert many == 1


def test_opening_a_table_takes_three_queries(lakes):
    place = lakes.written(
        "CALL lake.set_option('data_inlining_row_limit', 0)",
        "CREATE TABLE t (a INT)",
        "INSERT INTO t SELECT range FROM range(10)",
    )
    asked = []

    with open_catalog(place.location) as catalog:
        event.listen(
            catalog._engine, "before_cursor_execute", lambda *call: asked.append(call[2].split()[0])
        )
        with catalog.read() as reader:
            at = reader.snapshot(Latest())
            table = reader.table(TableName("main", "t"), at)
            files = reader.files(table, at)
            deleted = reader.inlined_deletes(table, at)
            inlined = reader.inlined_rows(table, at)

    assert len(files) == 1
    assert (deleted, inlined) == ({}, ())
    assert len([word for word in asked if word not in ("BEGIN", "START")]) == 3


def test_an_unknown_column_type_is_a_corrupt_lake(lakes):
    place = lakes.written("CREATE TABLE t (a INT)")
    with open_catalog(place.location) as catalog:
        columns = catalog.scope.tables["column"]
        with catalog._engine.begin() as connection:
            connection.execute(columns.update().values(column_type="int257"))
        with catalog.read() as reader, pytest.raises(CorruptLake):
            reader.tables(reader.snapshot(Latest()))


def test_a_catalog_without_a_column_of_the_format_is_a_corrupt_lake(lakes):
    place = lakes.written("CREATE TABLE t (a INT)")
    with open_catalog(place.location) as catalog:
        name = catalog.scope.tables["data_file"].name
        with catalog._engine.begin() as connection:
            connection.exec_driver_sql(f"ALTER TABLE {name} DROP COLUMN partial_max")
        with catalog.read() as reader:
            at = reader.snapshot(Latest())
            table = reader.table(TableName("main", "t"), at)
            with pytest.raises(CorruptLake):
                reader.files(table, at)
