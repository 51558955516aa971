"""Checks on catalog files before a driver sees them: what is there, and may we have it."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import Final

from quacklake.catalog.location import CatalogLocation
from quacklake.kernel.errors import AccessDenied, NotFound, UsageError


class FileKind(Enum):
    """A kind of database file, by what its first bytes hold and where."""

    DUCKDB = ("DuckDB", 8, b"DUCK")
    SQLITE = ("SQLite", 0, b"SQLite format 3\x00")

    @property
    def title(self) -> str:
        """The name for messages."""
        return self.value[0]

    def begins(self, head: bytes) -> bool:
        """Whether a file that begins with `head` is of this kind."""
        _, offset, magic = self.value
        return head[offset : offset + len(magic)] == magic


_HEAD: Final = 16


def require_file(location: CatalogLocation, kind: FileKind, *, may_create: bool) -> str:
    """The path of the catalog file, which is of `kind`, or absent where it may be created."""
    path = Path(location.path or "")
    if not path.exists():
        if not may_create:
            raise NotFound(
                f"there is no catalog file '{path}'",
                hint="check the path, or open it with create=True to make an empty lake",
                kind="catalog",
                name=str(path),
            )
        if not path.parent.is_dir():
            raise NotFound(
                f"the folder '{path.parent}' of the catalog file does not exist",
                hint="create the folder first",
                kind="folder",
                name=str(path.parent),
            )
        return str(path)
    _check_content(path, kind)
    return str(path)


def _check_content(path: Path, kind: FileKind) -> None:
    if path.is_dir():
        raise _not_a_lake(path, "it is a folder; name the catalog file in it")
    if not os.access(path, os.R_OK):
        raise AccessDenied(
            f"the catalog file '{path}' may not be read", hint="check its permissions"
        )
    with path.open("rb") as file:
        head = file.read(_HEAD)
    # SQLite makes an empty file before its first write.
    if not head and kind is FileKind.SQLITE:
        return
    if kind.begins(head):
        return
    for other in FileKind:
        if other.begins(head):
            scheme = other.name.lower()
            raise _not_a_lake(path, f"it is a {other.title} database: use {scheme}:///{path}")
    raise _not_a_lake(path, f"it is not a {kind.title} database")


def _not_a_lake(path: Path, hint: str) -> UsageError:
    return UsageError(f"'{path}' is not a DuckLake", hint=hint, path=str(path))
