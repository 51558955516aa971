"""Recursive queries as stream tables: computed anew, and said so."""

from __future__ import annotations

import pyarrow as pa
import pytest

import quacklake as ql

REACHED = """WITH RECURSIVE reached AS (
    SELECT child, parent FROM edges WHERE parent = 0
    UNION ALL
    SELECT e.child, r.parent FROM edges e JOIN reached r ON e.parent = r.child
) SELECT child FROM reached"""


@pytest.fixture
def lake(tmp_path):
    url = f"sqlite:///{tmp_path}/c.sqlite"
    with ql.connect(url, data_path=f"{tmp_path}/data/", engine="local") as opened:
        edges = pa.table({"parent": [0, 1, 2, 7], "child": [1, 2, 3, 8]})
        opened.create_table("edges", edges)
        yield opened


def children(view):
    return sorted(view.to_arrow().column("child").to_pylist())


def test_a_recursive_query_is_computed_anew_when_a_source_changes(lake):
    view = lake.create_stream_table("reached", REACHED)
    assert children(view) == [1, 2, 3]
    lake.table("edges").append(pa.table({"parent": [3], "child": [7]}))

    report = view.refresh()

    assert (report.mode, "recursive" in report.reason) == ("full", True)
    assert (report.rows_out, children(view)) == (2, [1, 2, 3, 7, 8])
    assert view.verify()
    assert view.refresh().mode == "no-change"
    lake.table("edges").delete("parent = 1")
    view.refresh()
    assert children(view) == [1]


def test_it_is_refused_where_only_changes_are_wanted(lake):
    assert not lake.validate(REACHED)
    with pytest.raises(ql.Unsupported, match="recursive"):
        lake.create_stream_table("reached", REACHED, mode="incremental")
    view = lake.create_stream_table("reached", REACHED)
    lake.table("edges").delete("parent = 1")
    with pytest.raises(ql.Unsupported, match="recursive"):
        view.refresh(mode="incremental")
    assert "computed anew" in str(view.explain())
