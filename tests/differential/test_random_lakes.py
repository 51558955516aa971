"""Random lakes written by the DuckLake extension, read by us and by it.

`QUACKLAKE_EXAMPLES=3000` looks for new trouble; without it the same few lakes are made each time.
"""

from __future__ import annotations

import os
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, note, reject, settings
from hypothesis import strategies as st

import quacklake as ql
from tests.support.random_histories import histories
from tests.support.random_steps import filters
from tests.support.read_paths import name_of
from tests.support.shapes import comparands, leaf_of
from tests.support.teller import Reading, TellerDied
from tests.support.workshop import MadeLake

EXAMPLES = os.environ.get("QUACKLAKE_EXAMPLES")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(0 if EXAMPLES else 300)]


def examples(count: int) -> settings:
    return settings(
        max_examples=int(EXAMPLES or count),
        derandomize=EXAMPLES is None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@pytest.fixture(scope="session")
def random_lake(workshop):
    """Draws a history and opens its lake; a history that kills the extension does not count."""

    def opened(data, judged, **limits) -> None:
        history = data.draw(histories(text_inlined=workshop.text_inlined, **limits))
        try:
            with workshop.lake(history) as made, ql.connect(made.url, read_only=True) as lake:
                for step, reason in made.told.tally.refused:
                    note(f"refused {step}: {reason}")
                judged(made, lake)
        except TellerDied:
            reject()

    return opened


@examples(20)
@given(data=st.data())
def test_every_table_at_every_snapshot_holds_what_the_extension_returns(random_lake, data):
    def judged(made: MadeLake, lake: ql.Lake) -> None:
        for reading in answered(made):
            note(f"{name_of(reading)} at {reading.snapshot}")
            scan = table(lake, reading).scan(snapshot=reading.snapshot)

            assert not made.disagreements(reading.answer, scan.to_arrow())

    random_lake(data, judged)


@examples(12)
@given(data=st.data())
def test_filters_and_projections_lose_nothing_and_keep_nothing_else(random_lake, data):
    def judged(made: MadeLake, lake: ql.Lake) -> None:
        for reading in data.draw(st.lists(st.sampled_from(answered(made)), max_size=4)):
            columns = comparable(reading)
            where = data.draw(filters(columns)) if columns else "true"
            kept = data.draw(st.permutations(reading.answer.names))
            kept = tuple(kept[: data.draw(st.integers(1, len(kept)))])

            scan = table(lake, reading).scan(kept, filter=where, snapshot=reading.snapshot)

            assert not made.disagreements(reading.answer.select(kept), scan.to_arrow(), where=where)

    random_lake(data, judged, longest=10)


@examples(8)
@given(data=st.data())
def test_rows_are_identified_as_the_extension_identifies_them(random_lake, data):
    def judged(made: MadeLake, lake: ql.Lake) -> None:
        for reading in answered(made):
            names = reading.identified.names
            ours = table(lake, reading).scan(names, snapshot=reading.snapshot).to_arrow()

            assert not made.disagreements(reading.identified, ours)

    random_lake(data, judged)


@examples(6)
@given(data=st.data())
def test_snapshots_and_tables_are_listed_and_expired_snapshots_refused(random_lake, data):
    def judged(made: MadeLake, lake: ql.Lake) -> None:
        known = {number for number, _ in made.told.snapshots}
        newest = max(known)

        assert [snapshot.id for snapshot in lake.snapshots()] == sorted(known)
        for number, time in made.told.snapshots:
            expected = [(r.schema, r.table) for r in made.told.readings if r.snapshot == number]
            found = lake.tables(snapshot=number)
            assert sorted((one.schema, one.name) for one in found) == sorted(expected)
            assert lake.snapshot_at(time) == number
            assert lake.snapshot_at(time + timedelta(microseconds=1)) == number
        for number in set(range(newest)) - known:
            with pytest.raises(ql.SnapshotExpired):
                lake.tables(snapshot=number)
        with pytest.raises(ql.NotFound):
            lake.tables(snapshot=newest + 1)

    random_lake(data, judged)


def answered(made: MadeLake) -> list[Reading]:
    return [reading for reading in made.told.readings if reading.answer is not None]


def table(lake: ql.Lake, reading: Reading) -> ql.Table:
    return lake.table(name_of(reading), snapshot=reading.snapshot)


def comparable(reading: Reading) -> list:
    leaves = ((name, leaf_of(sql)) for name, sql in reading.answer.columns)
    return [(name, comparands(leaf)) for name, leaf in leaves if leaf is not None]
