"""Making lakes, opening lakes, and refusing what is none, on every kind of catalog."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from sqlalchemy.exc import DBAPIError

from quacklake.catalog import Backend, open_catalog, parse_location
from quacklake.format.snapshot import Latest
from quacklake.kernel.errors import (
    AccessDenied,
    CorruptLake,
    NotFound,
    Unavailable,
    Unsupported,
    UsageError,
)


def test_a_new_lake_has_one_snapshot_and_the_schema_main(lakes):
    place = lakes.place()

    with open_catalog(place.location, data_path=place.data_path) as catalog:
        assert catalog.data_path == place.data_path
        with catalog.read() as reader:
            at = reader.snapshot(Latest())
            assert (at.id, at.schema_version, at.next_catalog_id, at.next_file_id) == (0, 0, 1, 0)
            assert [schema.name for schema in reader.schemas(at)] == ["main"]
            assert reader.commits()[0].changes == 'created_schema:"main"'
            assert reader.tables(at) == ()


def test_duckdb_attaches_and_writes_a_lake_we_made(attachable):
    place = attachable.place()
    open_catalog(place.location, data_path=place.data_path).close()

    with place.referee() as referee:
        referee.execute("CREATE TABLE t (a INT, s STRUCT(x VARCHAR))")
        referee.execute("INSERT INTO t VALUES (1, {'x': 'y'})")
        referee.execute("INSERT INTO t SELECT range, NULL FROM range(100)")
        referee.execute("UPDATE t SET a = 7 WHERE a = 1")

        assert referee.rows("SELECT count(*), sum(a) FROM t") == [(101, 4950 + 13)]
    with open_catalog(place.location) as catalog, catalog.read() as reader:
        assert reader.snapshot(Latest()).id == 4


def test_the_extension_and_we_make_the_same_catalog(attachable):
    ours, theirs = attachable.place(), attachable.place()

    open_catalog(ours.location, data_path=ours.data_path).close()
    theirs.referee().close()

    assert _contents(ours) == _contents(theirs)


def _contents(place):
    """Tables with their columns and types, and their rows but for times, ids and paths."""
    with place.referee() as referee:
        columns = referee.rows(
            "SELECT table_name, column_name, data_type, is_nullable FROM duckdb_columns() "
            "WHERE database_name = '__ducklake_metadata_lake' AND table_name LIKE 'ducklake%' "
            "ORDER BY table_name, column_index"
        )
        meta = "__ducklake_metadata_lake"
        rows = {
            "metadata": referee.rows(
                f"SELECT key FROM {meta}.ducklake_metadata WHERE scope IS NULL ORDER BY key"
            ),
            "snapshot": referee.rows(
                f"SELECT * EXCLUDE snapshot_time FROM {meta}.ducklake_snapshot"
            ),
            "changes": referee.rows(f"FROM {meta}.ducklake_snapshot_changes"),
            "schema": referee.rows(f"SELECT * EXCLUDE schema_uuid FROM {meta}.ducklake_schema"),
        }
    return columns, rows


def test_opening_again_finds_the_same_lake(lakes):
    place = lakes.place()
    for given in (place.data_path, place.data_path.rstrip("/"), None):
        with open_catalog(place.location, data_path=given) as catalog:
            assert catalog.data_path == place.data_path


def test_another_data_path_than_the_lake_has_is_refused(lakes):
    place = lakes.place()
    open_catalog(place.location, data_path=place.data_path).close()

    with pytest.raises(UsageError) as caught:
        open_catalog(place.location, data_path="elsewhere/")

    assert caught.value.facts["data_path"] == place.data_path


def test_without_a_data_path_a_file_catalog_keeps_its_files_beside_it(lakes):
    place = lakes.place()
    if place.location.path is None:
        with pytest.raises(UsageError):
            open_catalog(place.location)
        return

    with open_catalog(place.location) as catalog:
        assert catalog.data_path == f"{place.location.path}.files/"


@pytest.mark.parametrize("options", [{"create": False}, {"read_only": True}])
def test_where_nothing_may_be_made_a_missing_lake_is_refused(lakes, options):
    place = lakes.place()

    with pytest.raises(UsageError):
        open_catalog(place.location, data_path=place.data_path, **options)

    if place.location.path is not None:
        assert not Path(place.location.path).exists()


@pytest.mark.parametrize("version", ["0.3", "1.1-dev1", "2.0"])
def test_another_format_version_is_refused_by_name(lakes, version):
    place = lakes.place()
    with open_catalog(place.location, data_path=place.data_path) as catalog:
        facts = catalog.scope.tables["metadata"]
        with catalog._engine.begin() as connection:
            connection.execute(facts.update().where(facts.c.key == "version").values(value=version))

    with pytest.raises(Unsupported) as caught:
        open_catalog(place.location)

    assert caught.value.facts["version"] == version
    assert caught.value.hint


def test_a_lake_that_does_not_say_its_version_is_corrupt(lakes):
    place = lakes.place()
    with open_catalog(place.location, data_path=place.data_path) as catalog:
        facts = catalog.scope.tables["metadata"]
        with catalog._engine.begin() as connection:
            connection.execute(facts.delete().where(facts.c.key == "version"))

    with pytest.raises(CorruptLake):
        open_catalog(place.location)


def test_of_many_creators_at_once_one_makes_the_lake_and_all_open_it(lakes):
    place = lakes.place()
    start = threading.Barrier(4)
    found, failed = [], []

    def create():
        start.wait()
        try:
            with (
                open_catalog(place.location, data_path=place.data_path) as catalog,
                catalog.read() as reader,
            ):
                found.append([commit.snapshot.id for commit in reader.commits()])
        except Exception as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=create) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failed == []
    assert found == [[0]] * 4


def test_a_read_only_catalog_cannot_be_written(lakes):
    place = lakes.place()
    open_catalog(place.location, data_path=place.data_path).close()

    with open_catalog(place.location, read_only=True) as catalog:
        snapshots = catalog.scope.tables["snapshot"]
        with pytest.raises(DBAPIError) as caught, catalog._engine.begin() as connection:
            connection.execute(snapshots.delete())

        assert catalog._database.failure(caught.value.orig).kind in (AccessDenied, Unavailable)
        with catalog.read() as reader:
            assert reader.snapshot(Latest()).id == 0


def test_a_metadata_schema_holds_a_lake_of_its_own(attachable):
    place = attachable.place()
    if place.backend is Backend.SQLITE:
        with pytest.raises(UsageError):
            open_catalog(place.location, metadata_schema="other")
        return

    with (
        open_catalog(
            place.location, data_path=place.data_path, metadata_schema="Other lake"
        ) as catalog,
        catalog.read() as reader,
    ):
        assert reader.snapshot(Latest()).id == 0
    with place.referee(METADATA_SCHEMA="Other lake") as referee:
        referee.execute("CREATE TABLE t (a INT)")
    with (
        open_catalog(place.location, metadata_schema="Other lake") as catalog,
        catalog.read() as reader,
    ):
        assert reader.snapshot(Latest()).id == 1
    with pytest.raises(UsageError):
        open_catalog(place.location, create=False)


def test_an_extra_key_table_or_index_disturbs_nobody(lakes):
    place = lakes.written("CREATE TABLE t (a INT)")
    with open_catalog(place.location) as catalog, catalog._engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE ducklake_more (a INT)")
        connection.execute(catalog.scope.tables["metadata"].insert().values(key="mine", value="1"))

    with open_catalog(place.location) as catalog, catalog.read() as reader:
        assert len(reader.tables(reader.snapshot(Latest()))) == 1


def test_a_database_that_does_not_exist_is_named_as_such(lakes):
    place = lakes.place()
    if place.location.path is not None:
        missing = f"{place.backend.value}:///{place.location.path}/no/such/folder/file"
        with pytest.raises(NotFound):
            open_catalog(parse_location(missing), data_path="x/")
        return

    gone = place.location.url.set(database="no_such_database")
    with pytest.raises(UsageError) as caught:
        open_catalog(parse_location(gone.render_as_string(hide_password=False)))

    assert "does not exist" in caught.value.problem
