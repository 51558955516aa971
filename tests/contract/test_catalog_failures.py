"""Databases that are down, locked, closed to us or not databases at all."""

from __future__ import annotations

import subprocess
import sys
import traceback

import pytest

from quacklake.catalog import Backend, open_catalog, parse_location
from quacklake.format.snapshot import Latest
from quacklake.kernel.errors import AccessDenied, Unavailable, UsageError
from tests.support.lakes import Lakes
from tests.support.servers import free_port

HOLD = """
import sys, duckdb
held = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("scheme", ["duckdb", "sqlite"])
@pytest.mark.parametrize("content", [b"not a database, but text long enough", b"x", b""])
def test_a_file_that_is_no_database_is_not_a_ducklake(tmp_path, scheme, content):
    file = tmp_path / "file"
    file.write_bytes(content)
    location = parse_location(f"{scheme}:///{file}")

    with pytest.raises(UsageError) as caught:
        open_catalog(location, create=False)

    assert caught.value.hint
    assert file.read_bytes() == content


@pytest.mark.parametrize(("made", "opened"), [("duckdb", "sqlite"), ("sqlite", "duckdb")])
def test_a_catalog_of_the_other_kind_is_named(tmp_path, made, opened):
    file = tmp_path / "file"
    open_catalog(parse_location(f"{made}:///{file}")).close()

    with pytest.raises(UsageError) as caught:
        open_catalog(parse_location(f"{opened}:///{file}"))

    assert f"{made}:///" in caught.value.hint


def test_a_folder_is_not_a_ducklake(tmp_path):
    with pytest.raises(UsageError):
        open_catalog(parse_location(f"sqlite:///{tmp_path}"))


def test_a_duckdb_file_held_by_another_process_is_unavailable(tmp_path):
    place = Lakes(Backend.DUCKDB, tmp_path).place()
    open_catalog(place.location).close()
    command = [sys.executable, "-c", HOLD, place.target]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(Unavailable) as caught:
            open_catalog(place.location)
        assert holder.stdin is not None
        holder.stdin.close()

    assert "SQLite" in caught.value.hint
    open_catalog(place.location).close()


def test_a_closed_catalog_frees_its_duckdb_file(tmp_path):
    place = Lakes(Backend.DUCKDB, tmp_path).place()

    with (
        open_catalog(place.location, data_path=place.data_path) as catalog,
        catalog.read() as reader,
    ):
        reader.snapshot(Latest())

    with place.referee() as referee:
        referee.execute("CREATE TABLE t (a INT)")


@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
def test_a_server_that_is_down_is_unavailable_and_no_secret_is_told(scheme):
    location = parse_location(f"{scheme}://me:hunter2@127.0.0.1:{free_port()}/db")

    with pytest.raises(Unavailable) as caught:
        open_catalog(location)

    assert not isinstance(caught.value, AccessDenied)
    told = "".join(traceback.format_exception(caught.value)) + str(caught.value) + repr(location)
    assert "hunter2" not in told


def test_a_wrong_password_is_denied(postgres):
    postgres.execute("DROP ROLE IF EXISTS guarded")
    postgres.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
    database = postgres.database()
    url = f"postgresql://guarded:hunter2@127.0.0.1:{postgres.port}/{database}"

    with pytest.raises(AccessDenied) as caught:
        open_catalog(parse_location(url), create=False)

    assert "hunter2" not in str(caught.value)


def test_a_role_without_rights_is_denied(postgres):
    postgres.execute("DROP ROLE IF EXISTS stranger")
    postgres.execute("CREATE ROLE stranger LOGIN")
    database = postgres.database()
    open_catalog(parse_location(postgres.url(database)), data_path="x/").close()
    url = postgres.url(database).replace("postgres@", "stranger@")

    with pytest.raises(AccessDenied):
        open_catalog(parse_location(url), create=False)


def test_a_mysql_user_with_a_wrong_password_is_denied(mariadb):
    database = mariadb.database()
    mariadb.execute("CREATE OR REPLACE USER guarded IDENTIFIED BY 'right'")
    url = f"mysql://guarded:hunter2@127.0.0.1:{mariadb.port}/{database}"

    with pytest.raises(AccessDenied) as caught:
        open_catalog(parse_location(url), create=False)

    assert "hunter2" not in str(caught.value)


def test_a_connection_cut_by_the_server_is_unavailable_and_the_next_one_works(postgres):
    location = parse_location(postgres.url(postgres.database()))

    with open_catalog(location, data_path="x/") as catalog:
        with catalog.read() as reader:
            postgres.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'quacklake'"
            )
            with pytest.raises(Unavailable):
                reader.snapshot(Latest())
        with catalog.read() as reader:
            assert reader.snapshot(Latest()).id == 0
