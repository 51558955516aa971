"""A writer is killed at every step of a commit: its change is there whole, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

import quacklake as ql
from quacklake.catalog import Backend
from quacklake.catalog.writer import Step
from tests.support.lakes import lakes_on
from tests.support.victims import killed, write
from tests.support.writers import TABLE, check_catalog, check_current, rows_from

KEPT = [(k, 0) for k in (*range(60), 90, 91)]
WRITTEN = [(k, 0) for k in (*range(15, 60),)] + [(k, 1) for k in (90, 91, *range(500, 540))]
STEPS = ["files written", *(str(step) for step in Step)]


def files_below(place):
    return {str(path) for path in Path(place.data_path).rglob("*.parquet")}


def known_files(referee):
    """The files that the catalog names, wherever in time they belong."""
    meta = "__ducklake_metadata_lake"
    named = referee.rows(
        f"SELECT path FROM {meta}.ducklake_data_file UNION "
        f"SELECT path FROM {meta}.ducklake_delete_file UNION "
        f"SELECT path FROM {meta}.ducklake_files_scheduled_for_deletion"
    )
    return {Path(path).name for (path,) in named}


@pytest.fixture(params=[Backend.SQLITE, Backend.POSTGRES])
def place(request, tmp_path):
    made = lakes_on(request.param, request, tmp_path).place()
    with ql.connect(made.url, data_path=made.data_path) as lake:
        table = lake.create_table("t", TABLE)
        table.append(rows_from(0, 30))
        table.append(rows_from(30, 30))
        table.append(rows_from(90, 2))
    return made


def check_after(place, expected):
    """Both read `expected`, both can write, and clean-up takes what nobody knows and no more."""
    with ql.connect(place.url) as lake, place.referee() as referee:
        check_current(lake, referee, "t", expected)
        check_catalog(referee)
        stray = {path for path in files_below(place) if Path(path).name not in known_files(referee)}

        removed = lake.delete_orphaned_files(older_than="0 seconds")

        assert set(removed) == stray
        assert {Path(path).name for path in files_below(place)} <= known_files(referee)
        check_current(lake, referee, "t", expected)
        lake.table("t").append(rows_from(700, 12))
        referee.execute("INSERT INTO t (k, n) VALUES (800, 0)")
        more = [(k, 0) for k in (*range(700, 712), 800)]
        check_current(lake, referee, "t", expected + more)


@pytest.mark.parametrize("step", STEPS)
def test_a_killed_transaction_is_there_whole_or_not_at_all(place, step):
    killed(write, place.url, "rows", step)

    check_after(place, WRITTEN if step == Step.AFTER_COMMIT else KEPT)


@pytest.mark.parametrize("change", ["compaction", "flush"])
@pytest.mark.parametrize("step", [Step.BEGUN, Step.APPLIED, Step.AFTER_COMMIT])
def test_killed_maintenance_changes_no_row(place, change, step):
    killed(write, place.url, change, str(step))

    check_after(place, KEPT)
