"""The change feed in the frames of other libraries; a DuckDB catalog keeps every type inlined."""

from __future__ import annotations

import math
from pathlib import Path

import duckdb
import pytest

from quacklake.catalog import Backend
from quacklake.client.changes import Changes
from quacklake.kernel.errors import FileUnreadable
from tests.support.feeds import Feed, feed_of, rows_of
from tests.support.lakes import Lakes

STORY = (
    "CREATE TABLE t (a HUGEINT, x DOUBLE, u UUID, i INTERVAL, n STRUCT(k INT[]))",
    """INSERT INTO t VALUES
       (1, 'nan', 'f79c3e09-677c-4bbd-a479-3f349cb785e7', INTERVAL '1 month', {'k': [1, NULL]}),
       (2, 7.5, NULL, NULL, NULL)""",
    "UPDATE t SET x = 1.5 WHERE a = 2",
)


@pytest.fixture(scope="module")
def feed(tmp_path_factory: pytest.TempPathFactory):
    folder: Path = tmp_path_factory.mktemp("results")
    with feed_of(Lakes(Backend.DUCKDB, folder).written(*STORY)) as opened:
        yield opened


def test_a_relation_has_the_types_of_the_lake(feed: Feed):
    with duckdb.connect() as con:
        relation = feed.changes().to_duckdb(con)

        assert [str(each) for each in relation.types] == [
            "BIGINT", "BIGINT", "VARCHAR", "HUGEINT", "DOUBLE", "UUID", "INTERVAL",
            "STRUCT(k INTEGER[])",
        ]  # fmt: skip
        assert relation.count("*").fetchall() == [(4,)]
        assert relation.count("*").fetchall() == [(4,)], "a relation may be used again"


def test_filters_of_a_relation_have_the_meaning_of_duckdb(feed: Feed):
    with duckdb.connect() as con:
        relation = feed.changes().to_duckdb(con)

        found = relation.filter("x > 5 AND snapshot_id = 2").order("rowid").project("rowid, x")

        (first, second) = found.fetchall()
        assert (first[0], math.isnan(first[1])) == (0, True)
        assert second == (1, 7.5)
        assert relation.filter("change_type = 'delete'").fetchall() == []


def test_weights_make_a_relation_too(feed: Feed):
    with duckdb.connect() as con:
        relation = feed.changes(2).weighted().to_duckdb(con)

        assert sorted(relation.project("x, weight").fetchall()) == [(1.5, 1), (7.5, -1)]


def test_frames_hold_the_changes(feed: Feed):
    pandas, polars = feed.changes(2).to_pandas(), feed.changes(2).to_polars()

    assert sorted(pandas["change_type"]) == ["update_postimage", "update_preimage"]
    assert polars["a"].to_list() == [2, 2]
    assert str(polars.schema["a"]) == "Int128"
    assert feed.changes(3).to_pandas().empty


def test_batches_and_readers_stream_the_changes(feed: Feed):
    changes = feed.changes()

    assert sum(batch.num_rows for batch in changes.to_batches()) == 4
    assert rows_of(changes.to_reader().read_all()) == rows_of(changes.to_arrow())
    assert changes.weighted().to_reader().read_all().num_rows == 2


def test_a_lost_file_is_named_whatever_asks_for_it(tmp_path: Path):
    place = Lakes(Backend.SQLITE, tmp_path).written(
        "CALL lake.set_option('data_inlining_row_limit', 0)",
        "CREATE TABLE t AS SELECT range AS a FROM range(10)",
        "INSERT INTO t VALUES (10)",
    )
    with feed_of(place) as feed, duckdb.connect() as con:
        _, lost = feed.changes().plan().files
        Path(lost).unlink()

        for use in (Changes.to_arrow, Changes.to_polars):
            for changes in (feed.changes(), feed.changes().weighted()):
                with pytest.raises(FileUnreadable) as refused:
                    use(changes)
                assert refused.value.facts["location"] == lost
        with pytest.raises(duckdb.Error):
            feed.changes().to_duckdb(con).fetchall()
