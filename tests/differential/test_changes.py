"""Random lakes written by the DuckLake extension: what happened between any two snapshots.

`QUACKLAKE_EXAMPLES=3000` looks for new trouble; without it the same few lakes are made each time.
Left out is what the extension tells wrongly, pinned one by one in `test_changes_pinned.py`.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass

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
    assert not silent.intersection(ours.column("snapshot_id").to_pylist())
    garbled = _garbled(made.referee, reading.answer.relation, ours)
    told = ours.filter(pa.array(garbled.spares(ours), pa.bool_()))
    assert not made.disagreements(reading.answer, told, where=garbled.condition(silent))


@dataclass(frozen=True, slots=True)
class Garbled:
    """What the extension tells wrongly: rows of a snapshot, and rows of the whole window."""

    keys: frozenset[tuple[int, int]]
    rows: frozenset[int]

    def spares(self, feed: pa.Table) -> list[bool]:
        """Which rows of a feed can be compared."""
        keys = zip(feed.column(0).to_pylist(), feed.column(1).to_pylist(), strict=True)
        return [key not in self.keys and key[1] not in self.rows for key in keys]

    def condition(self, silent: frozenset[int]) -> str:
        """The same in SQL, without snapshots that only moved rows."""
        parts = ["true", *(f"snapshot_id <> {snapshot}" for snapshot in silent)]
        parts += [f"rowid <> {row}" for row in self.rows]
        parts += [
            f"NOT (snapshot_id = {snapshot} AND rowid = {row})" for snapshot, row in self.keys
        ]
        return " AND ".join(parts)


def _garbled(con: duckdb.DuckDBPyConnection, theirs: str, ours: pa.Table) -> Garbled:
    """A row that went twice in the window, and every update of which a side was never there."""
    kinds = zip(ours.column(1).to_pylist(), ours.column(2).to_pylist(), strict=True)
    deaths = Counter(row for row, kind in kinds if kind in ("delete", "update_preimage"))
    keys = _odd_updates(con.from_arrow(ours)) | _odd_updates(con.sql(f"FROM {theirs}"))
    return Garbled(keys, frozenset(row for row, count in deaths.items() if count > 1))


def _odd_updates(feed: duckdb.DuckDBPyRelation) -> frozenset[tuple[int, int]]:
    """Updates without effect, and those with more than two sides."""
    texts = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" for name in feed.columns[3:])
    updates = feed.filter("starts_with(change_type, 'update')").aggregate(
        f"snapshot_id, rowid, count(DISTINCT [{texts}]) AS different, count(*) AS told",
        "snapshot_id, rowid",
    )
    odd = updates.filter("different = 1 OR told > 2").project("snapshot_id, rowid")
    return frozenset((snapshot, row) for snapshot, row in odd.fetchall())
