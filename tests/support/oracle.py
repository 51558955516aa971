"""Whether two answers are the same bag of rows with the same types; DuckDB itself decides.

Law: two rows are the same iff every value is not distinct from its partner *and* has the same
text. Equality alone would let pass -0.0 for 0.0, thirty days for a month, and one offset for
another; text alone would let pass NULL for 'NULL'. Nothing is rounded, sorted or repaired.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import duckdb
import pyarrow as pa
from duckdb.sqltypes import DuckDBPyType

from quacklake.format.sqltypes import quoted

_Columns: TypeAlias = list[tuple[str, DuckDBPyType]]

_SHOWN: Final = 5
_OURS: Final = "ours_before_casts"

_ARROW: Final[dict[str, pa.DataType]] = {
    "BOOLEAN": pa.bool_(),
    "TINYINT": pa.int8(),
    "SMALLINT": pa.int16(),
    "INTEGER": pa.int32(),
    "BIGINT": pa.int64(),
    "HUGEINT": pa.decimal128(38, 0),
    "UTINYINT": pa.uint8(),
    "USMALLINT": pa.uint16(),
    "UINTEGER": pa.uint32(),
    "UBIGINT": pa.uint64(),
    "UHUGEINT": pa.string(),
    "FLOAT": pa.float32(),
    "DOUBLE": pa.float64(),
    "TIME": pa.time64("us"),
    "TIME_NS": pa.time64("ns"),
    "TIME WITH TIME ZONE": pa.string(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us"),
    "TIMESTAMP_S": pa.timestamp("s"),
    "TIMESTAMP_MS": pa.timestamp("ms"),
    "TIMESTAMP_NS": pa.timestamp("ns"),
    "TIMESTAMP WITH TIME ZONE": pa.timestamp("us", tz="UTC"),
    "INTERVAL": pa.month_day_nano_interval(),
    "VARCHAR": pa.string(),
    "BLOB": pa.binary(),
    "UUID": pa.string(),
    "JSON": pa.string(),
    "VARIANT": pa.string(),
    "GEOMETRY": pa.binary(),
}


def judge() -> duckdb.DuckDBPyConnection:
    """A DuckDB to compare answers with, in which instants have one text."""
    con = duckdb.connect(config={"threads": 1})
    con.execute("SET TimeZone = 'UTC'")
    return con


def arrow_type_of(sql: DuckDBPyType) -> pa.DataType:
    """The Arrow type a result must have where the referee answers with `sql`."""
    match sql.id:
        case "list":
            return pa.list_(pa.field("element", arrow_type_of(_child(sql, 0))))
        case "struct":
            return pa.struct([pa.field(name, arrow_type_of(kind)) for name, kind in _fields(sql)])
        case "map":
            return pa.map_(arrow_type_of(_child(sql, 0)), arrow_type_of(_child(sql, 1)))
        case "decimal":
            precision, scale = (int(str(part)) for _, part in sql.children)
            return pa.decimal128(precision, scale)
        case _:
            return _ARROW[str(sql)]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the referee returned: columns with their SQL types, and a table that holds the rows.

    A variant is held as its JSON, a geometry as its well-known binary: DuckDB compares neither.
    """

    relation: str
    columns: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(name for name, _ in self.columns)

    def select(self, names: tuple[str, ...]) -> Answer:
        """The answer to a query for the columns `names` only."""
        types = dict(self.columns)
        return Answer(self.relation, tuple((name, types[name]) for name in names))


def remember(con: duckdb.DuckDBPyConnection, query: str, relation: str) -> Answer:
    """Run `query` on the referee and keep its rows in the new table `relation`."""
    result = con.sql(query)
    columns = list(zip(result.columns, result.types, strict=True))
    values = ", ".join(
        f"{_comparable(quoted(name), kind)} AS {quoted(name)}" for name, kind in columns
    )
    con.execute(f"CREATE TABLE {relation} AS SELECT {values} FROM ({query})")
    return Answer(relation, tuple((name, str(kind)) for name, kind in columns))


def disagreements(
    con: duckdb.DuckDBPyConnection,
    answer: Answer,
    ours: pa.Table,
    *,
    where: str = "true",
    nan_is_null: bool = False,
) -> tuple[str, ...]:
    """How `ours` differs from the rows of `answer` that satisfy `where`; empty if it does not.

    With `nan_is_null` a NaN of the referee is expected as NULL, for frames that know no other.
    """
    columns = _columns(con, answer)
    problems = _schema_disagreements(columns, ours.schema)
    if problems:
        return problems
    expected = _nan_as_null if nan_is_null else _as_is
    con.register(_OURS, ours)
    try:
        theirs = f"(SELECT {_rows(columns, expected)} FROM {answer.relation} WHERE {where})"
        mine = f"(SELECT {_rows(columns, _cast)} FROM {_OURS})"
        missing = _surplus(con, theirs, mine)
        invented = _surplus(con, mine, theirs)
    finally:
        con.unregister(_OURS)
    return (*(f"missing {row}" for row in missing), *(f"invented {row}" for row in invented))


def relation_disagreements(
    con: duckdb.DuckDBPyConnection, answer: Answer, ours: duckdb.DuckDBPyRelation
) -> tuple[str, ...]:
    """How a relation of another connection differs from `answer`, its SQL types included."""
    found = tuple((name, str(kind)) for name, kind in zip(ours.columns, ours.types, strict=True))
    if found != answer.columns:
        return (f"columns are {found}, expected {answer.columns}",)
    columns = _columns(con, answer)
    held = ours.project(
        ", ".join(f"{_comparable(quoted(n), t)} AS {quoted(n)}" for n, t in columns)
    )
    plain = [(name, con.sqltype(_comparable_type(kind))) for name, kind in columns]
    texts = held.project(_rows(plain, _as_is)).project("COLUMNS('t\\d*')").fetchall()
    query = f"SELECT COLUMNS('t\\d*') FROM (SELECT {_rows(plain, _as_is)} FROM {answer.relation})"
    expected, got = Counter(con.execute(query).fetchall()), Counter(texts)
    return (
        *(f"missing {row}" for row in (expected - got).elements()),
        *(f"invented {row}" for row in (got - expected).elements()),
    )[:_SHOWN]


def arrow_schema_of(con: duckdb.DuckDBPyConnection, answer: Answer) -> pa.Schema:
    """The schema an Arrow result must have."""
    return pa.schema([(name, arrow_type_of(kind)) for name, kind in _columns(con, answer)])


def _columns(con: duckdb.DuckDBPyConnection, answer: Answer) -> _Columns:
    return [(name, con.sqltype(kind)) for name, kind in answer.columns]


def _schema_disagreements(columns: _Columns, schema: pa.Schema) -> tuple[str, ...]:
    names = [name for name, _ in columns]
    if schema.names != names:
        return (f"columns are {schema.names}, expected {names}",)
    expected = [arrow_type_of(kind) for _, kind in columns]
    return tuple(
        f"column {field.name!r} has Arrow type {field.type}, expected {kind}"
        for field, kind in zip(schema, expected, strict=True)
        if field.type != kind
    )


def _surplus(con: duckdb.DuckDBPyConnection, left: str, right: str) -> list[str]:
    """Rows that `left` holds more often than `right`, as text."""
    rows = con.execute(f"FROM {left} EXCEPT ALL FROM {right} LIMIT {_SHOWN}").fetchall()
    return [str(row[1::2]) for row in rows]


def _rows(columns: _Columns, value: Callable[[str, DuckDBPyType], str]) -> str:
    """Each column as a pair: the value, which tells NULL, and its text, which tells the rest."""
    pairs = []
    for index, (name, kind) in enumerate(columns):
        expression = value(quoted(name), kind)
        pairs.append(f"{expression} AS v{index}, CAST({expression} AS VARCHAR) AS t{index}")
    return ", ".join(pairs) or "1 AS v, '1' AS t"


def _as_is(column: str, _kind: DuckDBPyType) -> str:
    return column


def _nan_as_null(column: str, kind: DuckDBPyType) -> str:
    floating = str(kind) in {"FLOAT", "DOUBLE"}
    return f"CASE WHEN NOT isnan({column}) THEN {column} END" if floating else column


def _cast(column: str, kind: DuckDBPyType) -> str:
    return f"CAST({column} AS {_comparable_type(kind)})"


def _comparable(value: str, kind: DuckDBPyType) -> str:
    """An expression for `value` in which variants are JSON and geometries are binary."""
    if not _is_special(kind):
        return value
    match kind.id:
        case "list":
            return f"list_transform({value}, lambda e: {_comparable('e', _child(kind, 0))})"
        case "struct":
            parts = ", ".join(
                f"{quoted(name)} := {_comparable(f'{value}.{quoted(name)}', field)}"
                for name, field in _fields(kind)
            )
            return f"CASE WHEN {value} IS NOT NULL THEN struct_pack({parts}) END"
        case "geometry":
            return f"ST_AsWKB({value})"
        case "variant":
            # A cast alone would make the JSON value null out of an SQL NULL.
            return f"CASE WHEN {value} IS NOT NULL THEN CAST({value} AS JSON) END"
        case other:
            raise NotImplementedError(f"no comparison of a geometry or variant inside a {other}")


def _comparable_type(kind: DuckDBPyType) -> str:
    match kind.id:
        case "list":
            return f"{_comparable_type(_child(kind, 0))}[]"
        case "struct":
            inner = ", ".join(f"{quoted(n)} {_comparable_type(t)}" for n, t in _fields(kind))
            return f"STRUCT({inner})"
        case "geometry":
            return "BLOB"
        case "variant":
            return "JSON"
        case _:
            return str(kind)


def _is_special(kind: DuckDBPyType) -> bool:
    if kind.id in {"list", "struct", "map"}:
        return any(_is_special(child) for _, child in _fields(kind))
    return kind.id in {"geometry", "variant"}


def _child(kind: DuckDBPyType, index: int) -> DuckDBPyType:
    return _fields(kind)[index][1]


def _fields(kind: DuckDBPyType) -> list[tuple[str, DuckDBPyType]]:
    return [(str(name), child) for name, child in kind.children if isinstance(child, DuckDBPyType)]
