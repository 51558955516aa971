"""When rows that the catalog keeps went."""

from __future__ import annotations

import pyarrow as pa
import pytest

from quacklake.catalog.reader import InlinedRows
from quacklake.kernel.errors import CorruptLake
from quacklake.maintenance.kept import ends_of


def kept(*pairs):
    ids, snapshots = zip(*pairs, strict=True)
    return InlinedRows((), pa.table({"row_id": ids, "snapshot": snapshots}), 1)


def test_nothing_ended_where_nothing_went():
    assert ends_of(kept((1, 2)), None) == {}


def test_the_first_death_of_a_row_id_ends_its_first_life():
    born, died = kept((7, 2), (7, 5), (8, 3)), kept((7, 5), (7, 9))

    assert ends_of(born, died) == {(7, 2): 5, (7, 5): 9}


@pytest.mark.parametrize("born", [kept((7, 2), (7, 2)), kept((7, 2), (8, 2)), kept((7, 2), (7, 6))])
def test_a_row_that_went_more_often_than_it_came_is_no_lake(born):
    with pytest.raises(CorruptLake) as told:
        ends_of(born, kept((7, 5), (7, 5)))

    assert told.value.facts["row_id"] == 7
