"""The 28 tables of a format 1.0 catalog, and our own beside them, for all four databases.

The order of columns is part of the format: DuckDB inserts into them by position.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import BigInteger, Boolean, Column, MetaData, String, Table
from sqlalchemy.dialects import mysql, postgresql
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine


class Instant(TypeDecorator[datetime]):
    """A point in time; SQLite keeps the text DuckDB writes there, MySQL a DATETIME in UTC."""

    impl = postgresql.TIMESTAMP(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """The type of a database."""
        if dialect.name == "sqlite":
            return dialect.type_descriptor(String())
        if dialect.name == "mysql":
            return dialect.type_descriptor(mysql.DATETIME(fsp=6))
        return dialect.type_descriptor(postgresql.TIMESTAMP(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """The value a driver is given."""
        if value is None:
            return None
        utc = value.astimezone(UTC)
        if dialect.name == "sqlite":
            return utc.strftime("%Y-%m-%d %H:%M:%S.%f+00")
        return utc.replace(tzinfo=None) if dialect.name == "mysql" else utc


WORD: Final[TypeEngine[str]] = String().with_variant(
    mysql.LONGTEXT(charset="utf8mb4", collation="utf8mb4_bin"), "mysql"
)
NUMBER: Final[TypeEngine[int]] = BigInteger()
_FLAG: Final[TypeEngine[bool]] = Boolean().with_variant(BigInteger(), "sqlite")
_UUID: Final[TypeEngine[Any]] = (
    String()
    .with_variant(postgresql.UUID(as_uuid=False), "postgresql", "duckdb")
    .with_variant(mysql.CHAR(36, charset="utf8mb4", collation="utf8mb4_bin"), "mysql")
)


def _number(name: str) -> Column[int]:
    return Column(name, NUMBER)


def _key(name: str) -> Column[int]:
    return Column(name, NUMBER, primary_key=True, autoincrement=False)


def _word(name: str, *, required: bool = False) -> Column[str]:
    return Column(name, WORD, nullable=not required)


def _flag(name: str) -> Column[bool]:
    return Column(name, _FLAG)


def _uuid(name: str) -> Column[Any]:
    return Column(name, _UUID)


def _instant(name: str) -> Column[datetime]:
    return Column(name, Instant())


def _numbers(names: str) -> list[Column[int]]:
    return [_number(name) for name in names.split()]


def _words(names: str) -> list[Column[str]]:
    return [_word(name) for name in names.split()]


@lru_cache(maxsize=16)
def define(schema: str | None) -> Mapping[str, Table]:
    """The tables as they lie in `schema`, by their name without `ducklake_`."""
    metadata = MetaData(schema=schema)
    prefix = "ducklake_"
    for name, columns in _layout().items():
        Table(prefix + name, metadata, *columns)
    return {table.name.removeprefix(prefix): table for table in metadata.tables.values()}


OWN_PREFIX: Final = "quacklake_"
"""What names of tables begin with that are ours and not the format's."""


@lru_cache(maxsize=16)
def define_own(schema: str | None) -> Mapping[str, Table]:
    """Our own tables in `schema`, by their full names; they are made when first needed."""
    metadata = MetaData(schema=schema)
    for name, columns in _own().items():
        Table(OWN_PREFIX + name, metadata, *columns)
    return {table.name: table for table in metadata.tables.values()}


def _own() -> dict[str, list[Column[Any]]]:
    return {
        "stream_table": [
            _key("table_id"),
            *_words("query settings states frontier"),
            _number("generation"),
            _word("token"),
        ],
        "refresh": [
            *_numbers("table_id generation snapshot_id"),
            _instant("finished"),
            *_words("mode reason frontier"),
            *_numbers("rows_in rows_out rows_read bytes_read files_read duration_ms"),
        ],
    }


def _layout() -> dict[str, list[Column[Any]]]:
    return {**_commits(), **_entries(), **_files(), **_statistics(), **_layouts(), **_rest()}


def _commits() -> dict[str, list[Column[Any]]]:
    return {
        "metadata": [
            _word("key", required=True),
            _word("value", required=True),
            _word("scope"),
            _number("scope_id"),
        ],
        "snapshot": [
            _key("snapshot_id"),
            _instant("snapshot_time"),
            *_numbers("schema_version next_catalog_id next_file_id"),
        ],
        "snapshot_changes": [
            _key("snapshot_id"),
            *_words("changes_made author commit_message commit_extra_info"),
        ],
        "schema_versions": _numbers("begin_snapshot schema_version table_id"),
    }


def _entries() -> dict[str, list[Column[Any]]]:
    life = "begin_snapshot end_snapshot"
    return {
        "schema": [
            _key("schema_id"),
            _uuid("schema_uuid"),
            *_numbers(life),
            *_words("schema_name path"),
            _flag("path_is_relative"),
        ],
        "table": [
            _number("table_id"),
            _uuid("table_uuid"),
            *_numbers(f"{life} schema_id"),
            *_words("table_name path"),
            _flag("path_is_relative"),
        ],
        "view": [
            _number("view_id"),
            _uuid("view_uuid"),
            *_numbers(f"{life} schema_id"),
            *_words("view_name dialect sql column_aliases"),
        ],
        "column": [
            *_numbers(f"column_id {life} table_id column_order"),
            *_words("column_name column_type initial_default default_value"),
            _flag("nulls_allowed"),
            _number("parent_column"),
            *_words("default_value_type default_value_dialect"),
        ],
        "tag": [*_numbers(f"object_id {life}"), *_words("key value")],
        "column_tag": [*_numbers(f"table_id column_id {life}"), *_words("key value")],
        "macro": [*_numbers("schema_id macro_id"), _word("macro_name"), *_numbers(life)],
        "macro_impl": [*_numbers("macro_id impl_id"), *_words("dialect sql type")],
        "macro_parameters": [
            *_numbers("macro_id impl_id column_id"),
            *_words("parameter_name parameter_type default_value default_value_type"),
        ],
    }


def _files() -> dict[str, list[Column[Any]]]:
    return {
        "data_file": [
            _key("data_file_id"),
            *_numbers("table_id begin_snapshot end_snapshot file_order"),
            _word("path"),
            _flag("path_is_relative"),
            _word("file_format"),
            *_numbers("record_count file_size_bytes footer_size row_id_start partition_id"),
            _word("encryption_key"),
            *_numbers("mapping_id partial_max"),
        ],
        "delete_file": [
            _key("delete_file_id"),
            *_numbers("table_id begin_snapshot end_snapshot data_file_id"),
            _word("path"),
            _flag("path_is_relative"),
            _word("format"),
            *_numbers("delete_count file_size_bytes footer_size"),
            _word("encryption_key"),
            _number("partial_max"),
        ],
        "files_scheduled_for_deletion": [
            _number("data_file_id"),
            _word("path"),
            _flag("path_is_relative"),
            _instant("schedule_start"),
        ],
    }


def _statistics() -> dict[str, list[Column[Any]]]:
    measured = "column_size_bytes value_count null_count"
    bounds = "min_value max_value"
    return {
        "file_column_stats": [
            *_numbers(f"data_file_id table_id column_id {measured}"),
            *_words(bounds),
            _flag("contains_nan"),
            _word("extra_stats"),
        ],
        "file_variant_stats": [
            *_numbers("data_file_id table_id column_id"),
            *_words("variant_path shredded_type"),
            *_numbers(measured),
            *_words(bounds),
            _flag("contains_nan"),
            _word("extra_stats"),
        ],
        "table_stats": _numbers("table_id record_count next_row_id file_size_bytes"),
        "table_column_stats": [
            *_numbers("table_id column_id"),
            _flag("contains_null"),
            _flag("contains_nan"),
            *_words(f"{bounds} extra_stats"),
        ],
    }


def _layouts() -> dict[str, list[Column[Any]]]:
    life = "begin_snapshot end_snapshot"
    return {
        "partition_info": _numbers(f"partition_id table_id {life}"),
        "partition_column": [
            *_numbers("partition_id table_id partition_key_index column_id"),
            _word("transform"),
        ],
        "file_partition_value": [
            *_numbers("data_file_id table_id partition_key_index"),
            _word("partition_value"),
        ],
        "sort_info": _numbers(f"sort_id table_id {life}"),
        "sort_expression": [
            *_numbers("sort_id table_id sort_key_index"),
            *_words("expression dialect sort_direction null_order"),
        ],
    }


def _rest() -> dict[str, list[Column[Any]]]:
    return {
        "inlined_data_tables": [
            _number("table_id"),
            _word("table_name"),
            _number("schema_version"),
        ],
        "column_mapping": [*_numbers("mapping_id table_id"), _word("type")],
        "name_mapping": [
            *_numbers("mapping_id column_id"),
            _word("source_name"),
            *_numbers("target_field_id parent_column"),
            _flag("is_partition"),
        ],
    }
