"""Finding snapshots, on every kind of catalog."""

from __future__ import annotations

from datetime import timedelta, timezone

import pytest

from quacklake.catalog import open_catalog
from quacklake.format.snapshot import AtTime, AtVersion, Latest
from quacklake.kernel.errors import NotFound, SnapshotExpired
from quacklake.kernel.ids import SnapshotId


def test_a_snapshot_is_found_by_id_by_time_and_as_the_latest(lakes):
    place = lakes.written("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)")

    with open_catalog(place.location) as catalog, catalog.read() as reader:
        commits = reader.commits()

        assert [commit.snapshot.id for commit in commits] == [0, 1, 2]
        assert reader.snapshot(Latest()) == commits[-1].snapshot
        for commit in commits:
            assert reader.snapshot(AtVersion(commit.snapshot.id)) == commit.snapshot
            assert reader.snapshot(AtTime(commit.snapshot.time)) == commit.snapshot


def test_an_instant_between_two_snapshots_means_the_earlier_one(lakes):
    place = lakes.written("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)")
    tick = timedelta(microseconds=1)

    with open_catalog(place.location) as catalog, catalog.read() as reader:
        _, first, second = (commit.snapshot for commit in reader.commits())

        assert reader.snapshot(AtTime(second.time - tick)) == first
        assert reader.snapshot(AtTime(second.time + tick)) == second
        elsewhere = first.time.astimezone(timezone(timedelta(hours=9)))
        assert reader.snapshot(AtTime(elsewhere)) == first


def test_commits_carry_what_their_authors_said(attachable):
    place = attachable.written(
        "BEGIN",
        "CREATE TABLE t (a INT)",
        "CALL lake.set_commit_message('ada', 'first table', extra_info => '{}')",
        "COMMIT",
    )

    with open_catalog(place.location) as catalog, catalog.read() as reader:
        commit = reader.commits()[-1]

    assert (commit.author, commit.message, commit.extra_info) == ("ada", "first table", "{}")
    assert commit.changes == 'created_table:"main"."t"'


@pytest.mark.parametrize("wanted", [99, -1])
def test_a_snapshot_that_never_was_is_not_found(lakes, wanted):
    place = lakes.written("CREATE TABLE t (a INT)")

    with (
        open_catalog(place.location) as catalog,
        catalog.read() as reader,
        pytest.raises(NotFound) as caught,
    ):
        reader.snapshot(AtVersion(SnapshotId(wanted)))

    assert (caught.value.facts["oldest"], caught.value.facts["newest"]) == (0, 1)


def test_an_expired_snapshot_names_the_oldest_readable_one(lakes):
    place = lakes.written(
        "CREATE TABLE t (a INT)",
        "INSERT INTO t VALUES (1)",
        "INSERT INTO t VALUES (2)",
        "CALL ducklake_expire_snapshots('lake', versions => [0, 1])",
    )

    with open_catalog(place.location) as catalog, catalog.read() as reader:
        oldest = reader.commits()[0].snapshot
        with pytest.raises(SnapshotExpired) as by_id:
            reader.snapshot(AtVersion(SnapshotId(1)))
        with pytest.raises(SnapshotExpired) as by_time:
            reader.snapshot(AtTime(oldest.time - timedelta(days=1)))

    assert by_id.value.facts["oldest"] == by_time.value.facts["oldest"] == oldest.id == 2
    assert "2" in by_id.value.hint


def test_a_snapshot_expired_from_the_middle_is_expired_too(lakes):
    place = lakes.written(
        "CREATE TABLE t (a INT)",
        "INSERT INTO t VALUES (1)",
        "CALL ducklake_expire_snapshots('lake', versions => [1])",
    )

    with (
        open_catalog(place.location) as catalog,
        catalog.read() as reader,
        pytest.raises(SnapshotExpired),
    ):
        reader.snapshot(AtVersion(SnapshotId(1)))


def test_before_its_first_snapshot_the_lake_did_not_exist(lakes):
    place = lakes.written("CREATE TABLE t (a INT)")

    with open_catalog(place.location) as catalog, catalog.read() as reader:
        born = reader.commits()[0].snapshot.time
        with pytest.raises(NotFound):
            reader.snapshot(AtTime(born - timedelta(seconds=1)))


def test_a_reader_sees_one_state_while_others_commit(attachable):
    place = attachable.written("CREATE TABLE t (a INT)")
    if place.backend.value == "duckdb":
        pytest.skip("a DuckDB file has one holder, so nobody else can commit")

    with open_catalog(place.location) as catalog, catalog.read() as reader:
        before = reader.snapshot(Latest())
        with place.referee() as referee:
            referee.execute("INSERT INTO t VALUES (1)")

        assert reader.snapshot(Latest()) == before
    with open_catalog(place.location) as catalog, catalog.read() as reader:
        assert reader.snapshot(Latest()).id == before.id + 1
