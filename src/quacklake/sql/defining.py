"""CREATE, ALTER, DROP and COMMENT, read into operations on a transaction's view of the lake."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from sqlglot import exp

from quacklake.client.defining import columns, entries, layout
from quacklake.client.references import DEFAULT_SCHEMA, table_name
from quacklake.client.workspace import Workspace
from quacklake.format.table import TableName
from quacklake.kernel.errors import NotFound, Unsupported, UsageError
from quacklake.sql.edits import Define

Operation: TypeAlias = Callable[[Workspace], object]

_NAME: Final = r'(?:"(?:[^"]|"")*"|[\w.])+'
_LAYOUT: Final = re.compile(
    rf"\s*ALTER\s+TABLE\s+(?P<table>{_NAME})\s+"
    r"(?:(?P<reset>RESET)|SET)\s+(?P<what>PARTITIONED|SORTED)\s+BY\s*(?:\((?P<keys>.*)\))?\s*;?\s*",
    re.IGNORECASE | re.DOTALL,
)
_NESTED: Final = re.compile(
    rf"\s*ALTER\s+TABLE\s+(?P<table>{_NAME})\s+(?P<verb>ADD|DROP|RENAME)\s+(?:COLUMN\s+)?"
    rf"(?P<path>{_NAME}\.{_NAME})\s*(?P<rest>.*?)\s*;?\s*",
    re.IGNORECASE | re.DOTALL,
)


def definition(tree: exp.Expr, text: str) -> Define:
    """The operation a statement asks for."""
    known = _LAYOUT.fullmatch(text)
    if known:
        return Define(_layout(known))
    match tree:
        case exp.Create():
            return Define(_create(tree))
        case exp.Drop():
            return Define(_drop(tree))
        case exp.Alter():
            return Define(_all_of(list(_alterations(tree))))
        case exp.Comment():
            return Define(_comment(tree))
    nested = _NESTED.fullmatch(text)
    if nested:
        return Define(_nested(nested))
    raise Unsupported(
        "the statement is not one that changes a lake",
        hint="INSERT, UPDATE, DELETE, MERGE, TRUNCATE, CREATE, ALTER, DROP and COMMENT are known",
    )


def _all_of(operations: list[Operation]) -> Operation:
    def run(work: Workspace) -> None:
        for operate in operations:
            operate(work)

    return run


def _named(node: exp.Expr) -> TableName:
    return TableName(node.args["db"].name if node.args.get("db") else DEFAULT_SCHEMA, node.name)


def _create(tree: exp.Create) -> Operation:
    exists = bool(tree.args.get("exists"))
    refuse_temporary(tree)
    if tree.kind == "SCHEMA":
        name = tree.this.db or tree.this.name
        return lambda work: entries.create_schema(work, name, if_not_exists=exists)
    if tree.kind == "VIEW":
        view, sql = _named(tree.this), tree.expression.sql("duckdb")
        replaces = bool(tree.args.get("replace"))
        return lambda work: entries.create_view(work, view, sql, replace_it=replaces)
    if tree.kind != "TABLE" or not isinstance(tree.this, exp.Schema):
        raise Unsupported(f"CREATE {tree.kind} is not available")
    return _create_table(tree, exists=exists)


def _create_table(tree: exp.Create, *, exists: bool) -> Operation:
    name = _named(tree.this.this)
    given: dict[str, str] = {}
    for each in tree.this.expressions:
        if not isinstance(each, exp.ColumnDef):
            raise Unsupported(f"a DuckLake table has no constraint like '{each.sql('duckdb')}'")
        if each.name in given:
            raise UsageError(f"column '{each.name}' occurs twice", column=each.name)
        parts = [each.args["kind"].sql("duckdb")]
        parts += [c.sql("duckdb") for c in each.args.get("constraints") or ()]
        given[each.name] = " ".join(parts)

    keys = partition_keys(tree)
    replaces = bool(tree.args.get("replace"))

    def run(work: Workspace) -> None:
        if replaces and work.exists(name):
            entries.drop_table(work, name)
        if not (exists and work.exists(name)):
            entries.create_table(work, name, given, partition_by=keys)

    return run


def refuse_temporary(tree: exp.Create) -> None:
    """A lake keeps what is made in it."""
    properties = tree.args.get("properties")
    if properties is not None and properties.find(exp.TemporaryProperty):
        raise Unsupported(
            "a lake has no temporary tables or views",
            hint="make them in your own DuckDB: lake.table(name).to_duckdb(connection)",
        )


def partition_keys(tree: exp.Create) -> tuple[str, ...]:
    """What stands in PARTITIONED BY, as DuckDB writes it."""
    said = tree.find(exp.PartitionedByProperty)
    # Reading Spark's SQL, sqlglot wraps what year() and its kind take in a cast.
    return tuple(
        key.transform(lambda n: n.this if isinstance(n, exp.TsOrDsToDate) else n).sql("duckdb")
        for key in (said.this.expressions if said else ())
    )


def _drop(tree: exp.Drop) -> Operation:
    node = tree.this or tree.args["tables"][0]
    cascade = bool(tree.args.get("cascade"))
    if tree.kind == "SCHEMA":
        schema = node.db or node.name
        operate: Operation = lambda work: entries.drop_schema(work, schema, cascade=cascade)  # noqa: E731
    elif tree.kind == "VIEW":
        view = _named(node)
        operate = lambda work: entries.drop_view(work, view)  # noqa: E731
    elif tree.kind == "TABLE":
        table = _named(node)
        operate = lambda work: entries.drop_table(work, table)  # noqa: E731
    else:
        raise Unsupported(f"DROP {tree.kind} is not available")
    return _if_there(operate) if tree.args.get("exists") else operate


def _if_there(operate: Operation) -> Operation:
    def run(work: Workspace) -> None:
        try:
            operate(work)
        except NotFound:
            return

    return run


def _alterations(tree: exp.Alter) -> Iterator[Operation]:
    name = _named(tree.this)
    is_view = str(tree.args.get("kind", "TABLE")).upper() == "VIEW"
    for action in tree.args["actions"]:
        yield _renamed_view(name, action) if is_view else _alteration(name, action)


def _renamed_view(name: TableName, action: exp.Expr) -> Operation:
    if not isinstance(action, exp.AlterRename):
        raise Unsupported("a view can be renamed, nothing else")
    new_name = action.this.name
    return lambda work: entries.rename_view(work, name, new_name)


def _alteration(name: TableName, action: exp.Expr) -> Operation:
    match action:
        case exp.ColumnDef():
            kind = action.args["kind"].sql("duckdb")
            rest = [c.sql("duckdb") for c in action.args.get("constraints") or ()]
            text = " ".join([kind, *rest])
            label = exp.to_identifier(action.name, quoted=True).sql("duckdb")
            return lambda work: columns.add_column(work, name, label, text, None)
        case exp.Drop():
            dropped = (action.args.get("tables") or [action.this])[0].sql("duckdb")
            return lambda work: columns.drop_column(work, name, dropped)
        case exp.RenameColumn():
            old, new = action.this.sql("duckdb"), action.args["to"].name
            return lambda work: columns.rename_column(work, name, old, new)
        case exp.AlterRename():
            new_name = action.this.name
            return lambda work: entries.rename_table(work, name, new_name)
        case exp.AlterColumn():
            return _column(name, action)
        case _:
            raise Unsupported(f"ALTER TABLE … {action.sql('duckdb')} is not available")


def _column(name: TableName, action: exp.AlterColumn) -> Operation:
    column, args = action.this.name, action.args
    if args.get("dtype") is not None:
        kind = args["dtype"].sql("duckdb")
        return lambda work: columns.set_type(work, name, column, kind)
    if args.get("default") is not None:
        default = args["default"].sql("duckdb")
        return lambda work: columns.set_default(work, name, column, default)
    if args.get("allow_null") is not None:
        nullable = bool(args["allow_null"])
        return lambda work: columns.set_nullable(work, name, column, nullable=nullable)
    return lambda work: columns.set_default(work, name, column, None)


def _comment(tree: exp.Comment) -> Operation:
    value = tree.args.get("expression")
    text = None if value is None or isinstance(value, exp.Null) else str(value.this)
    kind = str(tree.args.get("kind", "TABLE")).upper()
    if kind == "COLUMN":
        *above, column = [part.name for part in tree.this.parts]
        name = TableName(above[-2] if len(above) > 1 else DEFAULT_SCHEMA, above[-1])
        return lambda work: layout.set_column_comment(work, name, column, text)
    named = _named(tree.this)
    if kind == "VIEW":
        return lambda work: entries.comment_on_view(work, named, text)
    return lambda work: layout.set_comment(work, named, text)


def _layout(known: re.Match[str]) -> Operation:
    name = table_name(known["table"])
    keys = [] if known["reset"] else _split(known["keys"] or "")
    if known["what"].upper() == "PARTITIONED":
        return lambda work: layout.set_partitioning(work, name, keys)
    return lambda work: layout.set_sort_order(work, name, keys)


def _split(text: str) -> list[str]:
    """The parts between commas that stand in no parentheses."""
    parts, depth, current = [], 0, ""
    for sign in text:
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += sign
    return [*parts, current.strip()] if current.strip() else parts


def _nested(known: re.Match[str]) -> Operation:
    name, path, rest = table_name(known["table"]), known["path"], known["rest"]
    match known["verb"].upper():
        case "ADD":
            return lambda work: columns.add_column(work, name, path, rest, None)
        case "DROP":
            return lambda work: columns.drop_column(work, name, path)
        case _:
            new_name = re.sub(r"^TO\s+", "", rest, flags=re.IGNORECASE).strip('"')
            return lambda work: columns.rename_column(work, name, path, new_name)
