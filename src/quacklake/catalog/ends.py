"""When everything in a catalog began and ended, for those who decide what may go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from quacklake.format.paths import as_directory, resolved


@dataclass(frozen=True, slots=True)
class Life:
    """The snapshots from `begin` until before `end` have it; a file also has a location."""

    id: int
    begin: int
    end: int | None
    table: int = -1
    location: str = ""
    data_file: int = -1


@dataclass(frozen=True, slots=True)
class Lives:
    """Every version of everything."""

    tables: tuple[Life, ...]
    schemas: tuple[Life, ...]
    views: tuple[Life, ...]
    data_files: tuple[Life, ...]
    delete_files: tuple[Life, ...]
    inlined: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A file that no snapshot needs, and since when it waits for deletion."""

    id: int
    path: str
    is_relative: bool
    location: str
    since: datetime


def folders(
    schemas: Iterable[Sequence[Any]], tables: Iterable[Sequence[Any]], data_path: str
) -> dict[int, str]:
    """The full location of every table there ever was, by id."""
    homes = {
        row[0]: as_directory(resolved(data_path, row[3], is_relative=bool(row[4])))
        for row in schemas
    }
    return {
        row[0]: as_directory(
            resolved(homes.get(row[3], data_path), row[4], is_relative=bool(row[5]))
        )
        for row in tables
    }


def file_lives(rows: Iterable[Sequence[Any]], places: dict[int, str]) -> tuple[Life, ...]:
    """Files with their full locations."""
    return tuple(
        Life(
            row[0],
            row[2],
            row[3],
            row[1],
            resolved(places.get(row[1], ""), row[4], is_relative=bool(row[5])),
            row[6],
        )
        for row in rows
    )


def instant_of(value: Any) -> datetime:
    """A point in time as the databases give it."""
    found = value if isinstance(value, datetime) else datetime.fromisoformat(_with_minutes(value))
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _with_minutes(text: str) -> str:
    """`+00` as `+00:00`, and six digits of a second, as the standard library reads them."""
    return text + ":00" if text[-3:-2] in "+-" else text
