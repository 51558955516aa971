"""Hypothesis strategies for steps that change rows, files and options of a lake."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from quacklake.format.sqltypes import literal, quoted
from tests.support.histories import FILES, Step, call
from tests.support.leaf_values import Strategy
from tests.support.shapes import Leaf
from tests.support.worlds import ColumnDrawn, TableDrawn, World, cast

ROWS: Final = st.sampled_from([1, 2, 3, 10, 11, 25, 60])
_MATCHABLE: Final = frozenset({"VARIANT", "GEOMETRY", "INTERVAL", "JSON", "FLOAT", "DOUBLE"})
_HIVE: Final = frozenset({"INTEGER", "VARCHAR", "DATE", "BIGINT", "BOOLEAN"})


@st.composite
def insert(draw: st.DrawFn, world: World) -> Step:
    """Few rows, which are inlined, or more, which become a file; sometimes only some columns."""
    table = draw(st.sampled_from(world.tables))
    optional = [column for column in table.columns if not column.required]
    left_out = draw(st.lists(st.sampled_from(optional), max_size=1)) if optional else []
    columns = [column for column in table.columns if column not in left_out] or table.columns
    names = ", ".join(column.sql for column in columns)
    rows = draw(_rows(world, columns))
    return Step("insert", (f"INSERT INTO {table.sql} ({names}) {rows}",))


@st.composite
def _rows(draw: st.DrawFn, world: World, columns: list[ColumnDrawn]) -> str:
    """A query for some rows: each column walks through a small pool of values."""
    chosen = []
    for column in columns:
        pool = draw(st.lists(world.values(column), min_size=1, max_size=4))
        run = draw(st.sampled_from([1, 1, 3, 20]))
        item = f"[{', '.join(pool)}][1 + (i // {run}) % {len(pool)}]"
        chosen.append(f"{cast(item, column)} AS {column.sql}")
    return f"SELECT {', '.join(chosen)} FROM range({draw(ROWS)}) r(i)"


@st.composite
def _condition(draw: st.DrawFn, world: World, table: TableDrawn) -> str:
    """Which rows: few, half, all, or by a value."""
    kinds = ["some", "some", "first", "null", "all", "equal"]
    match draw(st.sampled_from(kinds)):
        case "some":
            modulus = draw(st.sampled_from([2, 3, 10]))
            return f"rowid % {modulus} = {draw(st.integers(0, modulus - 1))}"
        case "first":
            return f"rowid < {draw(st.sampled_from([1, 3, 12, 40]))}"
        case "null":
            return f"{draw(st.sampled_from(table.columns)).sql} IS NULL"
        case "equal" if comparable := table.leaves(without=_MATCHABLE):
            column = draw(st.sampled_from(comparable))
            return f"{column.sql} = {draw(world.values(column))}"
        case _:
            return "true"


@st.composite
def delete(draw: st.DrawFn, world: World) -> Step:
    """Some rows, or all of them."""
    table = draw(st.sampled_from(world.tables))
    return Step("delete", (f"DELETE FROM {table.sql} WHERE {draw(_condition(world, table))}",))


@st.composite
def update(draw: st.DrawFn, world: World) -> Step:
    """One or two columns of some rows, or of all."""
    table = draw(st.sampled_from(world.tables))
    chosen = draw(st.lists(st.sampled_from(table.columns), min_size=1, max_size=2, unique_by=id))
    values = ", ".join(f"{column.sql} = {draw(world.values(column))}" for column in chosen)
    where = draw(_condition(world, table))
    return Step("update", (f"UPDATE {table.sql} SET {values} WHERE {where}",))


@st.composite
def merge(draw: st.DrawFn, world: World) -> Step:
    """Upsert, or delete-and-insert, by the values of one column."""
    table = draw(st.sampled_from(world.tables))
    comparable = table.leaves(without=_MATCHABLE)
    others = [column for column in table.columns if column.required]
    if not comparable or others:
        return draw(insert(world))
    key = draw(st.sampled_from(comparable))
    pool = ", ".join(draw(st.lists(world.values(key), min_size=1, max_size=4)))
    changed = draw(st.sampled_from(table.columns))
    matched = draw(
        st.sampled_from(["DELETE", f"UPDATE SET {changed.sql} = {draw(world.values(changed))}"])
    )
    source = f"(SELECT DISTINCT {cast('k', key)} AS k FROM unnest([{pool}]) u(k))"
    statement = (
        f"MERGE INTO {table.sql} AS t USING {source} AS q ON t.{key.sql} = q.k "
        f"WHEN MATCHED THEN {matched} "
        f"WHEN NOT MATCHED THEN INSERT ({key.sql}) VALUES (q.k)"
    )
    return Step("merge", (statement,))


@st.composite
def add_files(draw: st.DrawFn, world: World) -> Step:
    """Parquet files from elsewhere: columns in another order, missing, or as hive folders."""
    table = draw(st.sampled_from(world.tables))
    plain = [column for column in table.columns if column.shape != Leaf("VARIANT")]
    # An encrypted lake has no key for a file that it did not write, and cannot read it.
    if not plain or world.encrypted:
        return draw(insert(world))
    columns = draw(st.permutations(plain))
    if len(columns) > 1 and draw(st.booleans()):
        columns = columns[:-1]
    query = draw(_rows(world, columns))
    if draw(st.booleans()):
        query = query.replace("SELECT ", "SELECT i AS not_in_the_table, ", 1)
    target = f"{FILES}/{world.number()}"
    hive = [c for c in columns if isinstance(c.shape, Leaf) and c.shape.sql in _HIVE]
    if len(columns) > 1 and hive and draw(st.booleans()):
        key = draw(st.sampled_from(hive))
        copy = f"COPY ({query}) TO '{target}' (FORMAT parquet, PARTITION_BY ({key.sql}))"
        return _added(table, copy, f"{target}/**/*.parquet", hive="true")
    return _added(table, f"COPY ({query}) TO '{target}.parquet'", f"{target}.parquet", hive="false")


def _added(table: TableDrawn, copy: str, path: str, *, hive: str) -> Step:
    name, schema = table.arguments
    options = f"allow_missing => true, ignore_extra_columns => true, hive_partitioning => {hive}"
    return Step("add files", (copy, call("add_data_files", name, literal(path), schema, options)))


@st.composite
def maintain(draw: st.DrawFn, world: World) -> Step:
    """Flush, compaction, rewriting, expiry or clean-up."""
    table = draw(st.sampled_from(world.tables))
    name, schema = table.arguments
    threshold = f"delete_threshold => {draw(st.sampled_from(['0.01', '0.3']))}"
    gone = draw(st.lists(st.integers(0, world.numbers), min_size=1, max_size=4, unique=True))
    one = f"table_name => {name}, schema_name => {literal(table.schema)}"
    steps = [
        Step("flush", (call("flush_inlined_data"),)),
        Step("flush", (call("flush_inlined_data", one),)),
        Step("merge files", (call("merge_adjacent_files"),)),
        Step("merge files", (call("merge_adjacent_files", name, schema),)),
        Step("rewrite", (call("rewrite_data_files", name, schema, threshold),)),
        Step("rewrite", (call("rewrite_data_files", threshold),)),
        Step("expire", (call("expire_snapshots", f"versions => {gone}"),)),
        Step("clean up", (call("cleanup_old_files", "cleanup_all => true"),)),
    ]
    return draw(st.sampled_from(steps))


_OPTIONS: Final = (
    ("data_inlining_row_limit", ["0", "3", "10", "40"]),
    ("write_deletion_vectors", ["true", "false"]),
    ("parquet_version", ["1", "2"]),
    ("parquet_compression", ["'zstd'", "'uncompressed'", "'snappy'"]),
    ("hive_file_pattern", ["true", "false"]),
    ("target_file_size", ["'1KB'", "'512MB'"]),
    ("sort_on_insert", ["true", "false"]),
)


@st.composite
def option(draw: st.DrawFn, world: World) -> Step:
    """An option of the lake, or of one table."""
    name, values = draw(st.sampled_from(_OPTIONS))
    value = draw(st.sampled_from(values))
    scope: tuple[str, ...] = ()
    if draw(st.booleans()):
        table = draw(st.sampled_from(world.tables))
        scope = (f"table_name => {literal(table.name)}", f"schema => {literal(table.schema)}")
    return Step("option", (call("set_option", literal(name), value, *scope),))


def filters(columns: list[tuple[str, Strategy]]) -> Strategy:
    """WHERE conditions over leaf columns, each given with a strategy for its literals."""
    return st.recursive(
        st.sampled_from(columns).flatmap(lambda column: _comparison(*column)),
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(lambda two: f"({two[0]} AND {two[1]})"),
            st.tuples(inner, inner).map(lambda two: f"({two[0]} OR {two[1]})"),
            inner.map(lambda one: f"(NOT {one})"),
        ),
        max_leaves=3,
    )


def _comparison(name: str, values: Strategy) -> Strategy:
    column = quoted(name)
    operators = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
    return st.one_of(
        st.tuples(operators, values).map(lambda two: f"({column} {two[0]} {two[1]})"),
        st.tuples(operators, values).map(lambda two: f"({two[1]} {two[0]} {column})"),
        st.lists(values, min_size=1, max_size=3).map(lambda v: f"({column} IN ({', '.join(v)}))"),
        st.tuples(values, values).map(lambda v: f"({column} BETWEEN {v[0]} AND {v[1]})"),
        st.sampled_from([f"({column} IS NULL)", f"({column} IS NOT NULL)"]),
    )
