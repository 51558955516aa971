"""Random lakes written by the DuckLake extension, read by us and by it.

`QUACKLAKE_EXAMPLES=3000` looks for new trouble; without it the same few lakes are made each time.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, note, reject, settings
from hypothesis import strategies as st

import quacklake as ql
from quacklake.format.sqltypes import quoted
from tests.support.histories import Tally
from tests.support.random_histories import histories
from tests.support.shapes import LEAVES, literals
from tests.support.teller import Reading, TellerDied

EXAMPLES = os.environ.get("QUACKLAKE_EXAMPLES")
FILTERABLE = {
    leaf.sql: literals(leaf) for leaf in LEAVES if leaf.sql not in {"VARIANT", "GEOMETRY", "JSON"}
}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(0 if EXAMPLES else 300)]

few = settings(
    max_examples=int(EXAMPLES or 30),
    derandomize=EXAMPLES is None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@few
@given(data=st.data())
def test_every_table_at_every_snapshot_holds_what_the_extension_returns(workshop, data):
    history = data.draw(histories(text_inlined=workshop.text_inlined))
    try:
        with workshop.lake(history) as made, ql.connect(made.url, read_only=True) as lake:
            _tell(made.told.tally)
            for reading in _answered(made):
                ours = _scan(lake, reading).to_arrow()

                assert not made.disagreements(reading.answer, ours), reading
    except TellerDied:
        reject()


def _scan(lake, reading, **options):
    name = f"{quoted(reading.schema)}.{quoted(reading.table)}"
    return lake.table(name).scan(snapshot=reading.snapshot, **options)


def _answered(made) -> list[Reading]:
    return [reading for reading in made.told.readings if reading.answer is not None]


def _tell(tally: Tally) -> None:
    for step, reason in tally.refused:
        note(f"refused {step}: {reason}")
