"""Sets of queries that are kept together, as an auction house and a shop would keep them."""

from __future__ import annotations

import pytest

from quacklake.catalog import Backend
from tests.support.lakes import Lakes
from tests.support.stream_sets import AUCTIONS, ORDERS
from tests.support.streams import streams

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("limit", [0, 10], ids=["files", "catalog"])
@pytest.mark.parametrize("chosen", [AUCTIONS, ORDERS], ids=["auctions", "orders"])
def test_a_set_of_views_is_kept_by_deltas_while_duckdb_writes(chosen, limit, tmp_path):
    place = Lakes(Backend.SQLITE, tmp_path).place()
    with streams(place) as made:
        made.lake.set_option("data_inlining_row_limit", limit)
        with place.referee() as referee:
            for statement in (*chosen.tables, *chosen.start):
                referee.execute(statement)
        for name, query in chosen.queries.items():
            made.keep(name, query)
        made.check(verify=False)
        for window in chosen.windows:
            with place.referee() as referee:
                for statement in window:
                    referee.execute(statement)
            modes = {name: str(each.mode) for name, each in made.refreshed().items()}
            assert set(modes.values()) <= {"incremental", "no-change"}, modes
            assert "incremental" in modes.values()
            made.check(verify=window is chosen.windows[-1])
