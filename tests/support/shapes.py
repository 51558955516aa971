"""Column types as DuckDB spells them, and Hypothesis strategies for literals of each.

Left out, because DuckDB cannot store them everywhere: TIME_NS (its Parquet writer crashes),
negative intervals and infinite TIMESTAMP_S (not writable to Parquet), 128-bit integers near
their limits (Parquet holds them as DOUBLE, which does not read back), strings with NUL.
`tests/differential/test_reference_limits.py` pins each of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from hypothesis import strategies as st

from quacklake.format.sqltypes import literal, quoted

Strategy: TypeAlias = st.SearchStrategy[str]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A type without parts, by its SQL name."""

    sql: str


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list."""

    element: Shape


@dataclass(frozen=True, slots=True)
class StructOf:
    """Named fields."""

    fields: tuple[tuple[str, Shape], ...]


@dataclass(frozen=True, slots=True)
class MapOf:
    """A map; keys are leaves."""

    key: Leaf
    value: Shape


Shape: TypeAlias = Leaf | ListOf | StructOf | MapOf


def sql_of(shape: Shape) -> str:
    """The type as CREATE TABLE takes it."""
    match shape:
        case Leaf(sql):
            return sql
        case ListOf(element):
            return f"{sql_of(element)}[]"
        case StructOf(fields):
            return f"STRUCT({', '.join(f'{quoted(n)} {sql_of(s)}' for n, s in fields)})"
        case MapOf(key, value):
            return f"MAP({key.sql}, {sql_of(value)})"


def _between(low: int, high: int) -> Strategy:
    edges = [str(low), str(high), "0", "1", str(low + 1), str(high - 1)]
    return st.one_of(st.sampled_from(edges), st.integers(low, high).map(str))


def _one_of(*texts: str) -> Strategy:
    return st.sampled_from([literal(text) for text in texts])


def _decimal(precision: int, scale: int) -> Strategy:
    top = 10**precision - 1
    return st.integers(-top, top).map(lambda unscaled: _fixed(unscaled, scale))


def _fixed(unscaled: int, scale: int) -> str:
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    point = len(digits) - scale
    text = f"{digits[:point]}.{digits[point:]}" if scale else digits
    return literal(f"-{text}" if unscaled < 0 else text)


_WORDS: Final = (
    "",
    " ",
    "a",
    "NULL",
    "null",
    "true",
    "ä日本🦆",
    "a,b;c=d",
    "{x}[y](z)",
    '"quoted"',
    "  padded  ",
    "line\nbreak\ttab",
    "z" * 300,
    "é" * 150,
    "%_.*",
)
_QUOTED_WORDS: Final = ("it's", "back\\slash", "'", "\\'", "\\n")

PLAIN_TEXT: Final[Strategy] = st.one_of(
    st.sampled_from(_WORDS),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00'\\"), max_size=6),
).map(literal)
"""Strings that even a struct inlined as text keeps."""
TEXT: Final[Strategy] = st.one_of(PLAIN_TEXT, st.sampled_from(_QUOTED_WORDS).map(literal))

_FLOATS: Final = ("nan", "inf", "-inf", "-0.0", "0.0", "1.5", "-1e30", "0.1", "1e-40")
_DATES: Final = (
    "2020-01-02",
    "2020-02-29",
    "1969-12-31",
    "1970-01-01",
    "0001-01-01",
    "9999-12-31",
    "10000-01-01",
    "0044-03-15 (BC)",
    "infinity",
    "-infinity",
    "5881580-07-10",
)
_TIMESTAMPS: Final = (
    "2020-01-02 03:04:05",
    "2020-01-02 03:59:59",
    "2021-12-31 23:59:59",
    "1969-12-31 23:59:59",
    "1970-01-01 00:00:00",
    "0044-03-15 (BC) 01:02:03",
    "9999-12-31 23:59:59",
)
_INFINITE: Final = ("infinity", "-infinity")
_MICROS: Final = ("2020-01-02 03:04:05.678901", "1969-12-31 23:59:59.999999")

_LITERALS: Final[dict[str, Strategy]] = {
    "BOOLEAN": st.sampled_from(["true", "false"]),
    "TINYINT": _between(-(2**7), 2**7 - 1),
    "SMALLINT": _between(-(2**15), 2**15 - 1),
    "INTEGER": _between(-(2**31), 2**31 - 1),
    "BIGINT": _between(-(2**63), 2**63 - 1),
    "HUGEINT": _between(-(10**25), 10**25),
    "UTINYINT": _between(0, 2**8 - 1),
    "USMALLINT": _between(0, 2**16 - 1),
    "UINTEGER": _between(0, 2**32 - 1),
    "UBIGINT": _between(0, 2**64 - 1),
    "UHUGEINT": _between(0, 10**25),
    "FLOAT": _one_of(*_FLOATS, "3.4028235e38", "1e-45"),
    "DOUBLE": _one_of(*_FLOATS, "1.7976931348623157e308", "5e-324"),
    "DECIMAL(4,2)": _decimal(4, 2),
    "DECIMAL(9,0)": _decimal(9, 0),
    "DECIMAL(18,4)": _decimal(18, 4),
    "DECIMAL(38,10)": _decimal(38, 10),
    "DATE": _one_of(*_DATES),
    "TIME": _one_of("00:00:00", "12:34:56", "23:59:59.999999", "01:02:03.5"),
    "TIMETZ": _one_of("12:00:00+00", "12:00:00+05:30", "00:00:00-08", "23:59:59.999999+15:59:59"),
    "TIMESTAMP": _one_of(*_TIMESTAMPS, *_INFINITE, *_MICROS, "294247-01-10 04:00:54.775806"),
    "TIMESTAMP_S": _one_of(*_TIMESTAMPS),
    "TIMESTAMP_MS": _one_of(*_TIMESTAMPS, *_INFINITE, "2020-01-02 03:04:05.678"),
    "TIMESTAMP_NS": _one_of(
        "2020-01-02 03:04:05.678901234",
        "1970-01-01 00:00:00",
        "1677-09-22 00:00:00",
        "2262-04-11 23:47:16.854775806",
        *_INFINITE,
    ),
    "TIMESTAMPTZ": _one_of(
        *(f"{text}+00" for text in (*_TIMESTAMPS, *_MICROS)),
        "2020-06-01 00:30:00+05:30",
        *_INFINITE,
    ),
    "INTERVAL": _one_of("1 month", "30 days", "1 year 2 months 3 days 04:05:06.789", "0 seconds"),
    "VARCHAR": TEXT,
    "JSON": _one_of("{}", "null", "1", '"s"', '[1,  {"a": null}]', '{"k": "ü"}', "1.50"),
    "BLOB": st.sampled_from(["''", r"'\x00\xFF'", r"'\x27\x5C'", "'abc'"]),
    "UUID": _one_of(
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "f79c3e09-677c-4bbd-a479-3f349cb785e7",
    ),
    "VARIANT": st.sampled_from(
        ["42", "'x'", "{'a': 1, 'b': [1, NULL]}", "{'a': 2, 'b': [3]}", "DATE '2020-01-02'"]
    ),
    "GEOMETRY": _one_of("POINT(1 2)", "LINESTRING EMPTY", "POLYGON((0 0,1 0,1 1,0 0))"),
}

LEAVES: Final = tuple(Leaf(sql) for sql in _LITERALS)
NESTABLE: Final = tuple(leaf for leaf in LEAVES if leaf.sql not in {"VARIANT", "GEOMETRY"})
# Where inlined values are text, the extension writes structs of other types, and lists of JSON,
# in a form that it does not read back.
_TEXT_SAFE: Final = tuple(
    leaf
    for leaf in NESTABLE
    if leaf.sql in {"BOOLEAN", "VARCHAR"} or "INT" in leaf.sql.split("(")[0] or "(" in leaf.sql
)
_LISTABLE_TEXT: Final = tuple(leaf for leaf in NESTABLE if leaf.sql != "JSON")
_KEYS: Final = tuple(Leaf(sql) for sql in ("VARCHAR", "INTEGER", "UUID", "DATE", "BIGINT"))


@st.composite
def shapes(draw: st.DrawFn, names: Strategy, *, text_inlined: bool) -> Shape:
    """Any column type: a leaf more often than not, else nested up to two levels."""
    kind = draw(st.sampled_from(["leaf", "leaf", "leaf", "list", "struct", "map"]))
    if kind == "leaf":
        return draw(st.sampled_from(LEAVES))
    return draw(_nested(kind, names, 2, text_inlined=text_inlined))


def field_shapes(*, text_inlined: bool) -> st.SearchStrategy[Leaf]:
    """The types of fields that may be added to a struct."""
    return st.sampled_from(_TEXT_SAFE if text_inlined else NESTABLE)


@st.composite
def _nested(
    draw: st.DrawFn, kind: str, names: Strategy, depth: int, *, text_inlined: bool
) -> Shape:
    leaves = NESTABLE
    if text_inlined:
        leaves = _TEXT_SAFE if kind == "struct" else _LISTABLE_TEXT
    inner = _inner(names, depth - 1, leaves, text_inlined=text_inlined)
    if kind == "list":
        return ListOf(draw(inner))
    if kind == "map":
        return MapOf(draw(st.sampled_from(_KEYS)), draw(inner))
    fields = st.lists(names, min_size=1, max_size=3, unique_by=str.casefold)
    return StructOf(tuple((name, draw(inner)) for name in draw(fields)))


@st.composite
def _inner(
    draw: st.DrawFn, names: Strategy, depth: int, leaves: tuple[Leaf, ...], *, text_inlined: bool
) -> Shape:
    kinds = ["leaf", "leaf", "list", "struct", "map"] if depth > 0 else ["leaf"]
    kind = draw(st.sampled_from(kinds))
    if kind == "leaf":
        return draw(st.sampled_from(leaves))
    return draw(_nested(kind, names, depth, text_inlined=text_inlined))


def literals(shape: Shape, *, plain: bool = False) -> Strategy:
    """SQL expressions of `shape`, NULL among them; with `plain`, strings without quotes."""
    return st.one_of(present(shape, plain=plain), present(shape, plain=plain), st.just("NULL"))


def present(shape: Shape, *, plain: bool = False) -> Strategy:
    """SQL expressions of `shape` that are not NULL themselves."""
    match shape:
        case Leaf("VARCHAR"):
            return (PLAIN_TEXT if plain else TEXT).map(lambda text: f"CAST({text} AS VARCHAR)")
        case Leaf(sql):
            return _LITERALS[sql].map(lambda text: f"CAST({text} AS {sql})")
        case ListOf(element):
            items = st.lists(literals(element, plain=plain), max_size=3)
            return items.map(lambda values: _typed(f"[{', '.join(values)}]", shape))
        case StructOf(fields):
            parts = st.tuples(*(literals(field, plain=plain) for _, field in fields))
            return parts.map(lambda values: _typed(_struct(shape, values), shape))
        case MapOf(key, value):
            entries = st.dictionaries(
                present(key, plain=plain), literals(value, plain=plain), max_size=3
            )
            return entries.map(lambda pairs: _typed(_map(pairs), shape))


def _struct(shape: StructOf, values: tuple[str, ...]) -> str:
    parts = (
        f"{literal(name)}: {value}" for (name, _), value in zip(shape.fields, values, strict=True)
    )
    return "{" + ", ".join(parts) + "}"


def _map(pairs: dict[str, str]) -> str:
    return "MAP {" + ", ".join(f"{key}: {value}" for key, value in pairs.items()) + "}"


def _typed(expression: str, shape: Shape) -> str:
    return f"CAST({expression} AS {sql_of(shape)})"


def has_struct(shape: Shape) -> bool:
    """Whether a struct occurs anywhere in the type."""
    match shape:
        case Leaf():
            return False
        case ListOf(inner) | MapOf(_, inner):
            return has_struct(inner)
        case StructOf():
            return True


def default_literals(leaf: Leaf) -> Strategy:
    """Literals that may follow DEFAULT; an expression there would make DuckDB rewrite the table."""
    texts = _LITERALS[leaf.sql]
    return texts.map(literal) if leaf.sql == "BOOLEAN" else texts


def structs_in(shape: Shape) -> tuple[tuple[tuple[str, ...], StructOf], ...]:
    """Every struct in the type, with the path ALTER TABLE reaches it by."""
    match shape:
        case Leaf():
            return ()
        case ListOf(inner):
            return _below("element", inner)
        case MapOf(_, inner):
            return _below("value", inner)
        case StructOf(fields):
            inside = (found for name, field in fields for found in _below(name, field))
            return (((), shape), *inside)


def _below(step: str, shape: Shape) -> tuple[tuple[tuple[str, ...], StructOf], ...]:
    return tuple(((step, *path), struct) for path, struct in structs_in(shape))


def with_struct(shape: Shape, path: tuple[str, ...], struct: StructOf) -> Shape:
    """`shape` with the struct at `path` replaced."""
    if not path:
        return struct
    match shape:
        case ListOf(inner):
            return ListOf(with_struct(inner, path[1:], struct))
        case MapOf(key, inner):
            return MapOf(key, with_struct(inner, path[1:], struct))
        case StructOf(fields):
            return StructOf(
                tuple(
                    (name, with_struct(field, path[1:], struct) if name == path[0] else field)
                    for name, field in fields
                )
            )
        case Leaf():
            raise LookupError(path)
