"""Edges from parents to children in a lake, for recursive queries."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa

import quacklake as ql


def graph_lake(folder: Path, engine: str) -> ql.Lake:
    """A lake with a short path, an edge apart from it, and a table of names without rows."""
    url = f"sqlite:///{folder}/c.sqlite"
    lake = ql.connect(url, data_path=f"{folder}/data/", engine=engine)
    lake.create_table("edges", {"parent": "int", "child": "int"})
    lake.create_table("names", {"id": "int", "name": "varchar"})
    add(lake, (0, 1), (1, 2), (2, 3), (7, 8))
    return lake


def add(lake: ql.Lake, *pairs: tuple[int | None, int | None]) -> None:
    """Append edges."""
    parents, children = zip(*pairs, strict=True)
    rows = {"parent": pa.array(parents, pa.int32()), "child": pa.array(children, pa.int32())}
    lake.table("edges").append(pa.table(rows))


def bag(found: pa.Table) -> Counter[tuple[Any, ...]]:
    """The rows of a table, each with its number of copies."""
    return Counter(tuple(row.values()) for row in found.to_pylist())
