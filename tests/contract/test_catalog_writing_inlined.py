"""Rows and deletes that we leave in the catalog, read by us and by DuckDB."""

from __future__ import annotations

import pyarrow as pa
import pytest

from quacklake.catalog import Backend, inlinable, inlinable_rows, open_catalog
from quacklake.catalog.mutations import (
    DropInlined,
    DropInlinedDeletes,
    EndInlined,
    Insert,
    InsertInlinedDeletes,
    RemoveInlined,
    RemoveInlinedDeletes,
)
from quacklake.format.arrow import arrow_type
from quacklake.format.snapshot import AtVersion, Latest
from quacklake.format.sqltypes import quoted, sql_type
from quacklake.format.table import TableName
from quacklake.format.types import Kind, List, Map, Scalar, Struct
from quacklake.kernel.errors import Unsupported
from quacklake.kernel.ids import SnapshotId, TableId
from tests.support.commits import (
    after,
    commit,
    head_of,
    inlined,
    inlined_table,
    rows_in,
    table_made,
)
from tests.support.inlined_values import (
    DECIMALS,
    SCALARS,
    column,
    field,
    numbered,
    rows_of,
    shown,
    texts_of,
)

INT = Scalar(Kind.INT32)
TEXT = Scalar(Kind.VARCHAR)
T = TableName("main", "t")


def opened(place):
    return open_catalog(place.location, data_path=place.data_path)


def scalars(backend):
    kinds = [Scalar(kind) for kind in SCALARS]
    types = [each for each in (*kinds, *DECIMALS) if inlinable([column("c", each)], backend)]
    return numbered([field(f"c{i}", each) for i, each in enumerate(types)])


def nested(backend):
    leaves = [each.type for each in scalars(backend) if each.type != Scalar(Kind.JSON)]
    lists = [List(field("element", each)) for each in leaves]
    structs = [
        Struct((field("a", leaves[i]), field("two words", leaves[i - 1])))
        for i in range(0, len(leaves), 2)
    ]
    maps = [Map(field("key", TEXT), field("value", each)) for each in leaves[::3]]
    return numbered([field(f"n{i}", each) for i, each in enumerate((*lists, *structs, *maps))])


@pytest.mark.parametrize("shape", [scalars, nested])
def test_values_of_every_type_are_read_back_by_us_and_by_duckdb(lakes, shape):
    columns, place = shape(lakes.backend), lakes.place()
    rows = rows_of(columns)
    assert inlinable(columns, lakes.backend)
    assert inlinable_rows(rows, columns, lakes.backend)

    with opened(place) as catalog:
        inlined_table(catalog, columns, rows)
        with catalog.read() as reader:
            head = reader.snapshot(Latest())
            (found,) = reader.inlined_rows(reader.table(T, head), head)
    with place.referee() as referee:
        theirs = referee.rows(f"SELECT {shown(columns)} FROM t ORDER BY rowid")

    expected = texts_of(rows, columns)
    ours = texts_of(found.rows.select(range(2, 2 + len(columns))), columns)
    assert found.rows["row_id"].to_pylist() == list(range(rows.num_rows))
    for i, each in enumerate(columns):
        assert [row[i] for row in ours] == [row[i] for row in expected], each
        assert [row[i] for row in theirs] == [row[i] for row in expected], each


def small(catalog, rows=("x", "y", "z")):
    """A table of one text column with inlined rows 0, 1, 2; its id and schema version."""
    columns = numbered([field("s", TEXT)])
    table = inlined_table(catalog, columns, pa.table({"s": list(rows)}))
    return table, head_of(catalog).schema_version, columns


def seen(catalog, snapshot=None):
    with catalog.read() as reader:
        head = reader.snapshot(Latest() if snapshot is None else AtVersion(snapshot))
        found = reader.inlined_rows(reader.table(T, head), head)
        return sorted((row["row_id"], row["s"]) for each in found for row in each.rows.to_pylist())


def test_an_update_ends_the_old_row_and_keeps_its_id(lakes):
    place = lakes.place()
    with opened(place) as catalog:
        table, version, columns = small(catalog)
        at = SnapshotId(head_of(catalog).id + 1)

        commit(
            catalog,
            inlined(table, version, columns, pa.table({"s": ["Y"]}), at, first=1),
            EndInlined(table, version, (0, 1), at),
            changes=f"inlined_insert:{table},inlined_delete:{table}",
        )

        assert seen(catalog) == [(1, "Y"), (2, "z")]
        assert seen(catalog, at - 1) == [(0, "x"), (1, "y"), (2, "z")]
    if place.backend is not Backend.MYSQL:
        with place.referee() as referee:
            assert referee.rows("SELECT rowid, s FROM t ORDER BY 1") == [(1, "Y"), (2, "z")]
            changes = referee.rows(f"FROM lake.table_changes('t', {at}, {at}) ORDER BY rowid, 3")
            assert [row[1:] for row in changes] == [
                (0, "delete", "x"),
                (1, "update_postimage", "Y"),
                (1, "update_preimage", "y"),
            ]


def test_flushed_rows_are_removed_and_later_ones_stay(lakes):
    with opened(lakes.place()) as catalog:
        table, version, columns = small(catalog)
        flushed = head_of(catalog).id
        later = inlined(
            table, version, columns, pa.table({"s": ["new"]}), SnapshotId(flushed + 1), first=3
        )
        commit(catalog, later)

        commit(catalog, RemoveInlined(table, version, flushed))

        assert seen(catalog) == [(3, "new")]


def test_a_dropped_inlined_table_is_gone(lakes):
    with opened(lakes.place()) as catalog:
        table, version, _ = small(catalog)

        commit(catalog, DropInlined(table, version))

        assert rows_in(catalog, "inlined_data_tables") == []
        assert seen(catalog) == []
        with catalog.read() as reader:
            installed = reader._all(catalog.scope.installed().select())
        assert f"ducklake_inlined_data_{table}_{version}" not in {row[0] for row in installed}


def test_an_inlined_table_of_a_failed_commit_is_in_nobodys_way(lakes):
    columns = numbered([field("s", TEXT)])
    other = numbered([field("n", INT), field("m", INT)])
    numbers = pa.table([pa.array([1], pa.int32()), pa.array([2], pa.int32())], names=["n", "m"])

    with opened(lakes.place()) as catalog:
        with pytest.raises(Unsupported), catalog.write(steps=_fail_before_commit) as writer:
            _make(writer, other, numbers)
        assert rows_in(catalog, "inlined_data_tables") == []

        inlined_table(catalog, columns, pa.table({"s": ["x"]}))

        assert seen(catalog) == [(0, "x")]


def _make(writer, columns, rows):
    at = after(writer.snapshot(Latest()), schema_changes=True)
    writer.claim(at)
    writer.apply(
        [
            *table_made(TableId(1), "t", columns, at),
            inlined(TableId(1), at.schema_version, columns, rows, at.id),
        ]
    )


def _fail_before_commit(step):
    if step == "before commit":
        raise Unsupported("the test says no")


def test_inlined_deletes_hide_rows_of_a_file_until_they_are_removed(lakes):
    place = lakes.written(
        "CALL lake.set_option('data_inlining_row_limit', '0')",
        "CREATE TABLE t (s VARCHAR)",
        "INSERT INTO t VALUES ('a'), ('b'), ('c'), ('d')",
    )
    with opened(place) as catalog:
        at = SnapshotId(head_of(catalog).id + 1)
        file = rows_in(catalog, "data_file")[0][0]
        table = TableId(1)

        commit(
            catalog,
            InsertInlinedDeletes(table, ((file, 1),), at),
            InsertInlinedDeletes(table, ((file, 3), (file + 9, 0)), at),
            changes=f"inlined_delete:{table}",
        )

        assert deletes(catalog) == {file: (1, 3), file + 9: (0,)}
        assert deletes(catalog, at - 1) == {}
    with place.referee() as referee:
        assert referee.rows("FROM t ORDER BY s") == [("a",), ("c",)]
    with opened(place) as catalog:
        commit(catalog, RemoveInlinedDeletes(table, (file,), at))
        assert deletes(catalog) == {file + 9: (0,)}

        commit(catalog, DropInlinedDeletes(table), DropInlinedDeletes(TableId(77)))
        assert deletes(catalog) == {}


def deletes(catalog, snapshot=None):
    with catalog.read() as reader:
        head = reader.snapshot(Latest() if snapshot is None else AtVersion(snapshot))
        return reader.inlined_deletes(reader.table(T, head), head)


NAMES = [
    "Name", "UPPER", "_X", "select", "ORDER", "two words", "dot.ted", 'qu"ote', "it's", "größE",
    "日本", "percent%s", "co:lon", "back`tick", "oid", "a" * 63,
]  # fmt: skip


def test_names_of_columns_are_kept_whatever_they_are(lakes):
    columns = numbered([field(name, INT) for name in NAMES])
    assert inlinable(columns, lakes.backend)
    place = lakes.place()
    rows = pa.table([pa.array([i], pa.int32()) for i in range(len(NAMES))], names=NAMES)

    with opened(place) as catalog:
        inlined_table(catalog, columns, rows)
        with catalog.read() as reader:
            head = reader.snapshot(Latest())
            (found,) = reader.inlined_rows(reader.table(T, head), head)

    assert found.rows.select(NAMES) == rows
    if lakes.backend is not Backend.MYSQL:
        with place.referee() as referee:
            assert referee.rows("FROM t") == [tuple(range(len(NAMES)))]
            referee.execute("INSERT INTO t SELECT * FROM t")
            referee.execute('UPDATE t SET "UPPER" = 7')
            assert len(referee.rows('FROM t WHERE "UPPER" = 7')) == 2


def test_rows_go_into_a_table_that_duckdb_made(attachable):
    listed = ", ".join('"' + name.replace('"', '""') + '" INTEGER' for name in NAMES)
    place = attachable.written(f"CREATE TABLE t ({listed})")
    rows = pa.table([pa.array([i], pa.int32()) for i in range(len(NAMES))], names=NAMES)

    with opened(place) as catalog:
        with catalog.read() as reader:
            head = reader.snapshot(Latest())
            table = reader.table(T, head)
        at = SnapshotId(head.id + 1)
        commit(
            catalog,
            inlined(table.id, 1, table.columns, rows, at),
            Insert("table_stats", ((table.id, 1, 1, 0),)),
            changes=f"inlined_insert:{table.id}",
        )
        with catalog.read() as reader:
            head = reader.snapshot(Latest())
            (found,) = reader.inlined_rows(table, head)

    assert found.rows.select(NAMES) == rows
    with place.referee() as referee:
        assert referee.rows("FROM t") == [tuple(range(len(NAMES)))]


DECLARED = {
    Backend.DUCKDB: "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = '{}'"
    " ORDER BY column_index",
    Backend.SQLITE: "SELECT name, type FROM pragma_table_info('{}') ORDER BY cid",
    Backend.POSTGRES: "SELECT column_name, format_type(atttypid, atttypmod)"
    " FROM information_schema.columns JOIN pg_attribute ON attname = column_name"
    " AND attrelid = '{0}'::regclass WHERE table_name = '{0}' ORDER BY ordinal_position",
}


def test_inlined_tables_are_declared_as_duckdb_declares_them(attachable):
    columns = numbered([*scalars(attachable.backend), *nested(attachable.backend)])
    place = attachable.place()
    with opened(place) as catalog:
        inlined_table(catalog, columns, rows_of(columns).slice(0, 0))
    listed = ", ".join(f"{quoted(each.name)} {sql_type(each.type)}" for each in columns)
    with place.referee() as referee:
        referee.execute(f"CREATE TABLE theirs ({listed})")
        referee.execute("INSERT INTO theirs SELECT * FROM theirs LIMIT 0")

    with opened(place) as catalog, catalog.read() as reader:
        ours, theirs = sorted(rows_in(catalog, "inlined_data_tables"))
        declared = [
            reader._connection.exec_driver_sql(DECLARED[attachable.backend].format(row[1])).all()
            for row in (ours, theirs)
        ]

    assert declared[0] == declared[1]
    assert len(declared[0]) == 3 + len(columns)


def list_of(lake_type):
    return List(field("element", lake_type))


REFUSED = [
    ("row_id", INT, set(Backend)),
    ("Begin_Snapshot", INT, set(Backend)),
    ("END_SNAPSHOT", INT, set(Backend)),
    ("_ducklake_internal_x", INT, set(Backend)),
    ("ctid", INT, {Backend.POSTGRES}),
    ("rowid", INT, {Backend.SQLITE}),
    ("XMIN", INT, {Backend.POSTGRES}),
    ("n" * 64, INT, {Backend.POSTGRES}),
    ("n" * 65, INT, {Backend.POSTGRES, Backend.MYSQL}),
    ("ä" * 32, INT, {Backend.POSTGRES}),
    ("duck 🦆", INT, {Backend.MYSQL}),
    ("trailing ", INT, {Backend.MYSQL}),
    ("c", Scalar(Kind.GEOMETRY), set(Backend)),
    ("c", list_of(Scalar(Kind.GEOMETRY)), set(Backend)),
    ("c", Scalar(Kind.VARIANT), set(Backend) - {Backend.DUCKDB}),
    ("c", list_of(Scalar(Kind.VARIANT)), set(Backend) - {Backend.DUCKDB}),
    ("c", Scalar(Kind.TIME_NS), {Backend.POSTGRES}),
    ("c", list_of(Scalar(Kind.TIME_NS)), set()),
]


@pytest.mark.parametrize(("name", "lake_type", "refused"), REFUSED)
@pytest.mark.parametrize("backend", list(Backend))
def test_some_columns_cannot_be_kept_in_a_catalog(backend, name, lake_type, refused):
    columns = numbered([field("fine", INT), field(name, lake_type)])

    assert inlinable(columns, backend) == (backend not in refused)


UNREADABLE = [
    (list_of(list_of(TEXT)), [[["a]b"]]]),
    (list_of(Struct((field("a", TEXT),))), [[{"a": "}"}]]),
    (list_of(Scalar(Kind.JSON)), [['{"a":  1}']]),
]


@pytest.mark.parametrize(("lake_type", "values"), UNREADABLE, ids=["list", "struct", "json"])
def test_values_that_duckdb_would_misread_are_refused(lakes, lake_type, values):
    columns = numbered([field("c", lake_type)])
    rows = pa.table([pa.array(values, arrow_type(lake_type))], names=["c"])
    readable = lakes.backend is Backend.DUCKDB

    assert inlinable_rows(rows, columns, lakes.backend) == readable
    with opened(lakes.place()) as catalog:
        before = head_of(catalog)
        if readable:
            inlined_table(catalog, columns, rows)
            return
        with pytest.raises(Unsupported, match="cannot be kept"):
            inlined_table(catalog, columns, rows)
        assert head_of(catalog) == before


def test_a_nul_is_kept_in_a_string_but_not_in_a_nested_one_on_postgres(lakes):
    columns = numbered([field("s", TEXT), field("l", list_of(TEXT))])
    place = lakes.place()
    plain = pa.table([["a\0b"], [["x"]]], names=["s", "l"])
    deep = pa.table([["a"], [["x\0"]]], names=["s", "l"])

    assert inlinable_rows(deep, columns, lakes.backend) == (lakes.backend is not Backend.POSTGRES)
    with opened(place) as catalog:
        inlined_table(catalog, columns, plain)
        assert seen(catalog) == [(0, "a\0b")]
    with place.referee() as referee:
        assert referee.rows("FROM t") == [("a\0b", ["x"])]
