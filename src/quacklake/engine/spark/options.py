"""The options of `format("ducklake")`: which lake, which table, which snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Self

from quacklake.client.opening import Address
from quacklake.client.references import snapshot_ref, table_name
from quacklake.client.session import Session
from quacklake.format.snapshot import SnapshotRef
from quacklake.format.table import TableName
from quacklake.kernel.errors import UsageError

_STORES: Final = ("s3.", "gcs.", "azure.")
_SOME: Final = frozenset({"snapshot", "timestamp", "columns", "filter", "starting_snapshot"})
"""Options that some uses have."""
_KNOWN: Final = _SOME | {"catalog", "table", "path", "metadata_schema"}


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What a user said with `.option(…)`."""

    address: Address
    table: TableName
    at: SnapshotRef
    columns: tuple[str, ...] | None
    filter: str | None
    starting: str | None
    said: frozenset[str]

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Self:
        """The options, checked; names are compared without case, as Spark does."""
        said = {name.lower(): value for name, value in given.items()}
        stores = {name: value for name, value in said.items() if name.startswith(_STORES)}
        unknown = sorted(set(said) - set(stores) - _KNOWN)
        if unknown:
            raise UsageError(
                f"format 'ducklake' has no option '{unknown[0]}'",
                hint="its options are " + ", ".join(sorted(_KNOWN - {"path"})),
            )
        url, table = said.get("catalog"), said.get("table") or said.get("path")
        if not url or not table:
            raise UsageError(
                f"format 'ducklake' needs the option '{'table' if url else 'catalog'}'",
                hint='write .option("catalog", "sqlite:///shop.sqlite").option("table", "orders")',
            )
        columns = said.get("columns")
        version = said.get("snapshot")
        if version is not None and not version.isdigit():
            raise UsageError(f"option 'snapshot' is '{version}'", hint="it is a number")
        return cls(
            Address(
                url,
                metadata_schema=said.get("metadata_schema"),
                create=False,
                storage_options=stores,
            ),
            table_name(table),
            snapshot_ref(None if version is None else int(version), said.get("timestamp")),
            None if columns is None else tuple(name.strip() for name in columns.split(",")),
            said.get("filter"),
            said.get("starting_snapshot"),
            frozenset(said),
        )

    def used_for(self, use: str, *allowed: str) -> Self:
        """Itself, unless an option was given that means nothing for this use."""
        for name in sorted(_SOME & self.said - set(allowed)):
            raise UsageError(
                f"option '{name}' of format 'ducklake' means nothing for {use}",
                hint="select and filter the DataFrame itself",
            )
        return self

    @contextmanager
    def session(self) -> Iterator[Session]:
        """The lake, open while it is needed: Spark asks from processes of its own."""
        catalog, storage = self.address.open()
        try:
            yield Session(catalog, storage)
        finally:
            catalog.close()
