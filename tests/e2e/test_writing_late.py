"""A transaction that looks at a file late, after another commit deleted from it."""

from __future__ import annotations

import pyarrow as pa
import pytest

import quacklake as ql


@pytest.mark.parametrize("doomed", ["id = 2", "id IN (2, 3)", "id = 3"])
def test_a_late_delete_of_a_file_that_lost_more_rows_is_a_conflict(doomed, tmp_path):
    url = f"sqlite:///{tmp_path}/c.sqlite"
    with (
        ql.connect(url, data_path=f"{tmp_path}/d/") as lake,
        ql.connect(url) as other,
    ):
        lake.set_option("data_inlining_row_limit", 0)
        table = lake.create_table("t", pa.table({"id": [1, 2, 3, 4]}))
        table.delete("id = 1")
        late = lake.transaction()
        # The delete file that the catalog now names for the past holds this position as well.
        other.table("t").delete("id = 2")
        late.table("t").delete(doomed)

        with pytest.raises(ql.CommitConflict):
            late.commit()

        assert sorted(table.to_arrow().column("id").to_pylist()) == [3, 4]
