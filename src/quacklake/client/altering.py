"""The part of a table that changes its definition."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from quacklake.client.defining import columns, entries, layout
from quacklake.client.running import Runs
from quacklake.format.table import TableName


class ChangesDefinition(Runs, ABC):
    """Columns, layout and comments. A path such as `address.city` names a nested field."""

    _name: TableName

    def add_column(self, path: str, definition: str, *, default: str | None = None) -> None:
        """Add a column or struct field; rows that are there already read its default.

        `definition` is SQL such as `varchar not null`, `default` a SQL literal such as `'eu'`.
        """
        self._define(lambda work: columns.add_column(work, self._name, path, definition, default))

    def drop_column(self, path: str) -> None:
        """Drop a column or struct field."""
        self._define(lambda work: columns.drop_column(work, self._name, path))

    def rename_column(self, path: str, new_name: str) -> None:
        """Give a column or struct field another name."""
        self._define(lambda work: columns.rename_column(work, self._name, path, new_name))

    def set_type(self, path: str, new_type: str) -> None:
        """Widen the type of a column."""
        self._define(lambda work: columns.set_type(work, self._name, path, new_type))

    def set_default(self, path: str, default: str | None) -> None:
        """Set the SQL expression that inserts use for the column; None ends it."""
        self._define(lambda work: columns.set_default(work, self._name, path, default))

    def set_not_null(self, column: str) -> None:
        """Forbid NULL in a column that has none."""
        self._define(lambda work: columns.set_nullable(work, self._name, column, nullable=False))

    def drop_not_null(self, column: str) -> None:
        """Allow NULL in a column."""
        self._define(lambda work: columns.set_nullable(work, self._name, column, nullable=True))

    def set_partitioning(self, keys: Sequence[str]) -> None:
        """Split files written from now on, by `region`, `day(ts)` or `bucket(8, id)`."""
        self._define(lambda work: layout.set_partitioning(work, self._name, keys))

    def set_sort_order(self, keys: Sequence[str]) -> None:
        """Write files in an order from now on, such as `ts desc`; none ends it."""
        self._define(lambda work: layout.set_sort_order(work, self._name, keys))

    def set_comment(self, text: str | None, *, column: str | None = None) -> None:
        """Set or remove the comment of the table, or of one of its columns."""
        if column is None:
            self._define(lambda work: layout.set_comment(work, self._name, text))
        else:
            self._define(lambda work: layout.set_column_comment(work, self._name, column, text))

    def set_tag(self, key: str, value: str | None) -> None:
        """Set or remove a tag of the table."""
        self._define(lambda work: layout.set_tag(work, self._name, key, value))

    def rename(self, new_name: str) -> None:
        """Give the table another name in its schema; this handle follows it."""
        self._define(lambda work: entries.rename_table(work, self._name, new_name))
        self._name = TableName(self._name.schema, new_name)

    def drop(self) -> None:
        """Drop the table; older snapshots still have it."""
        self._define(lambda work: entries.drop_table(work, self._name))
