"""From the text of a query to its plan, in one view of the catalog."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from quacklake.catalog.reader import CatalogReader
from quacklake.format.snapshot import Latest, Snapshot, SnapshotRef
from quacklake.format.sqltypes import quoted
from quacklake.format.table import Macro, TableName, View
from quacklake.kernel.errors import NotFound, Unsupported, UsageError
from quacklake.kernel.ids import SnapshotId
from quacklake.sql.plan import (
    Declaration,
    DeclaredMacro,
    DeclaredTable,
    DeclaredView,
    QueryPlan,
    database_name,
    qualified,
)
from quacklake.sql.statement import Reference, Statement, parsed
from quacklake.sql.travel import name_span, placed, spliced
from quacklake.sql.virtual import NAMES, without_virtual

_DEFAULT_SCHEMA: Final = "main"
_OWN_CATALOG: Final = "{DUCKLAKE_CATALOG}"
"""How a stored text writes the name of the lake it belongs to."""


def plan_query(reader: CatalogReader, text: str, at: SnapshotRef | None = None) -> QueryPlan:
    """The plan of the query `text`; tables are read at `at`, the newest snapshot, or as it says."""
    statement = parsed(text)
    head = reader.snapshot(at or Latest())
    planner = _Planner(reader)
    sql = planner.visit(statement, head, (_DEFAULT_SCHEMA,), ())
    if statement.lists:
        planner.list_all(head)
    return QueryPlan(statement.prefix + sql, head, tuple(planner.found.values()))


class _Planner:
    """Collects declarations, each after those it stands on."""

    def __init__(self, reader: CatalogReader) -> None:
        self._reader = reader
        self._views: dict[SnapshotId, dict[tuple[str, str], View]] = {}
        self._macros: dict[SnapshotId, dict[str, list[Macro]]] = {}
        self._snapshots: dict[SnapshotRef, Snapshot] = {}
        self._only_lists = False
        self.found: dict[tuple[SnapshotId, str, str, str], Declaration] = {}

    def visit(
        self,
        statement: Statement,
        at: Snapshot,
        path: tuple[str, ...],
        trail: tuple[TableName, ...],
    ) -> str:
        """Declare what `statement` reaches; its text, with travelling names rewritten."""
        changes: list[tuple[tuple[int, int], str]] = []
        given: dict[int, tuple[str, ...]] = {}
        for reference in statement.references:
            place = placed(statement.text, reference) if reference.travels else None
            then = at if place is None else self._snapshot(place.at)
            name = self._reach(reference, statement, then, path, trail)
            virtual = self._with_virtual(name, then, statement, reference)
            if virtual:
                given[reference.start] = virtual
            if name and (place is not None or virtual):
                span = place.name if place else name_span(statement.text, reference)
                changes.append((span, qualified(name, then.id, virtual=bool(virtual))))
            if place is not None:
                changes.append((place.clause, ""))
        changes += without_virtual(statement.text, statement.stars, given)
        if statement.functions:
            self._reach_macros(statement.functions, at, trail)
        return spliced(statement.text, changes)

    def _with_virtual(
        self, name: TableName | None, at: Snapshot, statement: Statement, reference: Reference
    ) -> tuple[str, ...]:
        """The virtual columns that a statement may name of a table; declared if there are any."""
        is_local = reference.schema is None and reference.table.casefold() in statement.local
        if name is None or is_local or not statement.virtual:
            return ()
        place = name.schema.casefold(), name.table.casefold()
        declared = self.found[at.id, "relation", *place]
        if not isinstance(declared, DeclaredTable):
            return ()
        own = {column.name.casefold() for column in declared.table.columns}
        if not statement.virtual - own:
            return ()
        virtual = tuple(sorted(NAMES - own))
        self.found[at.id, "virtual", *place] = DeclaredTable(declared.table, at, virtual=virtual)
        return virtual

    def _reach(
        self,
        reference: Reference,
        statement: Statement,
        at: Snapshot,
        path: tuple[str, ...],
        trail: tuple[TableName, ...],
    ) -> TableName | None:
        """Declare what a reference names; None when it is local to the statement."""
        _check_catalog(reference, at)
        if reference.schema is None and reference.table.casefold() in statement.local:
            # Which of the two is meant is DuckDB's to say: both are there to be found.
            return self._declared_somewhere(path, reference.table, at, trail, needed=False)
        schemas = path if reference.schema is None else (reference.schema,)
        return self._declared_somewhere(schemas, reference.table, at, trail, needed=True)

    def _declared_somewhere(
        self,
        schemas: tuple[str, ...],
        table: str,
        at: Snapshot,
        trail: tuple[TableName, ...],
        *,
        needed: bool,
    ) -> TableName | None:
        problem: NotFound | None = None
        for schema in schemas:
            try:
                return self._declare(TableName(schema, table), at, trail)
            except NotFound as error:
                problem = problem or error
        if needed and problem:
            raise problem
        return None

    def _declare(self, name: TableName, at: Snapshot, trail: tuple[TableName, ...]) -> TableName:
        key = (at.id, "relation", name.schema.casefold(), name.table.casefold())
        if key in self.found:
            return name
        view = self._view(name, at)
        if view is None:
            table = self._reader.table(name, at)
            self.found[key] = DeclaredTable(table, at, stands_in=self._only_lists)
        else:
            self.found[key] = self._expanded(view, at, trail)
        return name

    def _expanded(self, view: View, at: Snapshot, trail: tuple[TableName, ...]) -> DeclaredView:
        if view.name in trail:
            raise UsageError(f"view '{view.name}' refers to itself")
        if view.dialect.lower() != "duckdb":
            raise Unsupported(
                f"view '{view.name}' is written in the dialect '{view.dialect}'",
                hint="only views in DuckDB's dialect can be read",
            )
        statement = parsed(_own(view.sql, at))
        path = (view.name.schema, _DEFAULT_SCHEMA)
        return DeclaredView(view, at, self.visit(statement, at, path, (*trail, view.name)))

    def _reach_macros(
        self, functions: frozenset[str], at: Snapshot, trail: tuple[TableName, ...]
    ) -> None:
        for function in sorted(functions):
            for macro in self._macros_at(at).get(function, ()):
                key = (at.id, "macro", macro.name.schema.casefold(), function)
                if key in self.found or macro.name in trail:
                    continue
                same = [m for m in self._macros_at(at)[function] if m.name == macro.name]
                bodies = tuple(self._body(each, at, (*trail, macro.name)) for each in same)
                self.found[key] = DeclaredMacro(macro.name, at, bodies)

    def _body(self, macro: Macro, at: Snapshot, trail: tuple[TableName, ...]) -> Macro:
        """A macro whose names are as the engine needs them."""
        text = _own(macro.sql, at)
        if macro.is_table:
            statement = parsed(text)
            return replace(macro, sql=self.visit(statement, at, (_DEFAULT_SCHEMA,), trail))
        statement = parsed(f"SELECT {text}")
        rewritten = self.visit(statement, at, (_DEFAULT_SCHEMA,), trail)
        return replace(macro, sql=rewritten.removeprefix("SELECT "))

    def list_all(self, at: Snapshot) -> None:
        """Declare every table and view of the lake, so that listings are complete."""
        self._only_lists = True
        for table in self._reader.tables(at):
            key = (at.id, "relation", table.name.schema.casefold(), table.name.table.casefold())
            self.found.setdefault(key, DeclaredTable(table, at, stands_in=True))
        for view in self._views_at(at).values():
            self._declare(view.name, at, ())

    def _snapshot(self, ref: SnapshotRef) -> Snapshot:
        if ref not in self._snapshots:
            self._snapshots[ref] = self._reader.snapshot(ref)
        return self._snapshots[ref]

    def _view(self, name: TableName, at: Snapshot) -> View | None:
        return self._views_at(at).get((name.schema.casefold(), name.table.casefold()))

    def _views_at(self, at: Snapshot) -> dict[tuple[str, str], View]:
        if at.id not in self._views:
            self._views[at.id] = {
                (view.name.schema.casefold(), view.name.table.casefold()): view
                for view in self._reader.views(at)
            }
        return self._views[at.id]

    def _macros_at(self, at: Snapshot) -> dict[str, list[Macro]]:
        if at.id not in self._macros:
            named: dict[str, list[Macro]] = {}
            for macro in self._reader.macros(at):
                named.setdefault(macro.name.table.casefold(), []).append(macro)
            self._macros[at.id] = named
        return self._macros[at.id]


def _own(text: str, at: Snapshot) -> str:
    return text.replace(_OWN_CATALOG, quoted(database_name(at.id)))


def _check_catalog(reference: Reference, at: Snapshot) -> None:
    if reference.catalog is not None and reference.catalog != database_name(at.id):
        raise UsageError(
            f"'{reference.catalog}.{reference.schema}.{reference.table}' names another database",
            hint="a query reads one lake: write schema.table",
        )
