"""What is remembered of a snapshot is forgotten with it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from quacklake.catalog.remembered import Page, Remembered
from quacklake.format.snapshot import Snapshot
from quacklake.kernel.ids import SnapshotId

FIRST = Snapshot(SnapshotId(1), datetime(2026, 1, 1, tzinfo=UTC), 1, 1, 1)


def test_a_question_is_put_once_per_snapshot():
    remembered, asked = Remembered(), []

    for snapshot in (FIRST, FIRST, replace(FIRST, id=SnapshotId(2)), FIRST):
        remembered.of(snapshot).recalled("files", lambda: asked.append(1), lambda _: 1)

    assert len(asked) == 3


def test_a_lake_made_anew_is_another_one():
    remembered = Remembered()
    page = remembered.of(FIRST)

    again = replace(FIRST, time=datetime(2026, 1, 2, tzinfo=UTC))

    assert remembered.of(FIRST) is page
    assert remembered.of(again) is not page


def test_what_finds_no_room_is_not_kept():
    page = Page(FIRST, room=10)

    answers = [page.recalled("many", lambda: [0] * 11, len) for _ in range(2)]
    kept = [page.recalled("few", lambda: [0] * 9, len) for _ in range(2)]

    assert answers[0] is not answers[1]
    assert kept[0] is kept[1]
    assert page.recalled("more", lambda: [1, 2], len) == [1, 2]
    assert page.recalled("more", lambda: [3, 4], len) == [3, 4]
