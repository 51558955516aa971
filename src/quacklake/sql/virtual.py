"""Virtual columns in a query: readable by name, yet no part of `*`.

A query that names one reads its tables from a database in which they have them as ordinary
columns, and every star over such a table leaves them out again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from quacklake.format.sqltypes import quoted
from quacklake.kernel.errors import Unsupported
from quacklake.sql.words import words_of

NAMES: Final = frozenset({"rowid", "snapshot_id"})
_WITH_STARS: Final = ("select_list", "where_clause", "having", "qualify")


@dataclass(frozen=True, slots=True)
class Star:
    """A `*` in a query: where it begins, whose columns it means, and the tables beside it.

    `sources` are the names by which the query knows its tables, with where each stands.
    """

    start: int
    relation: str | None
    is_plain: bool
    sources: tuple[tuple[str, int], ...]


def named_in(nodes: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The virtual columns that a query names; whether they are columns of a table, it decides."""
    refs = (node for node in nodes if node.get("class") == "COLUMN_REF")
    return NAMES & {str(node["column_names"][-1]).casefold() for node in refs}


def stars_in(nodes: Iterable[Mapping[str, Any]], encoded: bytes) -> tuple[Star, ...]:
    """Every star of a query that names virtual columns."""
    found: list[Star] = []
    for node in nodes:
        if node.get("type") == "PIVOT" or node.get("ref_type") == "NATURAL":
            raise Unsupported(
                "virtual columns cannot be named together with PIVOT or NATURAL JOIN",
                hint="name them in a subquery: (SELECT rowid AS id, * FROM t)",
            )
        if node.get("type") == "SELECT_NODE":
            sources = tuple(_sources(node.get("from_table", {}), encoded))
            found += [_star(each, sources, encoded) for each in _own_stars(node)]
    return tuple(found)


def _own_stars(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The stars of one SELECT, without those of queries inside it."""
    waiting: list[Any] = [node[key] for key in _WITH_STARS if key in node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting.extend(each)
        elif isinstance(each, dict) and each.get("type") != "SELECT_NODE":
            if each.get("class") == "STAR":
                yield each
            waiting.extend(each.values())


def _sources(table: Mapping[str, Any], encoded: bytes) -> Iterator[tuple[str, int]]:
    match table.get("type"):
        case "BASE_TABLE":
            start = len(encoded[: int(table["query_location"])].decode(errors="replace"))
            yield str(table.get("alias") or table["table_name"]), start
        case "JOIN":
            yield from _sources(table["left"], encoded)
            yield from _sources(table["right"], encoded)


def _star(node: Mapping[str, Any], sources: tuple[tuple[str, int], ...], encoded: bytes) -> Star:
    start = len(encoded[: int(node.get("query_location", 0))].decode(errors="replace"))
    is_plain = not node.get("columns") and not node.get("expr")
    return Star(start, node.get("relation_name") or None, is_plain, sources)


def without_virtual(
    text: str, stars: Sequence[Star], given: Mapping[int, Sequence[str]]
) -> Iterator[tuple[tuple[int, int], str]]:
    """Changes to `text` after which stars leave out the columns `given` to tables, by place."""
    for star in stars:
        left_out = [
            f"{quoted(name)}.{quoted(column)}"
            for name, start in star.sources
            if star.relation is None or star.relation.casefold() == name.casefold()
            for column in given.get(start, ())
        ]
        if left_out:
            yield _changed(text, star, ", ".join(left_out))


def _changed(text: str, star: Star, names: str) -> tuple[tuple[int, int], str]:
    found = [word for word in words_of(text) if word.start >= star.start]
    if star.is_plain and found and found[0].upper == "FROM":
        return (star.start, star.start), f"SELECT * EXCLUDE ({names}) "
    stars = [place for place, word in enumerate(found) if word.text == "*"]
    if not star.is_plain or not stars:
        raise Unsupported(
            "COLUMNS cannot stand beside virtual columns", hint="name the columns instead"
        )
    after = found[stars[0] + 1 : stars[0] + 3]
    if [word.upper for word in after] == ["EXCLUDE", "("]:
        return (after[1].end, after[1].end), f"{names}, "
    if after and after[0].upper == "EXCLUDE":
        return (after[1].start, after[1].end), f"({names}, {after[1].text})"
    end = found[stars[0]].end
    return (end, end), f" EXCLUDE ({names})"
