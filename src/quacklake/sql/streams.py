"""Statements about stream tables, read into values. Any other text gives None.

The words before a query are the same whichever engine runs; the query itself is Spark's SQL, so
Spark's rules say what is a string, a comment and a quoted name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from quacklake.format.table import TableName
from quacklake.kernel.errors import Unsupported, UsageError
from quacklake.sql.sentence import Sentence, Setting


@dataclass(frozen=True, slots=True)
class CreateStream:
    """`CREATE [OR REPLACE] STREAM TABLE [IF NOT EXISTS] x [SCHEDULE '…'] [WITH (…)] AS query`."""

    name: TableName
    query: str
    settings: tuple[Setting, ...] = ()
    replaces: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterStream:
    """`ALTER STREAM TABLE x SET (…)`."""

    name: TableName
    settings: tuple[Setting, ...]


@dataclass(frozen=True, slots=True)
class RefreshStreams:
    """`REFRESH STREAM TABLE x, y [FULL | INCREMENTAL]`; without names it is all of them."""

    names: tuple[TableName, ...] | None
    mode: str | None = None


@dataclass(frozen=True, slots=True)
class ExplainStream:
    """`EXPLAIN STREAM TABLE x`."""

    name: TableName


@dataclass(frozen=True, slots=True)
class ValidateStream:
    """`VALIDATE STREAM TABLE AS query`."""

    query: str


@dataclass(frozen=True, slots=True)
class DropStream:
    """`DROP STREAM TABLE [IF EXISTS] x [CASCADE]`."""

    name: TableName
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class ShowStreams:
    """`SHOW STREAM TABLES`."""


StreamStatement: TypeAlias = (
    CreateStream
    | AlterStream
    | RefreshStreams
    | ExplainStream
    | ValidateStream
    | DropStream
    | ShowStreams
)

READING: Final = (ExplainStream, ValidateStream, ShowStreams)
"""What changes nothing."""

# Possessive, so that many comments are not tried in every combination.
_GAP: Final = r"(?:\s|--[^\n]*+|/\*(?>.*?\*/))"
_FIRST: Final = re.compile(
    rf"""{_GAP}*+ (?P<verb> CREATE ({_GAP}++ OR {_GAP}++ REPLACE)? | ALTER | DROP | EXPLAIN | SHOW
                          | VALIDATE | REFRESH ({_GAP}++ ALL)? )
         {_GAP}++ STREAM \b {_GAP}*+ (?P<rest> .*)""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_GAPS: Final = re.compile(rf"{_GAP}++", re.DOTALL)
_MODES: Final = frozenset({"FULL", "INCREMENTAL"})


def stream_statement(text: str) -> StreamStatement | None:
    """The statement about stream tables that `text` is; None if it is about something else."""
    found = _FIRST.match(text)
    if found is None:
        return None
    verb = _GAPS.sub(" ", found["verb"]).upper()
    words = Sentence(found["rest"])
    if verb in ("EXPLAIN", "SHOW") and words.upper() not in ("TABLE", "TABLES"):
        # A table called `stream`.
        return None
    statement = _STATEMENTS[verb](words)
    words.end()
    return statement


def _create(words: Sentence, *, replaces: bool = False) -> CreateStream:
    usage = "write CREATE STREAM TABLE x [SCHEDULE '1m'] [WITH (mode = 'auto')] AS SELECT …"
    words.take("TABLE", usage)
    if_not_exists = words.took("IF", "NOT", "EXISTS")
    if replaces and if_not_exists:
        raise UsageError("OR REPLACE and IF NOT EXISTS exclude each other")
    name = words.name(usage)
    if words.upper() == "(":
        raise Unsupported(
            "a stream table has no list of columns", hint="name them in the query: SELECT a AS b"
        )
    settings: list[Setting] = []
    while not words.took("AS"):
        if words.took("SCHEDULE"):
            settings.append(("schedule", words.string(usage)))
        elif words.took("WITH"):
            settings += words.settings(usage)
        else:
            words.wrong("AS is expected", usage)
    names = [setting for setting, _ in settings]
    for each in names:
        if names.count(each) > 1:
            raise UsageError(f"setting '{each}' is given twice")
    query = words.query(usage)
    return CreateStream(name, query, tuple(settings), replaces, if_not_exists)


def _replace(words: Sentence) -> CreateStream:
    return _create(words, replaces=True)


def _alter(words: Sentence) -> AlterStream:
    usage = "write ALTER STREAM TABLE x SET (schedule = '5m')"
    words.take("TABLE", usage)
    name = words.name(usage)
    if words.upper() == "EVOLVE":
        raise Unsupported(
            "ALTER STREAM TABLE … EVOLVE is not available in this version",
            hint="CREATE OR REPLACE STREAM TABLE puts another query in its place",
        )
    words.take("SET", usage)
    return AlterStream(name, words.settings(usage))


def _refresh(words: Sentence) -> RefreshStreams:
    usage = "write REFRESH STREAM TABLE x [, y] [FULL | INCREMENTAL]"
    words.take("TABLE", usage)
    names = [words.name(usage)]
    while words.took(","):
        names.append(words.name(usage))
    return RefreshStreams(tuple(names), _mode(words))


def _refresh_all(words: Sentence) -> RefreshStreams:
    words.take("TABLES", "write REFRESH ALL STREAM TABLES")
    return RefreshStreams(None, _mode(words))


def _mode(words: Sentence) -> str | None:
    chosen = words.upper()
    return chosen.lower() if chosen in _MODES and words.took(chosen) else None


def _explain(words: Sentence) -> ExplainStream:
    usage = "write EXPLAIN STREAM TABLE x"
    words.take("TABLE", usage)
    return ExplainStream(words.name(usage))


def _validate(words: Sentence) -> ValidateStream:
    usage = "write VALIDATE STREAM TABLE AS SELECT …"
    words.take("TABLE", usage)
    words.take("AS", usage)
    return ValidateStream(words.query(usage))


def _drop(words: Sentence) -> DropStream:
    usage = "write DROP STREAM TABLE [IF EXISTS] x [CASCADE]"
    words.take("TABLE", usage)
    if_exists = words.took("IF", "EXISTS")
    name = words.name(usage)
    cascade = words.took("CASCADE")
    if not cascade:
        words.took("RESTRICT")
    return DropStream(name, if_exists, cascade)


def _show(words: Sentence) -> ShowStreams:
    words.take("TABLES", "write SHOW STREAM TABLES")
    return ShowStreams()


_STATEMENTS: Final[Mapping[str, Callable[[Sentence], StreamStatement]]] = {
    "CREATE": _create,
    "CREATE OR REPLACE": _replace,
    "ALTER": _alter,
    "DROP": _drop,
    "EXPLAIN": _explain,
    "SHOW": _show,
    "VALIDATE": _validate,
    "REFRESH": _refresh,
    "REFRESH ALL": _refresh_all,
}
