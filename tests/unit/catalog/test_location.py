"""Addresses of catalogs."""

from __future__ import annotations

import pytest

from quacklake.catalog.location import Backend, parse_location
from quacklake.kernel.errors import UsageError

SPELLINGS = {
    "duckdb:///rel/x.ducklake": (Backend.DUCKDB, "rel/x.ducklake"),
    "duckdb:////abs/x.ducklake": (Backend.DUCKDB, "/abs/x.ducklake"),
    "sqlite:///x.sqlite": (Backend.SQLITE, "x.sqlite"),
    "ducklake:x.ducklake": (Backend.DUCKDB, "x.ducklake"),
    "ducklake:/abs/x.db": (Backend.DUCKDB, "/abs/x.db"),
    "ducklake:duckdb:x.db": (Backend.DUCKDB, "x.db"),
    "ducklake:sqlite:a b/x.sqlite": (Backend.SQLITE, "a b/x.sqlite"),
    "DUCKLAKE:SQLite:x": (Backend.SQLITE, "x"),
}


@pytest.mark.parametrize("spelled", SPELLINGS)
def test_file_catalogs_have_a_path(spelled):
    location = parse_location(spelled)

    assert (location.backend, location.path) == SPELLINGS[spelled]


@pytest.mark.parametrize(
    "spelled",
    [
        "postgresql://me:s3cret@db.example:5433/lake",
        "postgres://me:s3cret@db.example:5433/lake",
        "postgresql://me@db.example:5433/lake?password=s3cret",
        "ducklake:postgres:dbname=lake host=db.example port=5433 user=me password=s3cret",
        "ducklake:postgres:dbname = 'lake' host='db.example' port=5433 user=me password='s3cret'",
        "ducklake:postgres:postgresql://me:s3cret@db.example:5433/lake",
        "ducklake:postgresql://me:s3cret@db.example:5433/lake",
    ],
)
def test_postgres_is_spelled_as_url_or_in_libpq_words(spelled):
    location = parse_location(spelled)
    url = location.url

    assert location.backend is Backend.POSTGRES
    assert (url.host, url.port, url.username, url.database) == ("db.example", 5433, "me", "lake")
    assert url.password == "s3cret"
    assert location.path is None
    for shown in (str(location), repr(location), location.display, repr(url)):
        assert "s3cret" not in shown


def test_a_socket_folder_is_a_host_of_postgres():
    url = parse_location("ducklake:postgres:dbname=lake host=/run/pg user=me").url

    assert (url.host, dict(url.query)) == (None, {"host": "/run/pg"})


def test_quotes_and_backslashes_in_libpq_words():
    url = parse_location(r"ducklake:postgres:dbname='my lake' password='it\'s \\' user=a").url

    assert (url.database, url.password) == ("my lake", "it's \\")


@pytest.mark.parametrize(
    "spelled",
    [
        "mysql://me:s3cret@db:3307/lake",
        "mariadb://me:s3cret@db:3307/lake",
        "ducklake:mysql:db=lake host=db port=3307 user=me passwd=s3cret",
        "ducklake:mysql:database=lake host=db port=3307 user=me password=s3cret",
    ],
)
def test_mysql_is_spelled_as_url_or_in_words(spelled):
    location = parse_location(spelled)
    url = location.url

    assert location.backend is Backend.MYSQL
    assert (url.host, url.port, url.username, url.database) == ("db", 3307, "me", "lake")
    assert "s3cret" not in f"{location!s}{location!r}"


@pytest.mark.parametrize(
    "spelled",
    [
        "lake.ducklake",
        "",
        "oracle://x/y",
        "duckdb://",
        "sqlite:///:memory:",
        "postgresql://me:s3cret@host",
        "mysql://me:s3cret@host/",
        "postgresql://me:s3cret@host:port/db",
        "ducklake:postgres:dbname='open password=s3cret",
        "ducklake:postgres:port=abc password=s3cret dbname=x",
        "ducklake:",
    ],
)
def test_what_is_no_address_is_refused_without_being_repeated(spelled):
    with pytest.raises(UsageError) as caught:
        parse_location(spelled)

    assert caught.value.hint
    assert "s3cret" not in str(caught.value)
