"""`quacklake changes`, as text and as JSON."""

from __future__ import annotations

import pytest

from tests.support.commandline import Program
from tests.support.referee import Referee

STORY = (
    "CREATE TABLE t (a INT, b VARCHAR)",
    "INSERT INTO t VALUES (1, 'x'), (2, NULL)",
    "UPDATE t SET b = 'new' WHERE a = 2",
    "DELETE FROM t WHERE a = 1",
)


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    with Referee(f"sqlite:{folder}/m.sqlite", f"{folder}/data/") as referee:
        for statement in STORY:
            referee.execute(statement)
    return f"sqlite:///{folder}/m.sqlite"


@pytest.fixture
def quacklake(capsys):
    return Program(capsys)


def test_changes_are_shown_in_the_order_they_happened(quacklake, url):
    shown = quacklake("changes", url, "t")

    assert (shown.code, shown.err) == (0, "")
    assert [line.split() for line in shown.out.splitlines()] == [
        ["snapshot_id", "rowid", "change_type", "a", "b"],
        ["2", "0", "insert", "1", "x"],
        ["2", "1", "insert", "2", "NULL"],
        ["3", "1", "update_preimage", "2", "NULL"],
        ["3", "1", "update_postimage", "2", "new"],
        ["4", "0", "delete", "1", "x"],
    ]


def test_changes_are_bounded_by_snapshots_and_times(quacklake, url):
    shown = quacklake("changes", url, "t", "--since", "2", "--until", "3", "--json")
    nothing = quacklake("changes", url, "t", "--since", "2999-01-01", "--json")

    assert {line["change_type"] for line in shown.lines} == {"update_preimage", "update_postimage"}
    assert (nothing.code, nothing.out) == (0, "")


def test_changes_can_be_summed(quacklake, url):
    shown = quacklake("changes", url, "t", "--since", "2", "--weighted", "--columns", "a", "--json")

    assert shown.lines == [{"a": 1, "weight": -1}]


def test_wrong_bounds_are_one_sentence(quacklake, url):
    refused = quacklake("changes", url, "t", "--since", "4", "--until", "2")

    assert refused.code == 2
    assert "back from snapshot 4 to 2" in refused.err
