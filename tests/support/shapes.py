"""Column types as DuckDB spells them, and Hypothesis strategies for types and their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from hypothesis import strategies as st

from quacklake.format.sqltypes import literal, quoted
from tests.support.leaf_values import LITERALS, PLAIN_TEXT, TEXT, Strategy


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


def _is_exact(leaf: Leaf) -> bool:
    """Whether the type is an integer or a decimal."""
    return leaf.sql.endswith(("INT", "INTEGER")) or leaf.sql.startswith("DECIMAL")


LEAVES: Final = tuple(Leaf(sql) for sql in LITERALS)
NESTABLE: Final = tuple(leaf for leaf in LEAVES if leaf.sql not in {"VARIANT", "GEOMETRY"})
# Where inlined values are text, the extension writes structs of other types, and lists of JSON,
# in a form that it does not read back.
_TEXT_SAFE: Final = tuple(
    leaf for leaf in NESTABLE if leaf.sql in {"BOOLEAN", "VARCHAR"} or _is_exact(leaf)
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
            return LITERALS[sql].map(lambda text: f"CAST({text} AS {sql})")
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
    texts = LITERALS[leaf.sql]
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


def comparands(leaf: Leaf) -> Strategy:
    """What a filter may compare a column with: its own type, or one that DuckDB casts."""
    alike = [literals(leaf)]
    if leaf.sql != "BLOB":
        alike.append(LITERALS[leaf.sql])
    if _is_exact(leaf) or leaf.sql in {"FLOAT", "DOUBLE"}:
        alike.append(st.sampled_from(["2.5", "-0.5", "1e3", "99999999999", "-1"]))
    if leaf.sql in {"DATE", "TIMESTAMP", "TIMESTAMPTZ"}:
        times = ["DATE '2020-01-02'", "TIMESTAMP '2020-01-02 03:04:05.5'", "'2020-01-03'"]
        alike.append(st.sampled_from(times))
    return st.one_of(alike)


def leaf_of(sql: str) -> Leaf | None:
    """The leaf that DuckDB prints as `sql`, if filters may compare it."""
    name = sql.replace(" WITH TIME ZONE", "TZ")
    comparable = name in LITERALS and name not in {"VARIANT", "GEOMETRY", "JSON"}
    return Leaf(name) if comparable else None
