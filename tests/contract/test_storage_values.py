"""Values of every type come out alike from both readers, and undressed from Arrow's own files."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quacklake.storage import ParquetSource, Storage, open_parquet

KEY: Final = bytes(range(16))
VALUES: Final = {
    "boolean": "true",
    "tinyint": "1::TINYINT",
    "ubigint": "18446744073709551615::UBIGINT",
    "hugeint": "5::HUGEINT",
    "float": "1.5::FLOAT",
    "infinite double": "'-inf'::DOUBLE",
    "small decimal": "1.25::DECIMAL(4, 2)",
    "wide decimal": "-1.25::DECIMAL(38, 2)",
    "date": "DATE '1500-02-28'",
    "time": "TIME '01:02:03.000004'",
    "timetz": "TIMETZ '01:02:03+02'",
    "time_ns": "'01:02:03.123456789'::TIME_NS",
    "timestamp": "TIMESTAMP '2020-01-02 03:04:05.678901'",
    "timestamp_s": "'2020-01-02 03:04:05'::TIMESTAMP_S",
    "timestamp_ms": "'2020-01-02 03:04:05.123'::TIMESTAMP_MS",
    "timestamp_ns": "'2020-01-02 03:04:05.123456789'::TIMESTAMP_NS",
    "timestamptz": "TIMESTAMPTZ '2020-01-02 03:04:05+02'",
    "varchar": "'dück'",
    "blob": "'\\xAA\\x00'::BLOB",
    "json": """'{"a": [1, null]}'::JSON""",
    "geometry": "'POINT(1 2)'::GEOMETRY",
    "list": "[1, NULL, 3]",
    "empty list": "[]::INT[]",
    "struct": "{'x': 1, 'y': {'z': [NULL, 'w']}}",
    "map": "MAP {'k': [1, 2]}",
    "null": "NULL::INT",
}


def written(folder: Path, expressions: dict[str, str]) -> tuple[ParquetSource, ParquetSource]:
    """The same rows, once read by Arrow and once by DuckDB."""
    columns = ", ".join(f'{text} AS "{name}"' for name, text in expressions.items())
    query = f"SELECT {columns} UNION ALL BY NAME SELECT 1 AS filler"
    plain, sealed = folder / "plain.parquet", folder / "sealed.parquet"
    with duckdb.connect() as connection:
        connection.execute("SET force_mbedtls_unsafe = true")
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"COPY ({query}) TO '{plain}' (FORMAT parquet)")
        connection.execute(
            f"COPY ({query}) TO '{sealed}' "
            "(FORMAT parquet, ENCRYPTION_CONFIG {footer_key_value: $key})",
            {"key": KEY},
        )
    text = base64.b64encode(KEY).decode()
    return (
        open_parquet(Storage(), str(plain)),
        open_parquet(Storage(), str(sealed), encryption_key=text),
    )


def both(folder: Path, expression: str) -> list[list[Any]]:
    """The value and a NULL, as each reader returns them."""
    found = []
    for source in written(folder, {"value": expression}):
        table = source.read([0], [source.schema.fields[0]])
        found.append(table.column("value").to_pylist())
        source.close()
    return found


@pytest.mark.parametrize("name", VALUES)
def test_both_readers_return_the_same(name: str, tmp_path: Path) -> None:
    by_arrow, by_duckdb = both(tmp_path, VALUES[name])

    assert by_arrow == by_duckdb
    assert by_arrow[1] is None


def test_not_a_number_stays_one(tmp_path: Path) -> None:
    found = both(tmp_path, "'nan'::DOUBLE")

    assert [values[0] != values[0] for values in found] == [True, True]


def test_uuids_are_bytes_to_arrow_and_text_to_duckdb(tmp_path: Path) -> None:
    by_arrow, by_duckdb = both(tmp_path, "UUID '01234567-89ab-cdef-0123-456789abcdef'")

    assert by_arrow[0] == bytes.fromhex("0123456789abcdef0123456789abcdef")
    assert by_duckdb[0] == "01234567-89ab-cdef-0123-456789abcdef"


def test_intervals_are_bytes_to_arrow_and_intervals_to_duckdb(tmp_path: Path) -> None:
    by_arrow, by_duckdb = both(tmp_path, "INTERVAL '1 month 2 days 3 seconds'")

    assert by_arrow[0] == bytes.fromhex("0100000002000000b80b0000")
    assert by_duckdb[0] == pa.MonthDayNano([1, 2, 3_000_000_000])


def test_a_column_named_like_the_row_number_is_no_trouble(tmp_path: Path) -> None:
    for source in written(tmp_path, {"file_row_number": "7"}):
        table = source.read([0], source.schema.fields[:1])
        assert table.column("file_row_number").to_pylist() == [7, None]
        source.close()


class TestArrowFiles:
    """Arrow remembers its own types in a file; what is stored is returned."""

    def read(self, folder: Path, table: pa.Table, **options: Any) -> pa.Table:
        pq.write_table(table, folder / "rows.parquet", **options)
        source = open_parquet(Storage(), str(folder / "rows.parquet"))
        found = source.read(range(len(source.row_groups)), source.schema.fields)
        assert found.schema.types == [each.type for each in source.schema.fields]
        source.close()
        return found

    def test_dictionaries_are_decoded(self, tmp_path: Path) -> None:
        words = pa.array(["a", None, "a"]).dictionary_encode()

        found = self.read(tmp_path, pa.table({"word": words}))

        assert found.column("word").type == pa.string()
        assert found.column("word").to_pylist() == ["a", None, "a"]

    def test_extension_types_are_storage(self, tmp_path: Path) -> None:
        uuids = pa.array([b"a" * 16, None], pa.uuid())
        nested = pa.ListArray.from_arrays([0, 1, 1], uuids)

        found = self.read(tmp_path, pa.table({"uuid": uuids, "uuids": nested}))

        assert found.schema.types == [pa.binary(16), pa.list_(pa.binary(16))]
        assert found.column("uuids").to_pylist() == [[b"a" * 16], []]

    def test_zones_are_utc(self, tmp_path: Path) -> None:
        moment = datetime(2020, 7, 1, 12, tzinfo=UTC)

        found = self.read(
            tmp_path, pa.table({"at": pa.array([moment], pa.timestamp("us", "Europe/Berlin"))})
        )

        assert found.column("at").type == pa.timestamp("us", "UTC")
        assert found.column("at").to_pylist() == [moment]

    def test_durations_are_integers(self, tmp_path: Path) -> None:
        found = self.read(tmp_path, pa.table({"took": pa.array([1, None], pa.duration("us"))}))

        assert found.column("took").to_pylist() == [1, None]

    def test_moments_of_96_bits_reach_beyond_nanoseconds(self, tmp_path: Path) -> None:
        moment = datetime.fromisoformat("1500-01-01T12:00:00")
        table = pa.table({"at": pa.array([moment], pa.timestamp("us"))})

        found = self.read(tmp_path, table, use_deprecated_int96_timestamps=True, store_schema=False)

        assert found.column("at").type == pa.timestamp("us")
        assert found.column("at").to_pylist() == [moment]

    def test_a_name_may_occur_twice(self, tmp_path: Path) -> None:
        table = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])

        found = self.read(tmp_path, table)

        assert [column.to_pylist() for column in found.columns] == [[1], [2]]

    def test_a_name_may_contain_dots(self, tmp_path: Path) -> None:
        table = pa.table({"a": [{"b": 1}], "a.b": [2]})
        pq.write_table(table, tmp_path / "rows.parquet")
        source = open_parquet(Storage(), str(tmp_path / "rows.parquet"))

        found = source.read([0], [source.schema.fields[1]])

        assert found.to_pydict() == {"a.b": [2]}
        source.close()
