"""Law: a row of a view of one table has the row id of the row it comes from, whatever happens."""

from __future__ import annotations

from random import Random

import pytest

from quacklake.catalog import Backend
from tests.support.ivm_world import table
from tests.support.lakes import Lakes
from tests.support.streams import Changing, arrow_rows, differing, make_source, streams

pytestmark = pytest.mark.slow

TABLE = table("a", "id int, k int, s string")
VIEWS = {
    "whole": ("select * from a", "SELECT rowid, id, k, s FROM a"),
    "part": ("select k + 1 as m from a where id > 1", "SELECT rowid, k + 1 FROM a WHERE id > 1"),
    "ones": (
        "select 1 as one, s from a where k is null",
        "SELECT rowid, 1, s FROM a WHERE k IS NULL",
    ),
    "above": ("select m from part where m < 4", "SELECT rowid, m FROM part WHERE m < 4"),
}


@pytest.mark.parametrize("backend", [Backend.SQLITE, Backend.DUCKDB], ids=["sqlite", "duckdb"])
@pytest.mark.parametrize("seed", range(6))
def test_ids_are_those_of_the_source(seed, backend, tmp_path):
    random = Random(seed)
    with streams(Lakes(backend, tmp_path).place()) as made:
        make_source(made.lake, TABLE)
        made.lake.table("a").append(arrow_rows(random, TABLE, 14))
        for name, (query, _) in VIEWS.items():
            made.keep(name, query)
        for _ in range(4):
            changing = Changing(made.lake, random, (TABLE,))
            changing.window()
            if random.random() < 0.5:
                made.lake.refresh(mode=random.choice(["incremental", "full"]))
            else:
                made.refreshed()
            stored = random.choice([table(name, "id int") for name in VIEWS])
            random.choice([changing.compact, changing.flush, changing.rewrite])(stored)
            with made._judge() as ask:
                for name, (_, oracle) in VIEWS.items():
                    ours, theirs = ask(f"SELECT rowid, * FROM {name}"), ask(oracle)
                    assert ours == theirs, f"{name} {differing(ours, theirs)}: {changing.done}"
            assert not any(view.definition.settings.doubt for view in made.views.values())
            assert all(view.definition.settings.row_ids for view in made.views.values())
