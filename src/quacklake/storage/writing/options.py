"""How files are written: the format's own options, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

from quacklake.kernel.errors import UsageError

_CODECS: Final = {
    "uncompressed": "none",
    "none": "none",
    "snappy": "snappy",
    "gzip": "gzip",
    "zstd": "zstd",
    "brotli": "brotli",
    "lz4": "lz4",
    "lz4_raw": "lz4",
}
_LEVELS: Final = {"gzip": range(1, 10), "zstd": range(-7, 23), "brotli": range(12)}
_VERSIONS: Final = ("V1", "V2")
_TRUTH: Final = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """Sizes are in bytes, `row_group_size` in rows; a level needs a codec that has levels.

    `hive_file_pattern` None means folders named by partition values, unless files are encrypted.
    """

    target_file_size: int = 512 * 1024 * 1024
    row_group_size: int = 122_880
    row_group_size_bytes: int | None = None
    compression: str = "snappy"
    compression_level: int | None = None
    parquet_version: str = "V1"
    hive_file_pattern: bool | None = None
    per_thread_output: bool = False

    @classmethod
    def from_format(cls, given: Mapping[str, object]) -> Self:
        """The options that the catalog's texts ask for; names of other options are ignored."""
        codec = _choice(given, "parquet_compression", _CODECS, "snappy")
        return cls(
            target_file_size=_size(given, "target_file_size") or cls().target_file_size,
            row_group_size=_size(given, "parquet_row_group_size") or cls().row_group_size,
            row_group_size_bytes=_size(given, "parquet_row_group_size_bytes"),
            compression=codec,
            compression_level=_level(given, codec),
            parquet_version=_version(given),
            hive_file_pattern=_flag(given, "hive_file_pattern"),
            per_thread_output=_flag(given, "per_thread_output") or False,
        )

    def hive_folders(self, *, encrypted: bool) -> bool:
        """Whether partition values name folders."""
        return not encrypted if self.hive_file_pattern is None else self.hive_file_pattern


def _size(given: Mapping[str, object], name: str) -> int | None:
    if given.get(name) is None:
        return None
    try:
        size = int(str(given[name]).strip())
    except ValueError:
        size = 0
    if size <= 0:
        raise _wrong(name, given[name], "a whole number above zero")
    return size


def _level(given: Mapping[str, object], codec: str) -> int | None:
    name = "parquet_compression_level"
    if given.get(name) is None or codec not in _LEVELS:
        return None
    allowed = _LEVELS[codec]
    try:
        level = int(str(given[name]).strip())
    except ValueError:
        level = allowed.stop
    if level not in allowed:
        span = f"from {allowed.start} to {allowed.stop - 1}"
        raise _wrong(name, given[name], f"a whole number {span} for {codec}")
    return level


def _choice(
    given: Mapping[str, object], name: str, choices: Mapping[str, str], default: str
) -> str:
    if given.get(name) is None:
        return default
    found = choices.get(str(given[name]).strip().lower())
    if found is None:
        raise _wrong(name, given[name], "one of " + ", ".join(choices))
    return found


def _version(given: Mapping[str, object]) -> str:
    name = "parquet_version"
    text = str(given.get(name) or "V1").strip().upper()
    version = text if text.startswith("V") else f"V{text}"
    if version not in _VERSIONS:
        raise _wrong(name, given[name], "V1 or V2")
    return version


def _flag(given: Mapping[str, object], name: str) -> bool | None:
    if given.get(name) is None:
        return None
    found = _TRUTH.get(str(given[name]).strip().lower())
    if found is None:
        raise _wrong(name, given[name], "true or false")
    return found


def _wrong(name: str, value: object, wanted: str) -> UsageError:
    return UsageError(
        f"option '{name}' is '{value}'", hint=f"it must be {wanted}", option=name, value=value
    )
