"""Every store keeps names as they are, and is reached by options or by the environment."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quacklake.format.sqltypes import literal
from quacklake.storage import Storage, open_parquet
from tests.support.objectstore import ObjectStore
from tests.support.referee import extended

NAMES = [
    "plain",
    "a b",
    "100%",
    "p%20q",
    "key=value",
    "k=%2F",
    "hash#1",
    "what?",
    "ünïcødé-鴨",
    "plus+minus",
    "semi;colon",
    "amp&and",
    "quote's",
    "[brackets]",
    "{braces}",
    "star*",
    "comma,",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("store", ["disk", "file URL", "S3"])
def test_names_are_taken_literally(
    store: str, name: str, tmp_path: Path, object_store: ObjectStore
) -> None:
    key = f"{tmp_path.name}/{name}/{name}.parquet"
    path = tmp_path / key
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table({"id": [1, 2, 3]}), path)
    location = {"disk": str(path), "file URL": f"file://{path}"}.get(store)
    if location is None:
        location = object_store.put(key, path.read_bytes())
    storage = Storage(object_store.options())

    source = open_parquet(storage, location)

    assert source.read([0], source.schema.fields).to_pydict() == {"id": [1, 2, 3]}
    assert storage.exists(location)
    assert storage.size(location) == path.stat().st_size
    source.close()


def test_relative_paths_start_at_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pq.write_table(pa.table({"id": [1]}), tmp_path / "rows.parquet")
    monkeypatch.chdir(tmp_path)

    source = open_parquet(Storage(), "rows.parquet")

    assert source.read([0], []).num_rows == 1
    source.close()


def test_the_environment_says_how_to_reach_a_store(
    tmp_path: Path, object_store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = object_store.put(f"{tmp_path.name}/rows.parquet", b"anything")
    for name in [each for each in os.environ if each.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in object_store.environment().items():
        monkeypatch.setenv(name, value)

    assert Storage().exists(location)


def test_an_endpoint_without_scheme_is_http_where_allowed(object_store: ObjectStore) -> None:
    bare = {**object_store.settings(), "s3.endpoint": object_store.endpoint.removeprefix("http://")}
    storage = Storage(type(object_store.options()).parse({**bare, "s3.allow_http": "true"}))

    assert not storage.exists(object_store.location("nothing/here"))


def test_a_lake_on_s3_written_by_the_extension_is_read(
    tmp_path: Path, object_store: ObjectStore
) -> None:
    data = object_store.location(f"{tmp_path.name}/lake/")
    with extended("ducklake", "httpfs") as connection:
        object_store.introduce(connection)
        connection.execute(
            f"ATTACH {literal(f'ducklake:{tmp_path}/lake.ducklake')} AS lake "
            f"(DATA_PATH {literal(data)}, DATA_INLINING_ROW_LIMIT 0)"
        )
        connection.execute("CREATE TABLE lake.t (id INT, day DATE, name VARCHAR)")
        connection.execute("ALTER TABLE lake.t SET PARTITIONED BY (name)")
        connection.execute(
            "INSERT INTO lake.t SELECT i, DATE '2020-01-01' + i::INT, "
            "['a b', 'ü/=%', NULL][i % 3 + 1] FROM range(300) r(i)"
        )
        files = connection.execute(
            "SELECT data_file, data_file_size_bytes FROM ducklake_list_files('lake', 't')"
        ).fetchall()
        expected = connection.execute("SELECT id FROM lake.t ORDER BY id").fetchall()
    storage = Storage(object_store.options())

    found: list[int] = []
    for location, size in files:
        source = open_parquet(storage, location, file_size=size)
        table = source.read([0], [source.schema.by_id()[1]])
        found.extend(table.column("id").to_pylist())
        source.close()

    assert len(files) == 3
    assert sorted(found) == [each for (each,) in expected]


def test_a_remote_copy_is_removed_when_the_file_is_closed(
    tmp_path: Path, object_store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "variant.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT 1::VARIANT AS v) TO '{path}' (FORMAT parquet)")
    location = object_store.put(f"{tmp_path.name}/variant.parquet", path.read_bytes())
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spool))

    source = open_parquet(Storage(object_store.options()), location)
    read = source.read([0], [source.schema.fields[0].as_variant()])
    held = list(spool.iterdir())
    source.close()

    assert read.to_pydict() == {"v": ["1"]}
    assert len(held) == 1
    assert list(spool.iterdir()) == []
