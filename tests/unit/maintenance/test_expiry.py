"""What is beyond reach when snapshots expire, decided without a lake."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from quacklake.catalog.ends import Life, Lives
from quacklake.format.snapshot import Commit, Snapshot
from quacklake.kernel.errors import NotFound, UsageError
from quacklake.kernel.ids import SnapshotId
from quacklake.maintenance.expiry import chosen_snapshots, plan_expiry

START = datetime(2026, 1, 1, tzinfo=UTC)
COMMITS = [
    Commit(Snapshot(SnapshotId(i), START + timedelta(days=i), 0, 0, 0), "", None, None, None)
    for i in range(6)
]


def lives(*files: Life, deletes: tuple[Life, ...] = (), tables: tuple[Life, ...] = ()) -> Lives:
    return Lives(tables or (Life(1, 1, None),), (), (), files, deletes, ())


def expired(*ids: int) -> tuple[SnapshotId, ...]:
    return tuple(SnapshotId(i) for i in ids)


def test_the_newest_snapshot_never_expires() -> None:
    late = START + timedelta(days=100)

    assert chosen_snapshots(COMMITS, versions=None, older_than=late) == expired(0, 1, 2, 3, 4)
    with pytest.raises(UsageError):
        chosen_snapshots(COMMITS, versions=[5], older_than=None)


def test_a_pinned_snapshot_stays() -> None:
    late = START + timedelta(days=3)

    found = chosen_snapshots(COMMITS, versions=None, older_than=late, pinned=frozenset({1}))

    assert found == expired(0, 2)


def test_an_unknown_version_is_an_error() -> None:
    with pytest.raises(NotFound):
        chosen_snapshots(COMMITS, versions=[17], older_than=None)


def test_a_file_goes_when_no_readable_snapshot_has_it() -> None:
    gone, kept, alive = Life(1, 1, 3, 1), Life(2, 1, 5, 1), Life(3, 1, None, 1)

    plan = plan_expiry(COMMITS, expired(0, 1, 2, 3), lives(gone, kept, alive))

    assert plan.data_files == (gone,)


def test_a_file_between_two_readable_snapshots_goes() -> None:
    between = Life(1, 2, 4, 1)

    plan = plan_expiry(COMMITS, expired(2, 3), lives(between))

    assert plan.data_files == (between,)


def test_delete_files_go_with_their_data_file() -> None:
    data, deletes = Life(1, 1, 3, 1), Life(2, 2, None, 1, data_file=1)

    plan = plan_expiry(COMMITS, expired(0, 1, 2), lives(data, deletes=(deletes,)))

    assert plan.delete_files == (deletes,)


def test_a_table_goes_when_all_its_versions_do() -> None:
    renamed = (Life(1, 1, 3), Life(1, 3, None))
    dropped = (Life(2, 1, 2),)

    plan = plan_expiry(COMMITS, expired(0, 1, 2), lives(tables=(*renamed, *dropped)))

    assert plan.tables == (2,)
