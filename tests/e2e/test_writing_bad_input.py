"""Requests that are wrong: the right error, a clear sentence, no snapshot, no file, no state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import quacklake as ql
from quacklake.client.lake import Lake

MANY = list(range(50))


@dataclass(frozen=True)
class Wrong:
    """A request, the error it must raise, and what the sentence must say."""

    ask: Callable[[Lake], Any]
    says: tuple[str, ...]
    error: type[ql.QuacklakeError] = ql.UsageError


def orders(lake: Lake) -> Any:
    return lake.table("orders")


def late_null() -> pa.RecordBatchReader:
    schema = pa.schema([("id", pa.int64())])
    good = pa.record_batch([pa.array(MANY)], schema=schema)
    bad = pa.record_batch([pa.array([1, 2, None])], schema=schema)
    return pa.RecordBatchReader.from_batches(schema, [good, bad])


WRONG: dict[str, Wrong] = {
    "a default that does not fit": Wrong(
        lambda lake: orders(lake).add_column("extra", "int", default="'abc'"), ("'extra'", "fit")
    ),
    "a default that cannot be computed": Wrong(
        lambda lake: orders(lake).set_default("small", "nonsense(1)"), ("'small'", "default")
    ),
    "a default of a nested column": Wrong(
        lambda lake: lake.create_table("nested", {"l": "int[] default [1]"}),
        ("'l'", "nested"),
        ql.Unsupported,
    ),
    "a table with a default that does not fit": Wrong(
        lambda lake: lake.create_table("new", {"d": "date default 'soon'"}), ("'d'", "DATE")
    ),
    "one partition key twice": Wrong(
        lambda lake: orders(lake).set_partitioning(["id", "id"]), ("twice",)
    ),
    "a sort order of an unknown function": Wrong(
        lambda lake: orders(lake).set_sort_order(["nonsense(id)"]), ("sort order",)
    ),
    "two sort orders in one": Wrong(
        lambda lake: orders(lake).set_sort_order(["id, note"]), ("not a sort order",)
    ),
    "a sort order that says more": Wrong(
        lambda lake: orders(lake).set_sort_order(["id LIMIT 5"]), ("not a sort order",)
    ),
    "a view of no query": Wrong(
        lambda lake: lake.create_view("v", "DROP TABLE orders"), ("query",)
    ),
    "a malformed view": Wrong(lambda lake: lake.create_view("v", "SELEC 1"), ("not valid SQL",)),
    "a share above one": Wrong(
        lambda lake: lake.rewrite_data_files(delete_threshold=7), ("between 0 and 1",)
    ),
    "a temporary table": Wrong(
        lambda lake: lake.sql("CREATE TEMP TABLE x (a INT)"), ("temporary",), ql.Unsupported
    ),
    "an insert that replaces": Wrong(
        lambda lake: lake.sql("INSERT OR REPLACE INTO orders (id) VALUES (1)"),
        ("INSERT OR",),
        ql.Unsupported,
    ),
    "an insert that overwrites": Wrong(
        lambda lake: lake.sql("INSERT OVERWRITE orders SELECT 1 AS id"),
        ("OVERWRITE",),
        ql.Unsupported,
    ),
    "half a statement": Wrong(lambda lake: lake.sql("DELETE FROM"), ("not valid SQL", "(line 1)")),
    "an unknown column": Wrong(
        lambda lake: orders(lake).append({"id": MANY, "nope": MANY}), ("nope", "orders")
    ),
    "a column twice": Wrong(
        lambda lake: orders(lake).append(pa.table([MANY, MANY], names=["id", "ID"])), ("twice",)
    ),
    "a missing column": Wrong(
        lambda lake: orders(lake).append({"note": ["x"] * 50}), ("'id'", "NOT NULL")
    ),
    "text for a number": Wrong(
        lambda lake: orders(lake).append({"id": ["x"] * 50}), ("row 0", "'id'", "BIGINT")
    ),
    "a number too large": Wrong(
        lambda lake: orders(lake).append({"id": [1, 2], "small": [1, 300]}), ("row 1", "'small'")
    ),
    "a fraction for a whole number": Wrong(
        lambda lake: orders(lake).append({"id": [1, 2.5]}), ("row 1", "'id'")
    ),
    "NULL for NOT NULL, few rows": Wrong(
        lambda lake: orders(lake).append({"id": [1, None]}), ("row 1", "'id'", "NOT NULL")
    ),
    "NULL for NOT NULL, many rows": Wrong(
        lambda lake: orders(lake).append({"id": [*MANY, None]}), ("row 50", "'id'")
    ),
    "NULL for NOT NULL, late in a stream": Wrong(
        lambda lake: orders(lake).append(late_null()), ("row 52", "'id'")
    ),
    "not rows at all": Wrong(lambda lake: orders(lake).append(7), ("int",)),
    "an update to NULL": Wrong(
        lambda lake: orders(lake).update({"id": "NULL"}), ("'id'", "NOT NULL")
    ),
    "an update that cannot be cast": Wrong(
        lambda lake: orders(lake).update({"small": "note"}), ("computed",)
    ),
    "an update of an unknown column": Wrong(
        lambda lake: orders(lake).update({"nope": "1"}), ("nope",), ql.NotFound
    ),
    "an update of nothing": Wrong(lambda lake: orders(lake).update({}), ("column",)),
    "a malformed condition": Wrong(lambda lake: orders(lake).delete("id >"), ("id >",)),
    "a condition on an unknown column": Wrong(
        lambda lake: orders(lake).delete("nope = 1"), ("nope",)
    ),
    "a merge with a key twice": Wrong(
        lambda lake: orders(lake).merge(pa.table({"id": [1, 1]}), on="id"), ("several",)
    ),
    "a merge on an unknown key": Wrong(
        lambda lake: orders(lake).merge(pa.table({"id": [1]}), on="nope"), ("nope",)
    ),
    "a merge of NULL into NOT NULL": Wrong(
        lambda lake: orders(lake).merge(pa.table({"id": pa.array([None], pa.int64())}), on="id"),
        ("'id'",),
    ),
    "an overwrite that does not fit": Wrong(
        lambda lake: orders(lake).overwrite({"id": ["x"] * 50}), ("'id'",)
    ),
    "a table that is there": Wrong(
        lambda lake: lake.create_table("Orders", {"a": "int"}), ("Orders",)
    ),
    "a schema that is there": Wrong(lambda lake: lake.create_schema("main"), ("main",)),
    "a view with a table's name": Wrong(
        lambda lake: lake.create_view("orders", "SELECT 1"), ("orders",)
    ),
    "columns with one name": Wrong(
        lambda lake: lake.create_table("u", {"a": "int", "A": "int"}), ("'A'",)
    ),
    "no type": Wrong(lambda lake: lake.create_table("u", {"a": "in teger"}), ("a",)),
    "a type the format lacks": Wrong(
        lambda lake: lake.create_table("u", {"a": "bit"}), ("BIT",), ql.Unsupported
    ),
    "a table without columns": Wrong(lambda lake: lake.create_table("u", {}), ("column",)),
    "an unknown transform": Wrong(
        lambda lake: orders(lake).set_partitioning(["decade(day)"]), ("decade",)
    ),
    "a transform that does not fit": Wrong(
        lambda lake: orders(lake).set_partitioning(["year(id)"]), ("'id'", "year")
    ),
    "no buckets": Wrong(lambda lake: orders(lake).set_partitioning(["bucket(0, id)"]), ("bucket",)),
    "partitions by an unknown column": Wrong(
        lambda lake: orders(lake).set_partitioning(["nope"]), ("nope",), ql.NotFound
    ),
    "a column that is there": Wrong(lambda lake: orders(lake).add_column("NOTE", "int"), ("NOTE",)),
    "a rename to a column that is there": Wrong(
        lambda lake: orders(lake).rename_column("small", "note"), ("note",)
    ),
    "a narrower type": Wrong(lambda lake: orders(lake).set_type("id", "int"), ("'id'",)),
    "another type": Wrong(lambda lake: orders(lake).set_type("note", "int"), ("'note'",)),
    "NOT NULL where NULLs are": Wrong(
        lambda lake: orders(lake).set_not_null("small"), ("'small'",)
    ),
    "a drop of no table": Wrong(lambda lake: lake.drop_table("nope"), ("nope",), ql.NotFound),
    "a drop of no view": Wrong(lambda lake: lake.drop_view("nope"), ("nope",), ql.NotFound),
    "a drop of no schema": Wrong(lambda lake: lake.drop_schema("nope"), ("nope",), ql.NotFound),
    "a drop of no column": Wrong(
        lambda lake: orders(lake).drop_column("nope"), ("nope",), ql.NotFound
    ),
    "a drop of a schema in use": Wrong(lambda lake: lake.drop_schema("main"), ("main",)),
    "malformed SQL": Wrong(
        lambda lake: lake.sql("INSERT INTO orders VALEUS (1)"), ("SQL", "line 1")
    ),
    "SQL with the wrong number of values": Wrong(
        lambda lake: lake.sql("INSERT INTO orders (id, note) VALUES (1)"), ()
    ),
    "SQL into an unknown table": Wrong(
        lambda lake: lake.sql("INSERT INTO nope VALUES (1)"), ("nope",), ql.NotFound
    ),
    "an unknown option": Wrong(lambda lake: lake.set_option("nope", 1), ("nope",)),
    "an option that is no number": Wrong(
        lambda lake: lake.set_option("data_inlining_row_limit", "many"), ("whole number",)
    ),
    "an age that is none": Wrong(
        lambda lake: lake.expire_snapshots(older_than="soonish"), ("soonish",)
    ),
    "an unknown table to maintain": Wrong(
        lambda lake: lake.merge_adjacent_files("nope"), ("nope",), ql.NotFound
    ),
}


@pytest.fixture
def lake(tmp_path):
    made = ql.connect(f"sqlite:///{tmp_path}/catalog.sqlite", data_path=f"{tmp_path}/data/")
    made.create_table(
        "orders",
        {"id": "bigint not null", "small": "tinyint", "note": "varchar", "day": "date"},
    )
    orders(made).append({"id": list(range(100, 150)), "note": ["x"] * 50})
    orders(made).append({"id": [1]})
    yield made
    made.close()


def state(lake: Lake, tmp_path: Path) -> tuple[object, ...]:
    files = {str(path) for path in (tmp_path / "data").rglob("*") if path.is_file()}
    return (lake.snapshots(), lake.options(), lake.tables(), files)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_request_is_told_and_changes_nothing(lake, tmp_path, name):
    wrong = WRONG[name]
    before = state(lake, tmp_path)

    with pytest.raises(wrong.error) as raised:
        wrong.ask(lake)

    assert type(raised.value) in {wrong.error, *wrong.error.__subclasses__()}
    sentence = str(raised.value)
    assert all(word in sentence for word in wrong.says), sentence
    assert "\n" not in raised.value.problem
    assert not raised.value.problem.endswith(".")
    assert state(lake, tmp_path) == before
    assert orders(lake).append({"id": [7]}).inserted == 1


@pytest.mark.parametrize(
    "name", ["NULL for NOT NULL, late in a stream", "a merge with a key twice"]
)
def test_a_transaction_may_go_on_after_a_wrong_request(lake, name):
    with lake.transaction() as tx:
        tx.table("orders").append({"id": [5]})
        with pytest.raises(ql.UsageError):
            WRONG[name].ask(tx)
        tx.table("orders").append({"id": [6]})

    assert lake.table("orders").stats().rows == 53
    assert lake.snapshots()[-1].id == 4
