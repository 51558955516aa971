"""Write options are the format's own, by its names, and checked."""

from __future__ import annotations

import pytest

from quacklake.kernel.errors import UsageError
from quacklake.storage.writing import WriteOptions


def test_without_options_files_are_written_as_the_format_does() -> None:
    assert WriteOptions.from_format({}) == WriteOptions()
    assert WriteOptions() == WriteOptions(
        target_file_size=536_870_912, row_group_size=122_880, compression="snappy"
    )


def test_the_catalogs_texts_are_understood() -> None:
    options = WriteOptions.from_format(
        {
            "target_file_size": "1048576",
            "parquet_row_group_size": "1000",
            "parquet_row_group_size_bytes": "65536",
            "parquet_compression": "zstd",
            "parquet_compression_level": "9",
            "parquet_version": "V2",
            "hive_file_pattern": "false",
            "data_inlining_row_limit": "10",
        }
    )

    assert options == WriteOptions(
        target_file_size=1_048_576,
        row_group_size=1000,
        row_group_size_bytes=65_536,
        compression="zstd",
        compression_level=9,
        parquet_version="V2",
        hive_file_pattern=False,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("target_file_size", "0"),
        ("target_file_size", "big"),
        ("parquet_row_group_size", "-1"),
        ("parquet_compression", "zip"),
        ("parquet_version", "V3"),
        ("hive_file_pattern", "perhaps"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(UsageError) as problem:
        WriteOptions.from_format({name: value})

    assert problem.value.facts["option"] == name


def test_a_level_is_checked_against_its_codec() -> None:
    with pytest.raises(UsageError):
        WriteOptions.from_format({"parquet_compression": "gzip", "parquet_compression_level": "22"})


def test_a_level_for_a_codec_without_levels_is_passed_over() -> None:
    options = WriteOptions.from_format(
        {"parquet_compression": "snappy", "parquet_compression_level": "3"}
    )

    assert options.compression_level is None


def test_hive_folders_would_tell_what_encryption_hides() -> None:
    assert WriteOptions().hive_folders(encrypted=False)
    assert not WriteOptions().hive_folders(encrypted=True)
    assert WriteOptions(hive_file_pattern=True).hive_folders(encrypted=True)
