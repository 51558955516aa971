"""The part of a table that changes rows."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from functools import partial

import pyarrow.compute as pc

from quacklake.client.autocommit import WriteReport
from quacklake.client.defining.adopting import add_data_files
from quacklake.client.running import Runs
from quacklake.client.workspace import Workspace
from quacklake.client.writing import merging, operations
from quacklake.client.writing.affected import Affected
from quacklake.client.writing.clauses import Matched, NotMatched, clauses
from quacklake.client.writing.clusters import cluster_of
from quacklake.client.writing.inputs import rows_of
from quacklake.format.table import TableName


class ChangesRows(Runs, ABC):
    """Rows added, replaced, changed and removed; every call is atomic."""

    _name: TableName

    def append(self, rows: object) -> WriteReport:
        """Add rows from a pandas or Polars frame, or Arrow data; columns match by name."""
        given = rows_of(rows, cluster_of(self._session))
        return self._run(
            lambda work: operations.append(work, self._name, given), repeatable=given.repeatable
        )

    def add_data_files(
        self,
        locations: str | Sequence[str],
        *,
        allow_missing: bool = False,
        ignore_extra_columns: bool = False,
        hive_partitioning: bool = False,
    ) -> WriteReport:
        """Make Parquet files part of the table where they lie; the lake owns them from then on."""
        files = (locations,) if isinstance(locations, str) else tuple(locations)

        def adopt(work: Workspace) -> Affected:
            count = add_data_files(
                work,
                self._name,
                files,
                allow_missing=allow_missing,
                ignore_extra_columns=ignore_extra_columns,
                hive_partitioning=hive_partitioning,
            )
            return Affected(inserted=count)

        return self._run(adopt)

    def overwrite(self, rows: object, *, where: str | pc.Expression | None = None) -> WriteReport:
        """Put `rows` in the place of all rows, or of those that satisfy `where`."""
        given = rows_of(rows, cluster_of(self._session))
        return self._run(
            lambda work: operations.overwrite(work, self._name, given, where),
            repeatable=given.repeatable,
        )

    def delete(self, where: str | pc.Expression) -> WriteReport:
        """Remove the rows that satisfy a SQL condition or a pyarrow expression."""
        return self._run(lambda work: operations.delete(work, self._name, where))

    def truncate(self) -> WriteReport:
        """Remove all rows."""
        return self._run(lambda work: operations.delete(work, self._name, None))

    def update(
        self, assignments: Mapping[str, str], *, where: str | pc.Expression | None = None
    ) -> WriteReport:
        """Give columns new values, SQL expressions over the old row: `{"n": "n + 1"}`."""
        return self._run(lambda work: operations.update(work, self._name, assignments, where))

    def merge(
        self,
        rows: object,
        on: str | Sequence[str],
        *,
        when_matched: str | Sequence[Matched] = "update",
        when_not_matched: str | Sequence[NotMatched] = "insert",
        when_not_matched_by_source: str | Sequence[Matched] = "ignore",
    ) -> WriteReport:
        """Bring `rows` in by key: update those that are there, insert those that are not.

        Each `when_…` is a word, "update", "insert", "delete" or "ignore", or a list of
        `ql.Update`, `ql.Insert`, `ql.Delete` and `ql.Ignore` with conditions, of which the
        first that applies to a row is carried out. Conditions and values call the row of the
        table `target` and the one brought in `source`.
        """
        given = rows_of(rows, cluster_of(self._session))
        keys = (on,) if isinstance(on, str) else tuple(on)
        what = clauses(when_matched, when_not_matched, when_not_matched_by_source)
        operate = partial(merging.merge, name=self._name, rows=given, on=keys, clauses=what)
        return self._run(operate, repeatable=given.repeatable)
