"""Reading after any history of ours equals a plain model of it, at every snapshot.

And DuckDB's own extension reads the same rows, with the same row ids.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quacklake as ql
from tests.support.examples import examples
from tests.support.referee import Referee

Row = tuple[int, int | None, str | None]
LIMIT = 3


@dataclass
class Model:
    """The rows of one table by row id, and the bag of rows at every snapshot."""

    rows: list[Row] = field(default_factory=list)
    past: dict[int, Counter[Row]] = field(default_factory=dict)

    def remember(self, snapshot: int) -> None:
        self.past[snapshot] = Counter(self.rows)


@dataclass(frozen=True)
class Operation:
    """What is done: a word, a range of keys and a value."""

    kind: str
    low: int
    high: int
    value: int | None


OPERATIONS = st.builds(
    Operation,
    st.sampled_from(
        [
            "append",
            "append",
            "append",
            "delete",
            "update",
            "merge",
            "overwrite",
            "truncate",
            "transaction",
            "flush",
            "compact",
            "rewrite",
            "alter",
        ]
    ),
    st.integers(0, 12),
    st.integers(1, 12),
    st.none() | st.integers(-3, 3),
)


def rows_of(operation: Operation) -> list[Row]:
    keys = range(operation.low, operation.low + operation.high)
    return [(key, operation.value, None if key % 3 else f"t{key}") for key in keys]


def arrow(rows: list[Row]) -> pa.Table:
    schema = pa.schema([("k", pa.int32()), ("v", pa.int64()), ("t", pa.string())])
    return pa.Table.from_pylist([{"k": k, "v": v, "t": t} for k, v, t in rows], schema=schema)


def matches(row: Row, operation: Operation) -> bool:
    return operation.low <= row[0] < operation.low + operation.high


def condition(operation: Operation) -> str:
    return f"k >= {operation.low} and k < {operation.low + operation.high}"


def changed(row: Row, operation: Operation) -> Row:
    value = None if row[1] is None else row[1] + 1
    return (row[0], value, row[2]) if matches(row, operation) else row


def merged(rows: list[Row], brought: list[Row]) -> list[Row]:
    by_key = {row[0]: row for row in brought}
    known = {row[0] for row in rows}
    kept = [by_key.get(row[0], row) for row in rows]
    return kept + [row for row in brought if row[0] not in known]


def act(lake: Any, model: Model, operation: Operation) -> None:  # noqa: C901 - one case each
    table = lake.table("t")
    brought = rows_of(operation)
    match operation.kind:
        case "append":
            table.append(arrow(brought))
            model.rows += brought
        case "delete":
            table.delete(condition(operation))
            model.rows = [row for row in model.rows if not matches(row, operation)]
        case "update":
            table.update({"v": "v + 1"}, where=condition(operation))
            model.rows = [changed(row, operation) for row in model.rows]
        case "merge":
            table.merge(arrow(brought), on="k")
            model.rows = merged(model.rows, brought)
        case "overwrite":
            table.overwrite(arrow(brought), where=condition(operation))
            model.rows = [row for row in model.rows if not matches(row, operation)] + brought
        case "truncate":
            table.truncate()
            model.rows = []
        case "transaction":
            with lake.transaction() as tx:
                inside = tx.table("t")
                inside.append(arrow(brought))
                inside.update({"v": "v + 1"}, where=condition(operation))
                inside.delete("k % 2 = 0")
                added = [changed(row, operation) for row in model.rows + brought]
                model.rows = [row for row in added if row[0] % 2]
                assert Counter(read(inside.scan())) == Counter(model.rows)
        case "flush":
            lake.flush_inlined_data("t")
        case "compact":
            lake.merge_adjacent_files("t")
        case "rewrite":
            lake.rewrite_data_files("t", delete_threshold=0.2)
        case "alter":
            table.rename_column("v", "w")
            table.rename_column("w", "v")


def read(scan: Any) -> list[Row]:
    found = scan.to_arrow().select(["k", "v", "t"])
    return list(zip(*(column.to_pylist() for column in found.columns), strict=True))


@pytest.mark.slow
@settings(max_examples=examples(25))
@given(st.lists(OPERATIONS, min_size=1, max_size=7))
def test_every_snapshot_reads_as_the_model_says(history: list[Operation]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lake, model = told(history, folder)

        for snapshot, expected in model.past.items():
            found = Counter(read(lake.table("t").scan(snapshot=snapshot)))
            assert found == expected, snapshot
        check_with_referee(lake, model, Path(folder))
        lake.close()


def told(history: list[Operation], folder: str) -> tuple[Any, Model]:
    lake = ql.connect(f"sqlite:///{folder}/lake.sqlite", data_path=f"{folder}/data/")
    lake.set_option("data_inlining_row_limit", LIMIT)
    lake.create_table("t", {"k": "int", "v": "bigint", "t": "varchar"})
    model = Model()
    model.remember(1)
    for operation in history:
        act(lake, model, operation)
        model.remember(lake.snapshots()[-1].id)
    return lake, model


@pytest.mark.slow
@settings(max_examples=examples(25))
@given(st.lists(OPERATIONS, min_size=1, max_size=7))
def test_changes_lead_from_any_snapshot_to_any_later_one(history: list[Operation]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lake, model = told(history, folder)
        table = lake.table("t")

        for since, until in combinations(model.past, 2):
            window = since, until
            sums = rows_read(table.changes(*window).weighted())
            weights = {row[:3]: row[3] for row in sums}
            assert len(weights) == len(sums), "each different row once"
            assert added(model.past[since], weights) == model.past[until], window
            steps = Counter[Row]()
            for _, _, kind, *row in rows_read(table.changes(*window)):
                came = kind in ("insert", "update_postimage")
                steps[tuple(row)] += 1 if came else -1
            assert added(model.past[since], steps) == model.past[until], window
        lake.close()


def rows_read(changes: Any) -> list[Any]:
    return list(zip(*(c.to_pylist() for c in changes.to_arrow().columns), strict=True))


def added(rows: Counter[Row], weights: Mapping[Row, int]) -> Counter[Row]:
    total = Counter(rows)
    for row, weight in weights.items():
        total[row] += weight
    return Counter({row: count for row, count in total.items() if count})


def check_with_referee(lake: Any, model: Model, folder: Path) -> None:
    ours = lake.table("t").scan(columns=["k", "rowid"]).to_arrow()
    ids = ours.column("rowid").to_pylist()
    assert len(set(ids)) == len(ids)
    with Referee(f"sqlite:{folder}/lake.sqlite") as referee:
        # The extension applies today's statistics to the past; without this it answers wrongly.
        referee.execute("SET disabled_optimizers = 'statistics_propagation'")
        for snapshot, expected in model.past.items():
            rows = referee.rows(f"SELECT k, v, t FROM t AT (VERSION => {snapshot})")
            assert Counter(rows) == expected, snapshot
        theirs = referee.rows("SELECT k, rowid FROM t")
        assert Counter(theirs) == Counter(zip(*ours.to_pydict().values(), strict=True))
        assert referee.rows("SELECT count(*) FROM t") == [(len(model.rows),)]
