"""Changes to the tables of the format, on every kind of catalog."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from uuid import UUID

import pytest
from sqlalchemy import BigInteger, Boolean

from quacklake.catalog import open_catalog
from quacklake.catalog.mutations import Delete, End, Insert, Update
from quacklake.catalog.tables import Instant
from quacklake.format.snapshot import Latest
from quacklake.kernel.errors import CorruptLake, RivalCommit, UsageError
from tests.support.commits import after, commit, head_of, rows_in, said

UUID_CELL = UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7")
TIME_CELL = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
WORD_CELL = 'it\'s \\ "quoted", ä日🦆; %s :p ?'


@pytest.fixture
def catalog(lakes):
    place = lakes.place()
    with open_catalog(place.location, data_path=place.data_path) as opened:
        yield opened


def test_a_commit_is_seen_by_others_when_its_block_ends(catalog):
    with catalog.write() as writer:
        snapshot = after(writer.snapshot(Latest()))
        writer.claim(snapshot)
        writer.apply([Insert("tag", ((7, 1, None, "k", "v"),)), said(snapshot, "altered_table:7")])
        seen = rows_in(writer, "tag")

    assert seen == rows_in(catalog, "tag") == [(7, 1, None, "k", "v")]
    with catalog.read() as reader:
        assert reader.snapshot(Latest()) == snapshot
        assert reader.snapshot_row(snapshot.id).changes == "altered_table:7"
        assert reader.snapshot_row(99) is None


def test_nothing_is_seen_before_the_block_ends(catalog):
    with catalog.write() as writer:
        head = writer.snapshot(Latest())
        writer.claim(after(head))
        writer.apply([Insert("tag", ((7, 1, None, "k", "v"),))])

        assert head_of(catalog) == head
        assert rows_in(catalog, "tag") == []


def test_an_error_in_the_block_leaves_nothing(catalog):
    before = head_of(catalog)

    def fails():
        with catalog.write() as writer:
            writer.claim(after(before))
            writer.apply([Insert("tag", ((7, 1, None, "k", "v"),))])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert head_of(catalog) == before
    assert rows_in(catalog, "tag") == []
    commit(catalog, Insert("tag", ((8, 1, None, "k", "v"),)))
    assert rows_in(catalog, "tag") == [(8, 1, None, "k", "v")]


def test_a_failed_statement_forbids_the_commit_even_if_nobody_minds(catalog):
    before = head_of(catalog)

    def careless():
        with catalog.write() as writer:
            writer.apply([Insert("tag", ((7, 1, None, "k", "v"),))])
            with suppress(RivalCommit):
                writer.claim(before)

    with pytest.raises(RivalCommit):
        careless()
    assert rows_in(catalog, "tag") == []


def test_a_catalog_opened_for_reading_refuses_to_write(lakes):
    place = lakes.place()
    open_catalog(place.location, data_path=place.data_path).close()

    with (
        open_catalog(place.location, read_only=True) as catalog,
        pytest.raises(UsageError, match="reading only"),
    ):
        catalog.write()


def test_steps_are_told_in_order(catalog):
    steps = []

    commit(catalog, steps=steps.append)

    assert steps == ["begun", "claimed", "applied", "before commit", "after commit"]


def test_every_table_takes_full_rows_and_empty_ones(catalog):
    rows = {}
    for name, table in catalog.scope.tables.items():
        full = tuple(_cell(column, i) for i, column in enumerate(table.columns))
        empty = tuple(
            900 + i if column.primary_key or not column.nullable else None
            for i, column in enumerate(table.columns)
        )
        empty = tuple(str(cell) if name == "metadata" and cell else cell for cell in empty)
        rows[name] = [full, empty]
    before = {name: rows_in(catalog, name) for name in rows}

    with catalog.write() as writer:
        writer.apply([Insert(name, tuple(new)) for name, new in rows.items()])

    for name, new in rows.items():
        found = [row for row in rows_in(catalog, name) if row not in before[name]]
        assert sorted(map(_plain, found), key=repr) == sorted(map(_plain, new), key=repr), name


def _cell(column, number):
    match column.type:
        case BigInteger():
            return 2**62 + number
        case Boolean():
            return True
        case Instant():
            return TIME_CELL
        case _:
            return UUID_CELL if column.name.endswith("uuid") else WORD_CELL


def _plain(row):
    """Cells as they compare on every database."""
    return tuple(_plain_cell(cell) for cell in row)


def _plain_cell(cell):
    match cell:
        case UUID():
            return str(cell)
        case datetime():
            return cell.replace(tzinfo=cell.tzinfo or UTC).strftime("%Y-%m-%d %H:%M:%S.%f+00")
        case bool():
            return int(cell)
        case _:
            return cell


@pytest.mark.parametrize("count", [1, 20, 21, 2500])
def test_any_number_of_rows_is_inserted(catalog, count):
    rows = tuple((i, i % 7, None, f"k{i}", None if i % 3 else "v") for i in range(count))

    commit(catalog, Insert("tag", rows[:1]), Insert("tag", rows[1:]))

    assert sorted(rows_in(catalog, "tag")) == list(rows)


def test_live_rows_that_match_are_ended(catalog):
    commit(catalog, Insert("tag", tuple((i, 1, 2 if i == 3 else None, "k", "v") for i in range(6))))

    commit(
        catalog,
        End("tag", (("object_id", (1, 3)), ("key", "k")), 9),
        End("tag", (("object_id", 2), ("key", "other")), 9),
        End("tag", (("object_id", 5),), 9),
        End("tag", (("object_id", ()),), 9),
    )

    ends = {row[0]: row[2] for row in rows_in(catalog, "tag")}
    assert ends == {0: None, 1: 9, 2: None, 3: 2, 4: None, 5: 9}


def test_a_condition_may_name_thousands_of_values(catalog):
    commit(catalog, Insert("tag", tuple((i, 1, None, "k", "v") for i in range(3000))))

    commit(catalog, End("tag", (("object_id", tuple(range(1, 3000))),), 9))

    assert [row[0] for row in rows_in(catalog, "tag") if row[2] is None] == [0]


def test_rows_that_match_are_updated(catalog):
    stats = tuple((1, column, False, None, "a", "b", None) for column in range(5))
    commit(catalog, Insert("table_column_stats", stats))

    commit(
        catalog,
        Update("table_column_stats", _column(0), (("min_value", WORD_CELL), ("max_value", None))),
        Update("table_column_stats", _column(1), (("min_value", None), ("max_value", "z"))),
        Update("table_column_stats", _column(1), (("contains_null", True),)),
        Update("table_column_stats", (("column_id", (2, 3)),), (("extra_stats", "{}"),)),
        Update("table_column_stats", (("extra_stats", None), ("column_id", 4)), (("table_id", 9),)),
        Update(
            "table_column_stats",
            (("extra_stats", (None, "?")), ("column_id", 4)),
            (("min_value", "n"),),
        ),
    )

    assert sorted(map(_plain, rows_in(catalog, "table_column_stats"))) == [
        (1, 0, 0, None, WORD_CELL, None, None),
        (1, 1, 1, None, None, "z", None),
        (1, 2, 0, None, "a", "b", "{}"),
        (1, 3, 0, None, "a", "b", "{}"),
        (9, 4, 0, None, "n", "b", None),
    ]


def _column(number):
    return (("table_id", 1), ("column_id", number))


def test_rows_that_match_are_deleted(catalog):
    commit(catalog, Insert("tag", tuple((i, 1, None, f"k{i}", "v") for i in range(6))))

    commit(catalog, Delete("tag", (("object_id", (0, 1, 2)),)), Delete("tag", (("key", "k5"),)))

    assert sorted(row[0] for row in rows_in(catalog, "tag")) == [3, 4]


def test_changes_are_made_in_order(catalog):
    row = (1, 1, None, "k", "v")

    commit(
        catalog,
        Insert("tag", (row,)),
        Delete("tag", (("object_id", 1),)),
        Insert("tag", (row,)),
        Update("tag", (("object_id", 1),), (("object_id", 2),)),
        Update("tag", (("object_id", 2),), (("object_id", 3),)),
        Insert("tag", (row,)),
    )

    assert sorted(row[0] for row in rows_in(catalog, "tag")) == [1, 3]


def test_a_snapshot_keeps_its_microseconds(catalog):
    with catalog.write() as writer:
        snapshot = after(writer.snapshot(Latest()))
        snapshot = type(snapshot)(snapshot.id, TIME_CELL, 4, 5, 6)
        writer.claim(snapshot)

    with catalog.read() as reader:
        assert reader.snapshot(Latest()) == snapshot


def test_an_id_that_is_taken_although_its_counter_calls_it_free_is_corruption(catalog):
    mutation = Insert("schema", ((0, UUID_CELL, 1, None, "s", "s/", True),))

    expected = RivalCommit if catalog.location.backend == "duckdb" else CorruptLake
    with pytest.raises(expected):
        commit(catalog, mutation)
