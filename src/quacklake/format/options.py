"""The options of the format: their names, what values they take, and the texts stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quacklake.kernel.errors import UsageError

_CODECS: Final = ("uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4", "lz4_raw")
_UNITS: Final = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_BINARY: Final = {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}


def _truth(value: object) -> str:
    text = str(value).strip().lower()
    if text not in ("true", "false", "1", "0"):
        raise ValueError("true or false")
    return "true" if text in ("true", "1") else "false"


def _count(value: object) -> str:
    text = str(value).strip()
    if not text.isdigit():
        raise ValueError("a whole number")
    return text


def _size(value: object) -> str:
    text = str(value).strip().lower().replace(" ", "")
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz")
    factor = {**_UNITS, **_BINARY, "": 1}.get(text[len(number) :])
    if factor is None or not number.replace(".", "", 1).isdigit():
        raise ValueError("a size such as 512MB")
    return str(int(float(number) * factor))


def _codec(value: object) -> str:
    text = str(value).strip().lower()
    if text not in _CODECS:
        raise ValueError("one of " + ", ".join(_CODECS))
    return text


def _version(value: object) -> str:
    text = str(value).strip().upper().lstrip("V")
    if text not in ("1", "2"):
        raise ValueError("1 or 2")
    return f"V{text}"


def _fraction(value: object) -> str:
    number = float(str(value))
    if not 0 <= number <= 1:
        raise ValueError("a fraction between 0 and 1")
    return f"{number:.6f}"


def _text(value: object) -> str:
    return str(value)


OPTIONS: Final[dict[str, Callable[[object], str]]] = {
    "auto_compact": _truth,
    "data_inlining_row_limit": _count,
    "delete_older_than": _text,
    "expire_older_than": _text,
    "hive_file_pattern": _truth,
    "parquet_compression": _codec,
    "parquet_compression_level": _count,
    "parquet_row_group_size": _count,
    "parquet_row_group_size_bytes": _size,
    "parquet_version": _version,
    "per_thread_output": _truth,
    "require_commit_message": _truth,
    "rewrite_delete_threshold": _fraction,
    "sort_on_insert": _truth,
    "target_file_size": _size,
    "write_deletion_vectors": _truth,
}
"""How the value of each option is checked and stored."""

FIXED: Final = frozenset({"version", "created_by", "data_path", "encrypted"})


def stored_value(name: str, value: object) -> str:
    """The text the catalog keeps for an option; an error says what it takes."""
    if name in FIXED:
        raise UsageError(f"'{name}' is fixed when a lake is made", option=name)
    if name not in OPTIONS:
        raise UsageError(
            f"no option is called '{name}'", hint="options are " + ", ".join(OPTIONS), option=name
        )
    try:
        return OPTIONS[name](value)
    except ValueError as error:
        raise UsageError(f"option '{name}' takes {error}", option=name) from error
