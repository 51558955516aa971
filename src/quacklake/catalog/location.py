"""Where a catalog is: a URL of ours, or the way DuckDB's ATTACH spells it. Nothing is opened."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from quacklake.kernel.errors import UsageError


class Backend(StrEnum):
    """The kinds of database a catalog can live in."""

    DUCKDB = "duckdb"
    SQLITE = "sqlite"
    POSTGRES = "postgresql"
    MYSQL = "mysql"


FILES: Final = frozenset({Backend.DUCKDB, Backend.SQLITE})
"""Backends whose database is one local file."""

_SCHEMES: Final = {
    "duckdb": Backend.DUCKDB,
    "sqlite": Backend.SQLITE,
    "postgresql": Backend.POSTGRES,
    "postgres": Backend.POSTGRES,
    "mysql": Backend.MYSQL,
    "mariadb": Backend.MYSQL,
}
_DRIVERS: Final = {
    Backend.DUCKDB: "duckdb",
    Backend.SQLITE: "sqlite+pysqlite",
    Backend.POSTGRES: "postgresql+psycopg",
    Backend.MYSQL: "mysql+pymysql",
}
_HINT: Final = (
    "write duckdb:///file, sqlite:///file, postgresql://user@host/db, mysql://user@host/db "
    "or an address that begins with ducklake:"
)
_KEYWORD: Final = re.compile(r"\s*(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s'\\]|\\.)*)(?:\s+|$)")


@dataclass(frozen=True, slots=True)
class CatalogLocation:
    """The database of a catalog; printing it never shows a password."""

    backend: Backend
    url: URL

    @property
    def path(self) -> str | None:
        """The file of a DuckDB or SQLite catalog."""
        return self.url.database if self.backend in FILES else None

    @property
    def display(self) -> str:
        """The address for messages: no password, no connection options."""
        scheme = self.url.get_backend_name()
        shown = self.url.set(drivername=scheme, password=None, query={})
        return shown.render_as_string(hide_password=True)

    def __str__(self) -> str:
        return self.display

    def __repr__(self) -> str:
        return f"CatalogLocation({self.display!r})"


def parse_location(url: str) -> CatalogLocation:
    """The location `url` names; a spelling nobody knows is a `UsageError`."""
    if url.lower().startswith("ducklake:"):
        return _attach_spelling(url[len("ducklake:") :])
    if "://" not in url:
        raise UsageError("the catalog address has no scheme", hint=_HINT)
    return _from_url(url)


def _from_url(text: str) -> CatalogLocation:
    # The address itself stays out of messages: it may carry a password.
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise UsageError("the catalog address is not a URL", hint=_HINT) from None
    scheme = url.drivername.split("+")[0].lower()
    if scheme not in _SCHEMES:
        raise UsageError(f"no catalog backend is called '{scheme}'", hint=_HINT, scheme=scheme)
    return _checked(_SCHEMES[scheme], url)


def _checked(backend: Backend, url: URL) -> CatalogLocation:
    if backend in FILES and (not url.database or url.database == ":memory:"):
        raise UsageError(
            f"a {backend} catalog needs a file", hint=f"write {backend}:///path/of/the/file"
        )
    if backend in (Backend.POSTGRES, Backend.MYSQL) and not url.database:
        raise UsageError(
            f"a {backend} catalog needs a database",
            hint=f"write {backend}://user@host/database",
        )
    secret = url.query.get("password")
    if secret is not None:
        url = url.difference_update_query(["password"]).set(password=str(secret))
    return CatalogLocation(backend, url.set(drivername=_DRIVERS[backend]))


def _attach_spelling(rest: str) -> CatalogLocation:
    """What follows `ducklake:` in an ATTACH statement."""
    scheme, colon, target = rest.partition(":")
    backend = _SCHEMES.get(scheme.lower()) if colon else None
    if backend is None:
        backend, target = Backend.DUCKDB, rest
    if backend in FILES:
        return _checked(backend, URL.create(backend.value, database=target))
    if "://" in rest:
        return _from_url(rest if target.startswith("//") else target)
    words = _keywords(target)
    if backend is Backend.POSTGRES:
        return _checked(backend, _from_libpq(words))
    return _checked(backend, _from_mysql(words))


def _keywords(text: str) -> dict[str, str]:
    """`key=value key='va lue'` as libpq reads it."""
    words: dict[str, str] = {}
    position = 0
    text = text.strip()
    while position < len(text):
        match = _KEYWORD.match(text, position)
        if match is None:
            raise UsageError(
                "the connection words after 'ducklake:' are malformed",
                hint="write key=value pairs with spaces between them, quoted as 'a value'",
            )
        value = match[2]
        value = value[1:-1] if value.startswith("'") else value
        words[match[1].lower()] = re.sub(r"\\(.)", r"\1", value)
        position = match.end()
    return words


def _from_libpq(words: Mapping[str, str]) -> URL:
    named = {"user", "password", "host", "hostaddr", "port", "dbname"}
    options = {key: value for key, value in words.items() if key not in named}
    host = words.get("host") or words.get("hostaddr")
    if host and host.startswith("/"):
        # A folder is where the server's socket lies; in a URL only the query can say so.
        options["host"], host = host, None
    return URL.create(
        "postgresql",
        username=words.get("user"),
        password=words.get("password"),
        host=host,
        port=_port(words),
        database=words.get("dbname") or words.get("user"),
        query=options,
    )


def _from_mysql(words: Mapping[str, str]) -> URL:
    socket = words.get("socket") or words.get("unix_socket")
    return URL.create(
        "mysql",
        username=words.get("user"),
        password=words.get("password") or words.get("passwd"),
        host=words.get("host"),
        port=_port(words),
        database=words.get("database") or words.get("db"),
        query={"unix_socket": socket} if socket else {},
    )


def _port(words: Mapping[str, str]) -> int | None:
    text = words.get("port")
    if not text or text == "0":
        return None
    if not text.isdecimal():
        raise UsageError("the port of the catalog address is not a number", hint=_HINT)
    return int(text)
