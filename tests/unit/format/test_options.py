"""Options are checked, and stored as DuckDB stores them."""

from __future__ import annotations

import pytest

from quacklake.format.options import stored_value
from quacklake.kernel.errors import UsageError


@pytest.mark.parametrize(
    ("name", "value", "stored"),
    [
        ("data_inlining_row_limit", 10, "10"),
        ("target_file_size", "64MB", "64000000"),
        ("target_file_size", "1GiB", "1073741824"),
        ("parquet_compression", "ZSTD", "zstd"),
        ("parquet_version", 2, "V2"),
        ("rewrite_delete_threshold", 0.5, "0.500000"),
        ("auto_compact", False, "false"),
    ],
)
def test_a_value_becomes_the_text_of_the_format(name: str, value: object, stored: str) -> None:
    assert stored_value(name, value) == stored


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("colour", "red"),
        ("encrypted", True),
        ("target_file_size", "much"),
        ("rewrite_delete_threshold", 2),
        ("parquet_compression", "zip"),
    ],
)
def test_a_wrong_option_is_refused(name: str, value: object) -> None:
    with pytest.raises(UsageError):
        stored_value(name, value)
