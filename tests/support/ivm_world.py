"""Sources with a history in plain DuckDB tables, and a view kept over them by deltas alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import duckdb
import sqlglot

from quacklake.ivm.compiler import View, compile_view
from quacklake.ivm.plan import Origin, State
from quacklake.ivm.program import WEIGHT_COLUMN, Program
from quacklake.ivm.schema import SourceColumn

Row: TypeAlias = tuple[Any, ...]
Bag: TypeAlias = "Counter[Row]"
Rows: TypeAlias = duckdb.DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class Table:
    """A source: its columns with Spark's types."""

    name: str
    columns: tuple[SourceColumn, ...]


def table(name: str, definition: str) -> Table:
    """A table from text like "id bigint not null, k int"."""
    columns = []
    for part in definition.split(", "):
        column, _, kind = part.partition(" ")
        required = kind.lower().endswith(" not null")
        kind = kind[: -len(" not null")] if required else kind
        columns.append(SourceColumn(column, kind.upper(), not required))
    return Table(name, tuple(columns))


class ImpossibleDelta(AssertionError):
    """A delta deletes a row that is not there."""


@dataclass(slots=True)
class World:
    """The sources of a test: their rows now and at the start of the window."""

    tables: tuple[Table, ...]
    con: duckdb.DuckDBPyConnection = field(default_factory=duckdb.connect)
    rows: dict[str, Bag] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for each in self.tables:
            names = ", ".join(f'"{c.name}" {duckdb_type(c.type)}' for c in each.columns)
            self.con.execute(f'CREATE OR REPLACE TABLE "{each.name}" ({names})')
            self.con.execute(f'CREATE OR REPLACE TABLE "old_{each.name}" ({names})')
            self.con.execute(
                f'CREATE OR REPLACE TABLE "change_{each.name}" ({names}, {WEIGHT_COLUMN} BIGINT)'
            )
            self.rows.setdefault(each.name, Counter())

    @property
    def schema(self) -> Mapping[str, Sequence[SourceColumn]]:
        """The sources as the compiler sees them."""
        return {each.name: each.columns for each in self.tables}

    def step(self, changes: Mapping[str, Bag]) -> frozenset[str]:
        """Make one window of the changes; answers which sources really changed."""
        changed = set()
        for each in self.tables:
            name, change = each.name, _consolidated(changes.get(each.name, Counter()))
            now = Counter(self.rows[name])
            for row, weight in change.items():
                now[row] += weight
                assert now[row] >= 0, "the history itself deletes a row that is not there"
            self._fill(f"old_{name}", _copies(self.rows[name]))
            self.rows[name] = _consolidated(now)
            self._fill(name, _copies(self.rows[name]))
            self._fill(f"change_{name}", [(*row, weight) for row, weight in change.items()])
            if change:
                changed.add(name)
        return frozenset(changed)

    def _fill(self, name: str, rows: Iterable[Row]) -> None:
        self.con.execute(f'DELETE FROM "{name}"')
        values = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
        if values:
            self.con.execute(f'INSERT INTO "{name}" VALUES {values}')

    def run(self, program: Program, own: Mapping[str, str] | None = None) -> Rows:
        """Run a program over the sources as they are; `own` are the view's own relations."""
        return self.con.execute(program.sql(reads=reads_of(program, own)))

    def recomputed(self, sql: str) -> tuple[list[str], Bag]:
        """The query itself, as DuckDB understands it: the types and the rows."""
        result = self.con.execute(on_duckdb(sql))
        types = [str(each[1]) for each in result.description]
        return types, Counter(map(comparable, result.fetchall()))


def reads_of(program: Program, own: Mapping[str, str] | None = None) -> dict[str, str]:
    """A query for each read: a table of the world, or one of the view's own relations."""
    prefix = {State.OLD: "old_", State.NEW: "", State.CHANGE: "change_"}
    found = {}
    for read in program.reads:
        if read.origin is Origin.SOURCE:
            found[read.name] = f'SELECT * FROM "{prefix[read.state]}{read.source}"'
        else:
            found[read.name] = f'SELECT * FROM "{(own or {})[read.source]}"'
    return found


@dataclass(slots=True)
class Maintained:
    """A view's rows and state in tables of their own, changed by nothing but deltas."""

    con: duckdb.DuckDBPyConnection
    view: View
    prefix: str = "kept"

    @property
    def own(self) -> dict[str, str]:
        """The view's own relations: its result is named ""."""
        names = ("", *(each.name for each in self.view.states))
        return {name: f"{self.prefix}_{name}" for name in names}

    @property
    def rows(self) -> Bag:
        """The stored result."""
        result = self.con.execute(f'SELECT * FROM "{self.own[""]}"')
        return Counter(map(comparable, result.fetchall()))

    def fill(self, types: Sequence[str]) -> None:
        """Compute result and state once, from the sources; the result's columns have `types`."""
        program = self.view.full("duckdb")
        columns = ", ".join(
            f'CAST("{name}" AS {kind}) AS "{name}"'
            for name, kind in zip(self.view.names, types, strict=True)
        )
        text = f"SELECT {columns} FROM ({program.sql(reads=reads_of(program))})"
        self.con.execute(f'CREATE OR REPLACE TABLE "{self.own[""]}" AS {text}')
        for each in program.states:
            text = program.state_sql(each.name, reads=reads_of(program))
            self.con.execute(f'CREATE OR REPLACE TABLE "{self.own[each.name]}" AS {text}')

    def refresh(self, changed: Iterable[str]) -> Program | None:
        """Apply the delta of the window to the result and to every state; answers the program."""
        program = self.view.delta("duckdb", changed=changed)
        if program is None:
            return None
        con, reads = self.con, reads_of(program, self.own)
        texts = {self.own[""]: program.sql(reads=reads)}
        for each in program.states:
            texts[self.own[each.name]] = program.state_sql(each.name, reads=reads)
        for place, text in enumerate(texts.values()):
            con.execute(f"CREATE OR REPLACE TEMP TABLE delta_{place} AS {text}")
        for place, name in enumerate(texts):
            apply_delta(con, name, f"delta_{place}")
        return program


def apply_delta(con: duckdb.DuckDBPyConnection, stored: str, delta: str) -> None:
    """Change a stored table by a consolidated delta; a row that is not there fails loudly."""
    kinds = con.execute(f'DESCRIBE "{stored}"').fetchall()
    names = [row[0] for row in con.execute(f"DESCRIBE {delta}").fetchall()]
    assert names == [*(row[0] for row in kinds), WEIGHT_COLUMN], "the delta has other columns"
    columns = ", ".join(f'CAST("{row[0]}" AS {row[1]}) AS "{row[0]}"' for row in kinds)
    rows = con.execute(f"SELECT {columns}, {WEIGHT_COLUMN} FROM {delta}").fetchall()
    if not rows:
        return
    bag: Bag = Counter()
    for *row, weight in rows:
        assert weight != 0, "a consolidated delta has no weight zero"
        assert tuple(map(_hashable, row)) not in bag, "a consolidated delta has each row once"
        bag[tuple(map(_hashable, row))] = weight
    grouped = ", ".join(f'"{row[0]}"' for row in kinds)
    con.execute(
        f"""CREATE OR REPLACE TEMP TABLE merged AS
        SELECT {grouped}, sum(__copies) AS __copies FROM (
            SELECT {grouped}, count(*) AS __copies FROM "{stored}" GROUP BY ALL
            UNION ALL SELECT {columns}, {WEIGHT_COLUMN} FROM {delta}
        ) GROUP BY {grouped} HAVING sum(__copies) <> 0"""
    )
    negative = con.execute("SELECT * FROM merged WHERE __copies < 0").fetchall()
    if negative:
        raise ImpossibleDelta(f"{stored} would have rows of negative weight: {negative!r}")
    con.execute(f'DELETE FROM "{stored}"')
    copies = "SELECT *, unnest(range(__copies::BIGINT)) FROM merged"
    con.execute(f'INSERT INTO "{stored}" SELECT {grouped} FROM ({copies})')


def _hashable(value: Any) -> Any:
    return repr(value) if isinstance(value, list | dict) else value


def maintained(
    world: World, sql: str, *, oracle: str | None = None, keep_state: bool = True
) -> Maintained:
    """A view over the sources as they are now."""
    view = compile_view(sql, world.schema, keep_state=keep_state)
    kept = Maintained(world.con, view)
    kept.fill(world.recomputed(oracle or sql)[0])
    return kept


def on_duckdb(sql: str) -> str:
    """A query as DuckDB writes it."""
    return sqlglot.transpile(sql, read="spark", write="duckdb")[0]


def check_history(
    world: World,
    sql: str,
    windows: Iterable[Mapping[str, Bag]],
    *,
    oracle: str | None = None,
    keep_state: bool = True,
) -> Maintained:
    """After every window the maintained rows are the recomputed ones, as bags."""
    kept = maintained(world, sql, oracle=oracle, keep_state=keep_state)
    _, expected = world.recomputed(oracle or sql)
    assert kept.rows == expected, f"the plan is not the query: {_difference(kept.rows, expected)}"
    for window in windows:
        kept.refresh(world.step(window))
        _, expected = world.recomputed(oracle or sql)
        assert kept.rows == expected, f"drifted: {_difference(kept.rows, expected)}"
    return kept


def _difference(ours: Bag, theirs: Bag) -> str:
    return f"too many {dict(ours - theirs)!r}, missing {dict(theirs - ours)!r}"


def _consolidated(bag: Bag) -> Bag:
    return Counter({row: count for row, count in bag.items() if count})


def _copies(bag: Bag) -> list[Row]:
    return [row for row, count in bag.items() for _ in range(count)]


def comparable(row: Iterable[Any]) -> Row:
    """A row whose equality is SQL's, with types: NaN is itself, 1 is not 1.0."""
    return tuple(_comparable(value) for value in row)


def _comparable(value: Any) -> Any:
    if isinstance(value, float):
        return ("float", "nan" if value != value else round(value, 9) + 0.0)  # noqa: PLR0124
    if isinstance(value, list):
        return ("list", *map(_comparable, value))
    if isinstance(value, dict):
        return ("map", *sorted((repr(k), repr(v)) for k, v in value.items()))
    return (type(value).__name__, value)


def duckdb_type(spark: str) -> str:
    """A Spark type as DuckDB names it."""
    return sqlglot.exp.DataType.build(spark, dialect="spark").sql("duckdb")


def literal(value: Any) -> str:
    """A value as SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, bool | int):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, float):
        return f"'{value!r}'::DOUBLE"
    return "'" + str(value).replace("'", "''") + "'"
