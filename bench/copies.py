"""Lakes made once and copied: every contender starts from the same rows.

Copies share the folder of files. Nobody minds: names of files are unique, and none is deleted.
"""

from __future__ import annotations

import itertools
import shutil
from dataclasses import dataclass, field

from lakes import LakeAddress, attached, in_duckdb, in_postgres, in_sqlite

from tests.support.postgres import PostgresServer

KINDS = ("SQLite", "PostgreSQL", "DuckDB")
_SHAPE = "id BIGINT, part INTEGER, name VARCHAR, amount DOUBLE"


@dataclass(slots=True)
class Copies:
    """Lakes of every kind of catalog, each with a table `t` of some rows."""

    server: PostgresServer
    _made: dict[tuple[str, int], LakeAddress] = field(default_factory=dict)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)

    def new(self, kind: str, rows: int) -> LakeAddress:
        """A lake nobody has touched, with `rows` rows that DuckDB wrote."""
        original = self._made.get((kind, rows))
        if original is None:
            original = self._made[kind, rows] = self._original(kind, rows)
        name = f"copy{next(self._numbers)}"
        match kind:
            case "SQLite":
                made = in_sqlite(name)
            case "DuckDB":
                made = in_duckdb(name)
            case _:
                return in_postgres(self.server, like=original.url.rpartition("/")[2])
        shutil.copyfile(original.path, made.path)
        return made

    def _original(self, kind: str, rows: int) -> LakeAddress:
        name = f"original{next(self._numbers)}"
        makes = {"SQLite": in_sqlite, "DuckDB": in_duckdb}
        lake = in_postgres(self.server) if kind == "PostgreSQL" else makes[kind](name)
        with attached(lake, f"DATA_PATH '{name}_files/'", name="made") as connection:
            connection.execute(f"CREATE TABLE made.t ({_SHAPE})")
            if rows:
                connection.execute(
                    "INSERT INTO made.t SELECT i, i % 100, 'name ' || (i % 10000), i / 4 "
                    f"FROM range({rows}) AS r(i)"
                )
        return lake
