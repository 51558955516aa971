"""Random lakes through Spark, and changes by Spark against the same changes here."""

from __future__ import annotations

import itertools

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, note, reject, settings
from hypothesis import strategies as st

import quacklake as ql
from tests.support.bags import differences
from tests.support.random_histories import histories
from tests.support.random_steps import filters
from tests.support.read_paths import name_of
from tests.support.referee import Referee
from tests.support.shapes import comparands, leaf_of
from tests.support.spark import ONE_WORKER, arrow_of
from tests.support.teller import TellerDied
from tests.support.workshop import Workshop

pytestmark = [pytest.mark.slow, ONE_WORKER]

few = settings(
    max_examples=5,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def sqlite_workshop(tmp_path_factory):
    made = Workshop("sqlite", tmp_path_factory.mktemp("sqlite"))
    yield made
    made.close()


@few
@given(data=st.data())
def test_random_lakes_are_read_as_the_extension_reads_them(spark, sqlite_workshop, data):
    history = data.draw(histories(text_inlined=True, longest=12))
    try:
        with sqlite_workshop.lake(history) as made, ql.connect(made.url, read_only=True) as lake:
            answered = [reading for reading in made.told.readings if reading.answer is not None]
            for reading in data.draw(st.lists(st.sampled_from(answered), max_size=4)):
                note(f"{name_of(reading)} at {reading.snapshot}")
                leaves = ((name, leaf_of(sql)) for name, sql in reading.answer.columns)
                known = [(name, comparands(leaf)) for name, leaf in leaves if leaf is not None]
                where = data.draw(filters(known)) if known else "true"
                kept = data.draw(st.permutations(reading.answer.names))
                table = lake.table(name_of(reading), snapshot=reading.snapshot)
                scan = table.scan(tuple(kept), filter=where, snapshot=reading.snapshot)

                rows = arrow_of(scan, spark)

                assert not made.disagreements(reading.answer.select(kept), rows, where=where)
    except TellerDied:
        reject()


numbers = itertools.count()
KEYS = st.one_of(st.none(), st.integers(0, 12))
ROWS = st.lists(st.tuples(KEYS, st.integers(-5, 5)), min_size=1, max_size=40)
BROUGHT = st.lists(st.tuples(KEYS, st.integers(-5, 5)), max_size=8, unique_by=lambda row: row[0])
CONDITIONS = st.sampled_from(
    ["k = 3", "k > 5", "k IS NULL", "v < 0", "k % 2 = 0", "abs(v) > 2 OR k = 1", "false"]
)


def rows_of(pairs):
    schema = pa.schema([("k", pa.int64()), ("v", pa.int32())])
    columns = [pa.array([pair[i] for pair in pairs], field.type) for i, field in enumerate(schema)]
    return pa.table(columns, schema=schema)


@few
@given(
    first=ROWS, second=ROWS, steps=st.lists(st.tuples(CONDITIONS, BROUGHT), min_size=1, max_size=2)
)
def test_changes_by_spark_are_the_changes_made_here(spark, tmp_path_factory, first, second, steps):
    folder = tmp_path_factory.mktemp(f"changes{next(numbers)}")
    tables = {}
    for engine in ("local", "spark"):
        lake = ql.connect(
            f"sqlite:///{folder}/{engine}.sqlite", data_path=f"{folder}/{engine}/", engine=engine
        )
        tables[engine] = lake.create_table("t", {"k": "bigint", "v": "integer"})
        for rows in (first, second):
            tables[engine].append(rows_of(rows))
    for condition, brought in steps:
        given = rows_of(brought)
        told = {}
        for engine, table in tables.items():
            source = given if engine == "local" else spark.createDataFrame(given)
            reports = (
                table.update({"v": "v * 2 + 1"}, where=condition),
                table.merge(source, on="k"),
                table.delete(f"({condition}) AND v > 3"),
            )
            told[engine] = [(r.inserted, r.updated, r.deleted) for r in reports]
        assert told["spark"] == told["local"]

    ours, theirs = (tables[engine].to_arrow() for engine in ("spark", "local"))
    assert not differences(ours, theirs)
    ids = tables["spark"].scan(["rowid"]).to_arrow()["rowid"].to_pylist()
    assert len(set(ids)) == len(ids)
    with Referee(f"sqlite:{folder}/spark.sqlite") as referee:
        assert not differences(ours, referee.arrow("SELECT * FROM t"))
