"""Hypothesis strategies for steps that change schemas, tables and their columns."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from quacklake.format.sqltypes import literal, quoted
from tests.support.histories import LAKE, Step
from tests.support.shapes import (
    Leaf,
    StructOf,
    default_literals,
    field_shapes,
    shapes,
    sql_of,
    structs_in,
    with_struct,
)
from tests.support.worlds import FIELDS, NAMES, ColumnDrawn, TableDrawn, World, unused

_WITHOUT_DEFAULT: Final = frozenset({"VARIANT", "GEOMETRY"})
_UNPARTITIONABLE: Final = frozenset({"VARIANT", "GEOMETRY", "INTERVAL", "JSON"})
_DATES: Final = frozenset({"DATE"})
_TIMES: Final = frozenset(
    {"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ"}
)
_WIDER: Final[dict[str, tuple[str, ...]]] = {
    "TINYINT": ("SMALLINT", "INTEGER", "BIGINT", "DOUBLE", "HUGEINT"),
    "SMALLINT": ("INTEGER", "BIGINT", "FLOAT"),
    "INTEGER": ("BIGINT", "DOUBLE", "DECIMAL(18,4)"),
    "BIGINT": ("HUGEINT", "DECIMAL(38,10)"),
    "UTINYINT": ("USMALLINT", "UINTEGER", "UBIGINT", "SMALLINT"),
    "USMALLINT": ("UINTEGER", "UBIGINT", "INTEGER"),
    "UINTEGER": ("UBIGINT", "BIGINT"),
    "FLOAT": ("DOUBLE",),
    "DATE": ("TIMESTAMP", "TIMESTAMPTZ"),
    "TIMESTAMP": ("TIMESTAMPTZ",),
    "TIMESTAMP_S": ("TIMESTAMP", "TIMESTAMP_MS"),
    "TIMESTAMP_MS": ("TIMESTAMP",),
    "DECIMAL(4,2)": ("DECIMAL(18,4)", "DOUBLE"),
    "DECIMAL(9,0)": ("DECIMAL(18,4)",),
}


@st.composite
def create_table(draw: st.DrawFn, world: World) -> Step:
    """A table of one to four columns, some with defaults or NOT NULL."""
    schema = draw(st.sampled_from(world.schemas))
    taken = [table.name for table in world.tables] + world.views
    table = TableDrawn(schema, draw(unused(NAMES, taken)), [])
    definitions = []
    for name in draw(st.lists(NAMES, min_size=1, max_size=4, unique_by=str.casefold)):
        column = ColumnDrawn(name, draw(shapes(FIELDS, text_inlined=world.text_inlined)))
        column.required = draw(st.sampled_from([False, False, False, True]))
        table.columns.append(column)
        suffix = " NOT NULL" if column.required else ""
        definitions.append(f"{_definition(draw, column)}{suffix}")
    world.tables.append(table)
    return Step("create table", (f"CREATE TABLE {table.sql} ({', '.join(definitions)})",))


def _definition(draw: st.DrawFn, column: ColumnDrawn) -> str:
    shape = column.shape
    text = f"{column.sql} {sql_of(shape)}"
    has_default = isinstance(shape, Leaf) and shape.sql not in _WITHOUT_DEFAULT
    if isinstance(shape, Leaf) and has_default and draw(st.booleans()):
        return f"{text} DEFAULT {draw(default_literals(shape))}"
    return text


@st.composite
def drop_table(draw: st.DrawFn, world: World) -> Step:
    """A table disappears; earlier snapshots still have it."""
    table = draw(st.sampled_from(world.tables))
    world.tables.remove(table)
    return Step("drop table", (f"DROP TABLE {table.sql}",))


@st.composite
def rename_table(draw: st.DrawFn, world: World) -> Step:
    """A table gets another name."""
    table = draw(st.sampled_from(world.tables))
    before = table.sql
    table.name = draw(unused(NAMES, [other.name for other in world.tables] + world.views))
    return Step("rename table", (f"ALTER TABLE {before} RENAME TO {quoted(table.name)}",))


@st.composite
def create_schema(draw: st.DrawFn, world: World) -> Step:
    """Another schema, or a view if there are enough schemas."""
    if len(world.schemas) > 2:
        return draw(create_view(world))
    name = draw(unused(st.sampled_from(["s", "Schema Two", "s.3", "ß"]), world.schemas))
    world.schemas.append(name)
    return Step("create schema", (f"CREATE SCHEMA {LAKE}.{quoted(name)}",))


@st.composite
def create_view(draw: st.DrawFn, world: World) -> Step:
    """A view over a table, or over nothing."""
    name = f"view {world.number()}"
    table = draw(st.sampled_from(world.tables))
    world.views.append(name)
    return Step(
        "create view",
        (f"CREATE VIEW {LAKE}.main.{quoted(name)} AS SELECT * FROM {table.sql}",),
    )


@st.composite
def add_column(draw: st.DrawFn, world: World) -> Step:
    """A column that earlier files lack, with or without a default."""
    table = draw(st.sampled_from(world.tables))
    name = draw(unused(NAMES, [column.name for column in table.columns]))
    column = ColumnDrawn(name, draw(shapes(FIELDS, text_inlined=world.text_inlined)))
    table.columns.append(column)
    return Step("add column", (f"ALTER TABLE {table.sql} ADD COLUMN {_definition(draw, column)}",))


@st.composite
def drop_column(draw: st.DrawFn, world: World) -> Step:
    """A column goes, unless it is the last or files are laid out by it."""
    table = draw(st.sampled_from(world.tables))
    free = [column for column in table.columns if not (column.partitioned or column.sorted)]
    if len(table.columns) < 2 or not free:
        return draw(add_column(world))
    column = draw(st.sampled_from(free))
    table.columns.remove(column)
    return Step("drop column", (f"ALTER TABLE {table.sql} DROP COLUMN {column.sql}",))


@st.composite
def rename_column(draw: st.DrawFn, world: World) -> Step:
    """A column gets another name."""
    table = draw(st.sampled_from(world.tables))
    column = draw(st.sampled_from(table.columns))
    before = column.sql
    column.name = draw(unused(NAMES, [other.name for other in table.columns]))
    return Step("rename column", (f"ALTER TABLE {table.sql} RENAME {before} TO {column.sql}",))


@st.composite
def widen_column(draw: st.DrawFn, world: World) -> Step:
    """A column gets a type its values fit in."""
    table = draw(st.sampled_from(world.tables))
    narrow = [column for column in table.leaves() if _wider(column) and not column.partitioned]
    if not narrow:
        return draw(rename_column(world))
    column = draw(st.sampled_from(narrow))
    column.shape = Leaf(draw(st.sampled_from(_wider(column))))
    change = f"ALTER {column.sql} SET TYPE {sql_of(column.shape)}"
    return Step("set type", (f"ALTER TABLE {table.sql} {change}",))


def _wider(column: ColumnDrawn) -> tuple[str, ...]:
    return _WIDER.get(column.shape.sql, ()) if isinstance(column.shape, Leaf) else ()


@st.composite
def change_default(draw: st.DrawFn, world: World) -> Step:
    """Later inserts get another default, or none; or NULL becomes possible."""
    table = draw(st.sampled_from(world.tables))
    if not (columns := table.leaves(without=_WITHOUT_DEFAULT)):
        return draw(comment(world))
    column = draw(st.sampled_from(columns))
    assert isinstance(column.shape, Leaf)
    changes = [f"SET DEFAULT {draw(default_literals(column.shape))}"]
    if not column.required:
        changes.append("DROP DEFAULT")
    change = draw(st.sampled_from(changes))
    return Step("default", (f"ALTER TABLE {table.sql} ALTER {column.sql} {change}",))


@st.composite
def change_field(draw: st.DrawFn, world: World) -> Step:
    """A nested field is added, dropped or renamed."""
    table = draw(st.sampled_from(world.tables))
    places = [(c, path, s) for c in table.columns for path, s in structs_in(c.shape)]
    if not places:
        return draw(add_column(world))
    column, path, struct = draw(st.sampled_from(places))
    prefix = ".".join([column.sql, *(quoted(step) for step in path)])
    taken = [name for name, _ in struct.fields]
    name = draw(unused(FIELDS, taken))
    old, _ = draw(st.sampled_from(struct.fields))
    kinds = ["add", "rename", "drop"] if len(taken) > 1 else ["add", "rename"]
    match draw(st.sampled_from(kinds)):
        case "add":
            new = draw(field_shapes(text_inlined=world.text_inlined))
            fields = (*struct.fields, (name, new))
            change = f"ADD COLUMN {prefix}.{quoted(name)} {sql_of(new)}"
        case "rename":
            fields = tuple((name if n == old else n, s) for n, s in struct.fields)
            change = f"RENAME COLUMN {prefix}.{quoted(old)} TO {quoted(name)}"
        case _:
            fields = tuple((n, s) for n, s in struct.fields if n != old)
            change = f"DROP COLUMN {prefix}.{quoted(old)}"
    column.shape = with_struct(column.shape, path, StructOf(fields))
    return Step("nested field", (f"ALTER TABLE {table.sql} {change}",))


@st.composite
def partition(draw: st.DrawFn, world: World) -> Step:
    """Files are split by up to two keys from now on, or no longer."""
    table = draw(st.sampled_from(world.tables))
    for column in table.columns:
        column.partitioned = False
    columns = table.leaves(without=_UNPARTITIONABLE)
    if not columns or draw(st.sampled_from([False, False, True])):
        return Step("partition", (f"ALTER TABLE {table.sql} RESET PARTITIONED BY",))
    keys = []
    for column in draw(st.lists(st.sampled_from(columns), min_size=1, max_size=2, unique_by=id)):
        column.partitioned = True
        keys.append(draw(st.sampled_from(_transforms(column))))
    change = f"SET PARTITIONED BY ({', '.join(keys)})"
    return Step("partition", (f"ALTER TABLE {table.sql} {change}",))


def _transforms(column: ColumnDrawn) -> list[str]:
    """The keys that `column` may be part of."""
    assert isinstance(column.shape, Leaf)
    keys = [column.sql, f"bucket(3, {column.sql})"]
    if column.shape.sql in _DATES | _TIMES:
        keys += [f"{part}({column.sql})" for part in ("year", "month", "day")]
    if column.shape.sql in _TIMES:
        keys.append(f"hour({column.sql})")
    return keys


@st.composite
def sort(draw: st.DrawFn, world: World) -> Step:
    """Files are sorted from now on, or no longer."""
    table = draw(st.sampled_from(world.tables))
    for column in table.columns:
        column.sorted = False
    columns = table.leaves(without=_UNPARTITIONABLE)
    if not columns or draw(st.sampled_from([False, False, True])):
        return Step("sort", (f"ALTER TABLE {table.sql} RESET SORTED BY",))
    column = draw(st.sampled_from(columns))
    column.sorted = True
    order = draw(st.sampled_from(["ASC NULLS FIRST", "DESC NULLS LAST", "ASC"]))
    return Step("sort", (f"ALTER TABLE {table.sql} SET SORTED BY ({column.sql} {order})",))


@st.composite
def comment(draw: st.DrawFn, world: World) -> Step:
    """A comment on a table."""
    table = draw(st.sampled_from(world.tables))
    text = literal(draw(st.sampled_from(["why", "it's", ""])))
    return Step("comment", (f"COMMENT ON TABLE {table.sql} IS {text}",))
