"""The laws of the change feed, on random lakes that the extension wrote.

`QUACKLAKE_EXAMPLES=3000` looks for new trouble; without it the same few lakes are made each time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, note, reject, settings
from hypothesis import strategies as st

from quacklake.catalog import open_catalog, parse_location
from quacklake.changefeed.columns import change_columns, schema_of
from quacklake.changefeed.plan import ChangeRequest, plan_changes
from quacklake.changefeed.reading import read_changes
from quacklake.client.changes import Changes
from quacklake.client.session import Session
from quacklake.format.snapshot import AtVersion, Latest
from quacklake.format.table import Table
from quacklake.kernel.errors import SnapshotExpired
from quacklake.scan.plan import ScanPlan, plan_table
from quacklake.scan.reading import read_batches
from quacklake.storage.filesystem import Storage
from tests.support.bags import differences, repeated
from tests.support.random_histories import histories
from tests.support.teller import TellerDied
from tests.support.workshop import CATALOGS, Workshop

EXAMPLES = os.environ.get("QUACKLAKE_EXAMPLES")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(0 if EXAMPLES else 300)]

few = settings(
    max_examples=int(EXAMPLES or 8),
    derandomize=EXAMPLES is None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.fixture(scope="module", params=CATALOGS)
def workshop(request, tmp_path_factory) -> Iterator[Workshop]:
    server = request.getfixturevalue("postgres") if request.param == "postgres" else None
    made = Workshop(request.param, tmp_path_factory.mktemp(request.param), postgres=server)
    yield made
    made.close()


class Past:
    """A lake, its readable snapshots and its newest tables; rows have these tables' columns."""

    def __init__(self, session: Session) -> None:
        self._session = session
        with session.reading() as reader:
            self.snapshots = [int(commit.snapshot.id) for commit in reader.commits()]
            self.tables = reader.tables(reader.snapshot(Latest()))

    def state(self, table: Table, at: int) -> pa.Table:
        """The rows of a table at a snapshot; none before it was made."""
        with self._session.reading() as reader:
            snapshot = reader.snapshot(AtVersion(at))
            bare = ScanPlan(table, snapshot, table.columns, None, (), ())
            plan = plan_table(reader, bare)
        return pa.Table.from_batches(read_batches(plan, self._session.storage), plan.schema)

    def changes(self, table: Table, since: int, until: int) -> pa.Table:
        """What happened to a table; nothing before it was made."""
        schema = schema_of(change_columns(table.columns))
        with self._session.reading() as reader:
            then = {each.id: each for each in reader.tables(reader.snapshot(AtVersion(until)))}
            if table.id not in then:
                return schema.empty_table()
            request = ChangeRequest(then[table.id].name, AtVersion(since), AtVersion(until))
            plan = replace(plan_changes(reader, request), columns=table.columns)
        return pa.Table.from_batches(read_changes(plan, self._session.storage), schema)

    def weighted(self, table: Table, since: int) -> pa.Table:
        """The sum of what happened to a table up to now."""
        request = ChangeRequest(table.name, AtVersion(since), Latest())
        return Changes(self._session, request).weighted().to_arrow()


def _pasts(workshop: Workshop, data) -> Iterator[Past]:
    history = data.draw(histories(text_inlined=workshop.text_inlined, longest=10))
    try:
        with workshop.lake(history) as made, open_catalog(parse_location(made.url)) as catalog:
            yield Past(Session(catalog, Storage()))
    except TellerDied:
        reject()


@few
@given(data=st.data())
def test_the_present_is_the_past_and_what_happened_since(workshop, data):
    for past in _pasts(workshop, data):
        for table in past.tables:
            now = past.state(table, past.snapshots[-1])
            for since in past.snapshots[:-1]:
                note(f"{table.name} since {since}")
                sums = past.weighted(table, since)

                assert 0 not in sums.column(-1).to_pylist()
                then = past.state(table, since)
                left = pa.concat_tables([then, repeated(sums, sign=1)])
                right = pa.concat_tables([now, repeated(sums, sign=-1)])
                assert not differences(left, right)


@few
@given(data=st.data())
def test_two_windows_that_meet_tell_what_their_union_tells(workshop, data):
    for past in _pasts(workshop, data):
        whole = past.snapshots[:1] + data.draw(
            st.lists(st.sampled_from(past.snapshots), max_size=3).map(sorted)
        )
        cuts = [*dict.fromkeys(whole), *past.snapshots[-1:]]
        for table in past.tables:
            note(f"{table.name} at {cuts}")
            try:
                together = past.changes(table, cuts[0], cuts[-1])
            except SnapshotExpired:
                continue
            parts = [past.changes(table, since, until) for since, until in pairwise(cuts)]
            assert not differences(together, pa.concat_tables(parts))
