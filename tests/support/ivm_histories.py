"""Random tables and histories for views: NULLs, duplicates, few keys, all kinds of change."""

from __future__ import annotations

from collections import Counter
from random import Random

from quacklake.ivm import SourceColumn
from tests.support.ivm_queries import INT, TEXT, Relation
from tests.support.ivm_world import Bag, Row, Table, World

_INTEGERS = ("INT", "BIGINT", "SMALLINT")


def random_tables(random: Random) -> tuple[Table, ...]:
    """Three tables of two to four columns, some of them never NULL."""
    tables = []
    for name in "abc":
        columns = [
            _column(random, f"{name}{place}", place) for place in range(random.randint(2, 4))
        ]
        tables.append(Table(name, tuple(columns)))
    return tuple(tables)


def _column(random: Random, name: str, place: int) -> SourceColumn:
    kind = random.choice(_INTEGERS) if place < 2 else random.choice([*_INTEGERS, "STRING"])
    return SourceColumn(name, kind, random.random() < 0.7)


def relations(tables: tuple[Table, ...]) -> list[Relation]:
    """The tables as the grammar of queries sees them."""
    return [
        Relation(
            f"select * from {each.name}",
            tuple((c.name, TEXT if c.type == "STRING" else INT) for c in each.columns),
        )
        for each in tables
    ]


def random_row(random: Random, table: Table) -> Row:
    """A row of few values, so that keys meet."""
    return tuple(_value(random, each) for each in table.columns)


def _value(random: Random, column: SourceColumn) -> object:
    if column.nullable and random.random() < 0.2:
        return None
    return random.choice("xyz") if column.type == "STRING" else random.randint(0, 3)


def random_start(random: Random, tables: tuple[Table, ...]) -> dict[str, Bag]:
    """The first rows of each table."""
    return {
        each.name: Counter(random_row(random, each) for _ in range(random.randint(0, 6)))
        for each in tables
    }


def random_window(random: Random, world: World) -> dict[str, Bag]:
    """Inserts, deletes, updates, a truncation, or nothing, in some of the tables."""
    changes = {}
    for each in world.tables:
        kind = random.choice(["none", "insert", "delete", "update", "mixed", "truncate"])
        rows = [row for row, copies in world.rows[each.name].items() for _ in range(copies)]
        random.shuffle(rows)
        gone = {"none": 0, "insert": 0, "truncate": len(rows)}.get(kind, random.randint(1, 3))
        change: Bag = Counter()
        for row in rows[:gone]:
            change[row] -= 1
        came = 0 if kind in {"none", "delete"} else random.randint(0, 3)
        for _ in range(came):
            change[random_row(random, each)] += 1
        changes[each.name] = change
    return changes
