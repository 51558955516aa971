"""What is not so is said: results changed by others, and rules that are broken on purpose."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest

from quacklake.catalog import Backend
from quacklake.format.changes import ChangeKind
from quacklake.kernel.errors import CorruptLake, UsageError
from quacklake.pipeline import keys, settling, window
from quacklake.pipeline.supply import Supply
from tests.support.ivm_world import table
from tests.support.lakes import Lakes
from tests.support.streams import Changing, arrow_rows, make_source, streams

pytestmark = pytest.mark.slow

TABLES = (table("a", "id int, k int, v int"), table("b", "id int, k int, v int"))
GROUPED = "select k, sum(v) as s, count(*) as n from a group by k"
LINEAR = "select v from a"
JOINED = "select a.id, b.v from a join b on a.k = b.k"
COPIES = "select b.v from a join b on a.k = b.k"
EXTREMA = "select k, min(v) as lo, max(v) as hi from a group by k"


@pytest.fixture
def made(tmp_path):
    with streams(Lakes(Backend.SQLITE, tmp_path).place()) as found:
        for each in TABLES:
            make_source(found.lake, each)
        found.lake.table("a").append(
            pa.table({name: pa.array([1, 1, 2], pa.int32()) for name in ("id", "k", "v")})
        )
        found.lake.table("b").append(
            pa.table({name: pa.array([1, 2], pa.int32()) for name in ("id", "k", "v")})
        )
        for name, query in {"grouped": GROUPED, "linear": LINEAR, "joined": JOINED}.items():
            found.keep(name, query)
        yield found


def state_of(lake, view):
    rows, frontier = view.to_arrow(), view.frontier
    states = [lake.table(f"{t.schema}.{t.name}").to_arrow() for t in lake.tables()
              if t.schema == "_quacklake"]  # fmt: skip
    return rows, frontier, states, len(lake.snapshots()), len(view.history())


@pytest.mark.parametrize(
    ("name", "tampering"),
    [
        ("grouped", "DELETE FROM grouped WHERE k = 2"),
        ("grouped", "UPDATE grouped SET s = 77 WHERE k = 2"),
        ("linear", "DELETE FROM linear WHERE v = 2"),
        ("joined", "DELETE FROM joined WHERE v = 2"),
    ],
)
def test_an_impossible_change_fails_loudly_and_changes_nothing(made, name, tampering):
    view = made.views[name]
    with made.place.referee() as referee:
        referee.execute(tampering)
    assert not view.verify().ok
    made.lake.table("a").delete("k = 2")
    before = state_of(made.lake, view)

    with pytest.raises(CorruptLake, match="removes") as caught:
        view.refresh(mode="incremental")

    assert "refresh(mode='full')" in str(caught.value)
    after = state_of(made.lake, view)
    assert all(left == right for left, right in zip(before, after, strict=True))
    assert str(view.refresh(mode="full").mode) == "full"
    made.check([name])
    made.lake.table("a").append(arrow_rows(Random(1), TABLES[0], 3))
    view.refresh(mode="incremental")
    made.check([name])


def test_one_copy_of_several_that_is_missing_is_noticed(made):
    with made.place.referee() as referee:
        referee.execute(
            "DELETE FROM linear WHERE rowid = (SELECT min(rowid) FROM linear WHERE v = 1)"
        )
    made.lake.table("a").delete("v = 1")

    with pytest.raises(CorruptLake, match="removes 2 rows, of which 1 are there"):
        made.views["linear"].refresh(mode="incremental")


def test_a_result_is_not_changed_by_hand(made):
    for change in (
        lambda table: table.delete("true"),
        lambda table: table.append(pa.table({"v": pa.array([1], pa.int32())})),
        lambda table: table.truncate(),
        lambda table: table.add_column("more", "int"),
    ):
        with pytest.raises(UsageError, match="kept by a stream table"):
            change(made.lake.table("linear"))


def caught(folder, query: str) -> int:
    """In how many of some random histories the check sees a difference or a refusal."""
    found = 0
    lakes = Lakes(Backend.SQLITE, folder)
    for seed in range(4):
        random = Random(seed)
        with streams(lakes.place()) as made:
            for each in TABLES:
                make_source(made.lake, each)
                made.lake.table(each.name).append(arrow_rows(random, each, 14))
            made.keep("view", query)
            try:
                for _ in range(3):
                    Changing(made.lake, random, TABLES).window()
                    made.refreshed()
                    made.check(verify=False)
            except (AssertionError, CorruptLake):
                found += 1
    return found


@pytest.mark.parametrize("query", [GROUPED, LINEAR, JOINED, COPIES, EXTREMA])
def test_the_rules_as_they_are_pass(tmp_path, query):
    assert caught(tmp_path, query) == 0


def test_copies_that_are_added_once_are_caught(tmp_path, monkeypatch):
    monkeypatch.setattr(settling, "_copies", lambda come: come)

    assert caught(tmp_path, COPIES) > 0


def test_the_new_rows_in_the_place_of_the_old_are_caught(tmp_path, monkeypatch):
    def newest(self, read):
        return (
            self.new[read.source] if read.origin.value == "source" else self.work.ground.snapshot.id
        )

    monkeypatch.setattr(Supply, "_snapshot", newest)

    assert caught(tmp_path, JOINED) > 1


def test_keys_that_forget_null_are_caught(tmp_path, monkeypatch):
    real = keys._fitted
    monkeypatch.setattr(keys, "_fitted", lambda *given: real(*given).drop_null())

    assert caught(tmp_path, EXTREMA) > 1


def test_deletes_that_are_not_noticed_are_caught(made, monkeypatch):
    deletes = {ChangeKind.DELETED_FROM_TABLE, ChangeKind.INLINED_DELETE}
    monkeypatch.setattr(window, "_OF_ROWS", window._OF_ROWS - deletes)
    made.lake.table("a").delete("k = 1")

    made.refreshed()

    with pytest.raises(AssertionError, match="too many"):
        made.check(["grouped"])
