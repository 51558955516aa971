"""What every open Parquet file promises, whoever wrote it, wherever it lies, sealed or not."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest

from quacklake.kernel.errors import Unsupported
from quacklake.storage import ParquetField, ParquetSource, Storage, open_parquet
from quacklake.storage.arrow_source import ArrowSource
from quacklake.storage.duckdb_source import DuckDBSource
from tests.support.objectstore import ObjectStore

KEY: Final = bytes(range(16))
ROWS: Final = 5_000
GROUP: Final = 2_048
QUERY: Final = f"""
    SELECT i AS id, 'row ' || i AS name, [i, i + 1] AS pair,
           {{'x': i, 'y': {{'z': 'z' || i, 'w': i % 2 = 0}}}} AS point,
           MAP {{'k': {{'n': i}}}} AS lookup,
           CASE WHEN i % 3 = 0 THEN NULL ELSE i::DECIMAL(18, 2) END AS price,
           CASE WHEN i % 2 = 0 THEN {{'a': i}}::VARIANT ELSE ('v' || i)::VARIANT END AS anything,
           uuid_extract_version(uuid()) AS four
    FROM range({ROWS}) t(i)
"""
IDS: Final = """
    {id: 1, name: 2, pair: {__duckdb_field_id: 3, element: 4},
     point: {__duckdb_field_id: 5, x: 6, y: {__duckdb_field_id: 7, z: 8, w: 9}},
     lookup: {__duckdb_field_id: 10, key: 11, value: {__duckdb_field_id: 12, n: 13}},
     price: 14, anything: 15, four: 16}
"""


@dataclass(frozen=True, slots=True)
class Kind:
    """A way to write a file, and which reader it needs."""

    write: Callable[[Path], None]
    reader: type[ArrowSource | DuckDBSource]
    encrypted: bool = False
    marks_variants: bool = True


def _by_duckdb(path: Path) -> None:
    _copied(path, "")


def _by_duckdb_encrypted(path: Path) -> None:
    _copied(path, ", ENCRYPTION_CONFIG {footer_key_value: $key}", key=KEY)


def _copied(path: Path, options: str, **values: bytes) -> None:
    with duckdb.connect() as connection:
        connection.execute("SET force_mbedtls_unsafe = true")
        connection.execute(
            f"COPY ({QUERY}) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE {GROUP}, FIELD_IDS {IDS}"
            f"{options})",
            values,
        )


def _by_arrow(path: Path) -> None:
    pq.write_table(_through_arrow(path), path, row_group_size=GROUP)


def _by_arrow_encrypted(path: Path) -> None:
    sealed = pe.create_encryption_properties(KEY)
    pq.write_table(_through_arrow(path), path, row_group_size=GROUP, encryption_properties=sealed)


def _through_arrow(path: Path) -> pa.Table:
    """The table DuckDB wrote, field ids and all; its variant as the struct it is stored as."""
    _by_duckdb(path)
    return pq.ParquetFile(path).read()


KINDS: Final = {
    "DuckDB": Kind(_by_duckdb, ArrowSource),
    "Arrow": Kind(_by_arrow, ArrowSource, marks_variants=False),
    "DuckDB, encrypted": Kind(_by_duckdb_encrypted, DuckDBSource, encrypted=True),
    "Arrow, encrypted": Kind(
        _by_arrow_encrypted, ArrowSource, encrypted=True, marks_variants=False
    ),
}


@dataclass(frozen=True, slots=True)
class Sample:
    """A written file, and how it is opened."""

    kind: Kind
    storage: Storage
    location: str
    size: int

    def open(self) -> ParquetSource:
        key = base64.b64encode(KEY).decode() if self.kind.encrypted else None
        return open_parquet(self.storage, self.location, file_size=self.size, encryption_key=key)


@pytest.fixture(params=[f"{kind} on {store}" for kind in KINDS for store in ("disk", "S3")])
def sample(request: pytest.FixtureRequest, tmp_path: Path, object_store: ObjectStore) -> Sample:
    name, _, store = request.param.partition(" on ")
    path = tmp_path / "rows 1%20=?#[a].parquet"
    KINDS[name].write(path)
    size = path.stat().st_size
    if store == "disk":
        return Sample(KINDS[name], Storage(), str(path), size)
    location = object_store.put(f"{tmp_path.name}/k=v%20w/rows ü#?.parquet", path.read_bytes())
    path.unlink()
    return Sample(KINDS[name], Storage(object_store.options()), location, size)


@pytest.fixture
def source(sample: Sample) -> Iterator[ParquetSource]:
    opened = sample.open()
    yield opened
    opened.close()


def column(source: ParquetSource, *path: str) -> ParquetField:
    level = source.schema.fields
    for name in path:
        (found,) = [each for each in level if each.name == name]
        level = found.children
    return found


def every_group(source: ParquetSource) -> list[int]:
    return [group.index for group in source.row_groups]


def test_the_file_is_opened_by_the_reader_it_needs(sample: Sample, source: ParquetSource) -> None:
    assert isinstance(source, sample.kind.reader)


def test_row_groups_say_where_their_rows_are(source: ParquetSource) -> None:
    found = [(group.index, group.first_row, group.row_count) for group in source.row_groups]

    assert found == [(0, 0, 2048), (1, 2048, 2048), (2, 4096, 904)]


def test_fields_at_every_level_have_their_ids(source: ParquetSource) -> None:
    ids = [each.field_id for each in source.schema.walk() if each.field_id is not None]

    assert ids == list(range(1, 17))


def test_rows_come_in_file_order(source: ParquetSource) -> None:
    table = source.read(every_group(source), [column(source, "id")])

    assert table.column("id").to_pylist() == list(range(ROWS))


def test_one_row_group_holds_the_rows_of_its_positions(source: ParquetSource) -> None:
    table = source.read([1], [column(source, "name")])

    assert table.column("name").to_pylist() == [f"row {i}" for i in range(2048, 4096)]


def test_row_groups_need_not_be_neighbours(source: ParquetSource) -> None:
    table = source.read([0, 2], [column(source, "id")])

    assert table.column("id").to_pylist() == [*range(2048), *range(4096, 5000)]


def test_columns_come_in_file_order_whatever_order_they_are_asked_in(source: ParquetSource) -> None:
    wanted = [column(source, "price"), column(source, "point", "x"), column(source, "id")]

    table = source.read([2], wanted)

    assert table.column_names == ["id", "point", "price"]


def test_reads_have_the_types_the_schema_promises(source: ParquetSource) -> None:
    wanted = [each for each in source.schema.fields if each.name != "anything"]

    table = source.read([0], wanted)

    assert table.schema.types == [each.type for each in wanted]


def test_nested_fields_can_be_asked_for_alone(source: ParquetSource) -> None:
    wanted = [column(source, "point", "y", "w"), column(source, "lookup", "value", "n")]

    row = source.read([0], wanted).slice(7, 1).to_pylist()[0]

    assert row["point"]["y"]["w"] is False
    assert row["lookup"] == [("k", {"n": 7})]


def test_variants_are_read_as_json(sample: Sample, source: ParquetSource) -> None:
    wanted = [column(source, "four"), column(source, "anything").as_variant(), column(source, "id")]
    if not sample.kind.marks_variants:
        with pytest.raises(Unsupported) as caught:
            source.read([0], wanted)
        assert caught.value.facts["location"] == sample.location
        return

    table = source.read([1, 2], wanted)

    assert table.schema.types == [pa.int64(), pa.string(), source.schema.fields[7].type]
    assert table.slice(0, 2).to_pylist() == [
        {"id": 2048, "anything": '{"a":2048}', "four": 4},
        {"id": 2049, "anything": '"v2049"', "four": 4},
    ]
    assert table.num_rows == ROWS - 2048


def test_without_columns_rows_are_counted(source: ParquetSource) -> None:
    table = source.read([0, 2], [])

    assert (table.num_rows, table.num_columns) == (2952, 0)


def test_without_row_groups_there_are_no_rows(source: ParquetSource) -> None:
    table = source.read([], [column(source, "id"), column(source, "point")])

    assert (table.num_rows, table.column_names) == (0, ["id", "point"])


def test_several_threads_read_at_once(source: ParquetSource) -> None:
    wanted = [column(source, "id"), column(source, "point")]
    groups = every_group(source) * 6

    with ThreadPoolExecutor(6) as pool:
        tables = list(pool.map(lambda group: source.read([group], wanted), groups))

    for group, table in zip(groups, tables, strict=True):
        positions = source.row_groups[group]
        first = positions.first_row
        assert table.column("id").to_pylist() == list(range(first, first + positions.row_count))


def test_a_closed_file_opens_again_by_itself(source: ParquetSource) -> None:
    source.read([0], [column(source, "name")])
    source.close()

    table = source.read([2], [column(source, "id")])

    assert table.column("id").to_pylist() == list(range(4096, 5000))


def test_files_that_look_alike_share_their_schema(sample: Sample, source: ParquetSource) -> None:
    other = sample.open()

    assert other.schema is source.schema

    other.close()
