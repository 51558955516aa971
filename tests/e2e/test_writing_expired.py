"""Commits that expired while a transaction was open cannot be judged, so they count against it."""

from __future__ import annotations

import pyarrow as pa
import pytest

import quacklake as ql


def test_a_commit_that_expired_in_between_is_a_conflict(tmp_path):
    url = f"sqlite:///{tmp_path}/c.sqlite"
    with (
        ql.connect(url, data_path=f"{tmp_path}/d/") as lake,
        ql.connect(url) as other,
    ):
        lake.set_option("data_inlining_row_limit", 0)
        table = lake.create_table("t", pa.table({"id": [1, 2, 3]}))
        late = lake.transaction()
        late.table("t").update({"id": "id + 10"}, where="id = 1")
        other.table("t").delete("id = 1")
        silent = other.snapshots()[-1].id
        other.create_table("u", {"x": "int"})
        other.expire_snapshots(versions=[silent])

        with pytest.raises(ql.CommitConflict, match="expired"):
            late.commit()

        assert sorted(table.to_arrow().column("id").to_pylist()) == [2, 3]
        table.append(pa.table({"id": [4]}))
        assert sorted(table.to_arrow().column("id").to_pylist()) == [2, 3, 4]
