"""The grammar of what commits say they did."""

from __future__ import annotations

import pytest

from quacklake.format.changes import Change, ChangeKind, parse_changes, render_changes
from quacklake.kernel.errors import CorruptLake


def test_names_may_hold_anything() -> None:
    text = 'created_table:"main"."we""ird, t.x",inserted_into_table:3'

    assert parse_changes(text) == (
        Change(ChangeKind.CREATED_TABLE, names=("main", 'we"ird, t.x')),
        Change(ChangeKind.INSERTED_INTO_TABLE, id=3),
    )
    assert render_changes(parse_changes(text)) == text


def test_changes_are_written_in_the_order_of_the_format() -> None:
    changes = (Change(ChangeKind.INLINED_DELETE, id=1), Change(ChangeKind.INLINED_INSERT, id=1))

    assert render_changes(changes) == "inlined_insert:1,inlined_delete:1"


def test_a_commit_may_say_nothing() -> None:
    assert parse_changes(None) == parse_changes("") == ()


def test_an_old_name_is_understood() -> None:
    assert parse_changes("flushed_inlined:2") == (Change(ChangeKind.INLINE_FLUSH, id=2),)


@pytest.mark.parametrize("text", ["painted_table:1", "altered_table", 'created_schema:"a'])
def test_what_is_not_of_the_grammar_is_an_error(text: str) -> None:
    with pytest.raises(CorruptLake):
        parse_changes(text)
