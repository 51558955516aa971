"""A stream table for people: its operators, its change as SQL, and what that would read."""

from __future__ import annotations

from dataclasses import dataclass

import sqlglot

from quacklake.client.session import Session
from quacklake.format.snapshot import Latest
from quacklake.format.table import TableName
from quacklake.ivm import (
    ROWS,
    AggregateStrategy,
    ByContent,
    ByKey,
    ByRowId,
    Explained,
    Program,
    RecursiveView,
    View,
    WholeView,
)
from quacklake.kernel.errors import UsageError
from quacklake.pipeline.definition import Definition, Mode, Settings
from quacklake.pipeline.ports import ProgramEngines
from quacklake.pipeline.refreshing import Refreshing
from quacklake.pipeline.sources import KeptQuery, compiled, tables_of


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a stream table is kept; `str()` shows all of it."""

    query: str
    tree: Explained
    aggregates: tuple[AggregateStrategy, ...]
    identity: str
    reads: tuple[str, ...]
    delta_sql: str
    decision: str

    def __str__(self) -> str:
        parts = [
            "operators, and the rule each is kept by:",
            *(f"  {line}" for line in self.tree.lines()),
            f"rows of the result are found {self.identity}",
        ]
        if self.aggregates:
            parts.append("aggregates:")
            parts += [f"  {each.call}: {each.strategy}" for each in self.aggregates]
        parts += ["a change reads:", *(f"  {each}" for each in self.reads)]
        if self.decision:
            parts.append(f"the next refresh: {self.decision}")
        return "\n".join([*parts, "the change, as SQL:", self.delta_sql])


@dataclass(frozen=True, slots=True)
class Validation:
    """Whether a query can be kept incrementally, and if not, what stands against it."""

    query: str
    incremental: bool
    reason: str
    tree: Explained | None = None

    def __bool__(self) -> bool:
        return self.incremental


def explain(session: Session, engines: ProgramEngines, name: TableName) -> Explanation:
    """How a stream table is kept, and what its next refresh would do."""
    run = Refreshing(session, engines, commits=False)
    definition = run.called(name)
    tables = run.tables(definition)
    view = compiled(definition.query, tables, definition.settings.columns)
    decision = run.decided(definition, Mode(definition.settings.mode))
    return _explained(view, definition, engines(definition.settings.engine).dialect, decision)


def validate(session: Session, query: str, home: str) -> Validation:
    """Whether a query can be kept incrementally; nothing is made."""
    with session.reading() as reader:
        tables = tables_of(reader, query, reader.snapshot(Latest()), home)
    try:
        view = compiled(query, tables, None)
    except UsageError as error:
        return Validation(query, incremental=False, reason=str(error))
    why = view.recomputed
    return Validation(query, why is None, why or _rules(view), tree=view.explain())


def _rules(view: KeptQuery) -> str:
    known = "every operator has a rule"
    recursive = isinstance(view, RecursiveView)
    return f"{known}; the recursion follows only rows that come" if recursive else known


def _explained(view: KeptQuery, definition: Definition, dialect: str, decision: str) -> Explanation:
    programs = _programs(view, dialect, row_ids=definition.settings.row_ids)
    name = view.name if isinstance(view, RecursiveView) else ""
    return Explanation(
        definition.query,
        view.explain(),
        view.strategies(),
        _identity(view, definition.settings),
        tuple(dict.fromkeys(line for each in programs.values() for line in _reads(each, name))),
        "\n".join(_titled(title, each) for title, each in programs.items()),
        decision,
    )


def _programs(view: KeptQuery, dialect: str, *, row_ids: bool) -> dict[str, Program]:
    """The programs of a change, by what they compute."""
    if isinstance(view, WholeView):
        return {}
    if isinstance(view, View):
        found = {"": view.delta(dialect, row_ids=row_ids)}
    else:
        found = _rounds(view, dialect)
    return {title: each for title, each in found.items() if each is not None}


def _rounds(view: RecursiveView, dialect: str) -> dict[str, Program | None]:
    return {
        f"what '{view.name}' gains at once": view.seed(dialect, view.followed),
        f"what each round of '{view.name}' adds": view.round(dialect),
        "the result": view.rest.delta(dialect),
    }


def _titled(title: str, program: Program) -> str:
    return f"-- {title}\n{_spread(program)}" if title else _spread(program)


def _spread(program: Program) -> str:
    """The change as SQL, a part a line."""
    return sqlglot.transpile(
        program.sql(), read=program.dialect, write=program.dialect, pretty=True
    )[0]


def _identity(view: KeptQuery, settings: Settings) -> str:
    match view.identity:
        case ByKey(()):
            return "by key: there is one row at most"
        case ByKey(columns):
            return "by key: " + ", ".join(columns)
        case ByRowId(source) if settings.row_ids:
            checked = " and checked by content, as others have merged files" * settings.doubt
            return f"by row id, that of the row of '{source}' they come from{checked}"
        case ByRowId() | ByContent():
            return "by content: all their values"


def _reads(program: Program, recursion: str) -> list[str]:
    lines = []
    for read in program.reads:
        source = f"the recursion '{recursion}'" if read.source == ROWS else f"'{read.source}'"
        what = {"source": f"{read.state.value} rows of {source}"}.get(
            read.origin.value, f"its own {read.origin.value}"
        )
        keys = sorted({", ".join(each.columns) for each in read.keys if each.columns})
        unkeyed = ", only when it turns out to be needed" if read.keys else ""
        limit = f", by {' or '.join(keys)}" if keys else unkeyed
        columns = (*read.columns[:-1], "row id") if read.row_ids else read.columns
        lines.append(f"{what} ({', '.join(columns)}){limit}")
    return lines
