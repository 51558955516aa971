"""What happened to a lake: steps of SQL, told to the real DuckLake extension.

A step the extension refuses leaves nothing behind and is counted; the story goes on.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import duckdb

from quacklake.format.sqltypes import literal

LAKE: Final = "lake"
"""The name every lake is attached under."""
FILES: Final = "{files}"
"""Stands in SQL for a folder of the test's own, outside the lake's data path."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing done: what it is called, and its statements, one transaction if several."""

    kind: str
    statements: tuple[str, ...]

    def __repr__(self) -> str:
        return f"{self.kind}: " + "; ".join(self.statements)


@dataclass(frozen=True, slots=True)
class History:
    """The making of a lake."""

    steps: tuple[Step, ...]
    encrypted: bool = False
    inlined_rows: int = 10

    def attach_options(self) -> str:
        """What ATTACH must say when the lake is first made."""
        encryption = ", ENCRYPTED" if self.encrypted else ""
        return f"DATA_INLINING_ROW_LIMIT {self.inlined_rows}{encryption}"


@dataclass(slots=True)
class Tally:
    """How many steps of each kind were done, and which were refused, with the reason."""

    done: Counter[str] = field(default_factory=Counter)
    refused: list[tuple[Step, str]] = field(default_factory=list)

    def share_refused(self) -> float:
        """Refused steps over all steps."""
        total = self.done.total() + len(self.refused)
        return len(self.refused) / total if total else 0.0


def tell(con: duckdb.DuckDBPyConnection, history: History, files: Path) -> Tally:
    """Do every step of `history` on the lake attached as `LAKE`."""
    tally = Tally()
    files.mkdir(exist_ok=True)
    for step in history.steps:
        try:
            _do(con, step, files)
        except (duckdb.FatalException, duckdb.InternalException):
            raise
        except duckdb.Error as refusal:
            _roll_back(con)
            tally.refused.append((step, str(refusal)))
        else:
            tally.done[step.kind] += 1
    return tally


def _do(con: duckdb.DuckDBPyConnection, step: Step, files: Path) -> None:
    statements = [text.replace(FILES, str(files)) for text in step.statements]
    if len(statements) > 1:
        statements = ["BEGIN", *statements, "COMMIT"]
    for statement in statements:
        con.execute(statement)


def _roll_back(con: duckdb.DuckDBPyConnection) -> None:
    """Leave the failed transaction; DuckDB may or may not have ended it itself."""
    try:
        con.execute("ROLLBACK")
    except duckdb.TransactionException:
        return


def call(function: str, *arguments: str) -> str:
    """A call of one of the extension's procedures on the lake."""
    return f"CALL ducklake_{function}({', '.join((literal(LAKE), *arguments))})"
