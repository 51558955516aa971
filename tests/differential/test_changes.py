"""Random lakes written by the DuckLake extension: what happened between any two snapshots.

`QUACKLAKE_EXAMPLES=3000` looks for new trouble; without it the same few lakes are made each time.
"""

from __future__ import annotations

import os
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, note, reject, settings
from hypothesis import strategies as st

import quacklake as ql
from quacklake.catalog.window import Window
from quacklake.format.sqltypes import quoted
from tests.support.random_histories import histories
from tests.support.teller import ChangeReading, TellerDied

EXAMPLES = os.environ.get("QUACKLAKE_EXAMPLES")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(0 if EXAMPLES else 300)]

few = settings(
    max_examples=int(EXAMPLES or 12),
    derandomize=EXAMPLES is None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@few
@given(data=st.data())
def test_the_changes_of_every_window_are_those_of_the_extension(workshop, data):
    history = data.draw(histories(text_inlined=workshop.text_inlined))
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
    name = f"{quoted(reading.schema)}.{quoted(reading.table)}"
    table = lake.table(name, snapshot=reading.last)
    changes = table.changes(since=reading.first - 1, until=reading.last)
    if _has_gap(lake, table, reading):
        with pytest.raises(ql.SnapshotExpired):
            changes.plan()
        return
    plan = changes.plan()
    ours = changes.to_arrow()
    theirs = made.referee.sql(f"FROM {reading.answer.relation}").to_arrow_table()
    left_out = _misreported(theirs, plan.span.silent)

    assert not Counter(_keys(ours)) & Counter(
        {key: 1 for key in left_out if key[0] in plan.span.silent}
    )
    assert not made.disagreements(reading.answer, _without(ours, _idle(ours)), where=left_out)
