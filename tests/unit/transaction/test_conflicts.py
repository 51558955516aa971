"""The conflict rules against the outcomes observed with DuckDB's own writers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quacklake.format.changes import Change, parse_changes
from quacklake.kernel.ids import DataFileId, SchemaId, SnapshotId, TableId
from quacklake.transaction.conflicts import Footprint, TheirCommit, first_conflict

T, V, S = 1, 2, 3
FILE_A, FILE_B = DataFileId(10), DataFileId(11)

OPERATIONS: dict[str, tuple[str, frozenset[DataFileId]]] = {
    "alter_add": (f"altered_table:{T}", frozenset()),
    "comment": (f"altered_table:{T}", frozenset()),
    "create_s9": ('created_schema:"s9"', frozenset()),
    "create_s_k": ('created_table:"s"."k"', frozenset()),
    "create_view_x": ('created_view:"main"."x"', frozenset()),
    "create_x": ('created_table:"main"."x"', frozenset()),
    "del_A": (f"deleted_from_table:{T}", frozenset({FILE_A})),
    "del_B": (f"deleted_from_table:{T}", frozenset({FILE_B})),
    "del_inlfile": (f"inlined_delete:{T}", frozenset({FILE_A})),
    "del_inlrow": (f"inlined_delete:{T}", frozenset()),
    "drop": (f"dropped_table:{T}", frozenset()),
    "drop_fileA": (f"deleted_from_table:{T}", frozenset({FILE_A})),
    "drop_s": (f"dropped_schema:{S}", frozenset()),
    "flush": (f"inline_flush:{T}", frozenset()),
    "ins_inl": (f"inlined_insert:{T}", frozenset()),
    "ins_pq": (f"inserted_into_table:{T}", frozenset()),
    "macro": ('created_scalar_macro:"main"."mm"', frozenset()),
    "merge": (f"merge_adjacent:{T}", frozenset()),
    "rename": ('created_table:"main"."renamed"', frozenset()),
    "rewrite": (f"rewrite_delete:{T}", frozenset()),
    "set_part": (f"altered_table:{T}", frozenset()),
    "upd_A": (f"inserted_into_table:{T},deleted_from_table:{T}", frozenset({FILE_A})),
    "upd_inl": (f"inlined_insert:{T},inlined_delete:{T}", frozenset()),
    "view_comment": (f"altered_view:{V}", frozenset()),
    "view_drop": (f"dropped_view:{V}", frozenset()),
    "view_rename": ('created_view:"main"."renamed_view"', frozenset()),
}
STRICTER = {
    ("del_inlfile", "merge"): "the inlined delete would be lost with its file",
    ("del_inlfile", "rewrite"): "the inlined delete would be lost with its file",
    ("del_inlrow", "merge"): "a token does not say whether files or inlined rows are meant",
    ("del_inlrow", "rewrite"): "a token does not say whether files or inlined rows are meant",
    ("upd_inl", "merge"): "a token does not say whether files or inlined rows are meant",
    ("upd_inl", "rewrite"): "a token does not say whether files or inlined rows are meant",
    ("merge", "del_inlfile"): "the inlined delete would be lost with its file",
    ("merge", "del_inlrow"): "a token does not say whether files or inlined rows are meant",
    ("merge", "upd_inl"): "a token does not say whether files or inlined rows are meant",
    ("rewrite", "del_inlfile"): "the inlined delete would be lost with its file",
    ("rewrite", "del_inlrow"): "a token does not say whether files or inlined rows are meant",
    ("rewrite", "upd_inl"): "a token does not say whether files or inlined rows are meant",
    ("del_A", "del_inlfile"): "one position would be deleted twice",
    ("drop_fileA", "del_inlfile"): "one position would be deleted twice",
    ("upd_A", "del_inlfile"): "one position would be deleted twice",
    ("del_inlfile", "del_A"): "one position would be deleted twice",
    ("del_inlfile", "drop_fileA"): "one position would be deleted twice",
    ("del_A", "flush"): "a flush may have written a delete file for the same data file",
    ("del_B", "flush"): "a flush may have written a delete file for the same data file",
    ("drop_fileA", "flush"): "a flush may have written a delete file for the same data file",
    ("upd_A", "flush"): "a flush may have written a delete file for the same data file",
    ("view_comment", "view_drop"): "a comment on a dropped view would bring half of it back",
}
OBSERVED = Path(__file__).parents[2] / "support" / "conflict_matrix.json"


def refused(ours: str, theirs: str) -> bool:
    changes, files = OPERATIONS[ours]
    footprint = Footprint(
        parse_changes(changes), {TableId(T): files}, {"main": SchemaId(0), "s": SchemaId(S)}
    )
    their_changes, their_files = OPERATIONS[theirs]
    commit = TheirCommit(SnapshotId(9), parse_changes(their_changes))
    return first_conflict(footprint, [commit], {TableId(T): their_files}) is not None


def observed_pairs() -> list[tuple[str, str, bool]]:
    outcomes = json.loads(OBSERVED.read_text())["outcome"]
    return [(*pair.split("|"), outcome == "X") for pair, outcome in outcomes.items()]  # type: ignore[misc]


def test_the_matrix_covers_every_pair_of_operations() -> None:
    assert len(observed_pairs()) == len(OPERATIONS) ** 2


@pytest.mark.parametrize("ours", sorted(OPERATIONS))
def test_we_refuse_what_duckdb_refuses_and_more_only_for_a_reason(ours: str) -> None:
    for mine, theirs, duckdb_refuses in observed_pairs():
        if mine == ours:
            expected = duckdb_refuses or (ours, theirs) in STRICTER

            assert refused(ours, theirs) == expected, (ours, theirs)


def test_a_conflict_names_both_sides() -> None:
    ours = Footprint((Change(parse_changes(f"altered_table:{T}")[0].kind, id=T),))
    theirs = TheirCommit(SnapshotId(7), parse_changes(f"dropped_table:{T}"))

    found = first_conflict(ours, [theirs], {})

    assert found is not None
    assert (found.ours.kind.value, found.theirs.kind.value) == ("altered_table", "dropped_table")
    assert found.snapshot == 7
