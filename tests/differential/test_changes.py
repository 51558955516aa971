"""Random lakes written by the DuckLake extension: what happened between any two snapshots.

`QUACKLAKE_EXAMPLES=3000` looks for new trouble; without it the same few lakes are made each time.
Left out is what the extension tells wrongly, pinned one by one in `test_changes_pinned.py`.
"""

from __future__ import annotations

import os

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, note, reject, settings
from hypothesis import strategies as st

import quacklake as ql
from quacklake.format.sqltypes import quoted
from tests.support.random_histories import histories
from tests.support.teller import ChangeReading, TellerDied

EXAMPLES = os.environ.get("QUACKLAKE_EXAMPLES")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(0 if EXAMPLES else 300)]

few = settings(
    max_examples=int(EXAMPLES or 8),
    derandomize=EXAMPLES is None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@few
@given(data=st.data())
def test_the_changes_of_every_window_are_those_of_the_extension(workshop, data):
    history = data.draw(histories(text_inlined=workshop.text_inlined, longest=10))
    try:
        with (
            workshop.lake(history, changes=True) as made,
            ql.connect(made.url, read_only=True) as lake,
        ):
            for reading in made.told.changes:
                if reading.answer is not None:
                    note(f"{reading.schema}.{reading.table} {reading.first} to {reading.last}")
                    _judge(made, lake, reading)
    except TellerDied:
        reject()


def _judge(made, lake, reading: ChangeReading) -> None:
    table = lake.table(f"{quoted(reading.schema)}.{quoted(reading.table)}", snapshot=reading.last)
    changes = table.changes(since=reading.first - 1, until=reading.last)
    try:
        silent = changes.plan().span.silent
    except ql.SnapshotExpired:
        needed = range(reading.first - 1, reading.last + 1)
        assert not set(needed) <= {snapshot.id for snapshot in lake.snapshots()}
        return
    ours = changes.to_arrow()
    idle = _idle_updates(made.referee, ours) | _idle_updates(made.referee, reading.answer.relation)

    assert not silent.intersection(ours.column("snapshot_id").to_pylist())
    told = _without(ours, idle)
    assert not made.disagreements(reading.answer, told, where=_judged(idle, silent))


def _idle_updates(con: duckdb.DuckDBPyConnection, feed: pa.Table | str) -> set[tuple[int, int]]:
    """Snapshot and row of updates whose two sides are equal.

    The extension tells such a pair also for a row that came and went in one transaction.
    """
    relation = con.from_arrow(feed) if isinstance(feed, pa.Table) else con.sql(f"FROM {feed}")
    texts = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" for name in relation.columns[3:])
    sides = relation.filter("starts_with(change_type, 'update')").aggregate(
        f"snapshot_id, rowid, count(DISTINCT [{texts}]) AS sides", "snapshot_id, rowid"
    )
    return {(snapshot, row) for snapshot, row, count in sides.fetchall() if count == 1}


def _without(feed: pa.Table, idle: set[tuple[int, int]]) -> pa.Table:
    keys = zip(feed.column(0).to_pylist(), feed.column(1).to_pylist(), strict=True)
    return feed.filter(pa.array([key not in idle for key in keys], pa.bool_()))


def _judged(idle: set[tuple[int, int]], silent: frozenset[int]) -> str:
    """The rows of the extension's answer that ours must equal."""
    conditions = ["true", *(f"snapshot_id <> {snapshot}" for snapshot in silent)]
    conditions += [f"NOT (snapshot_id = {snapshot} AND rowid = {row})" for snapshot, row in idle]
    return " AND ".join(conditions)
