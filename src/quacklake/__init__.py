"""Quacklake: a lakehouse for Python on the open DuckLake format.

    import quacklake as ql

    lake = ql.connect("sqlite:///shop.sqlite", data_path="shop_data/")
    orders = lake.table("orders")
    orders.scan(columns=["id"], filter="amount > 10", snapshot=3).to_pandas()
    lake.sql("SELECT day, sum(amount) FROM orders GROUP BY ALL").to_polars()

Names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from quacklake.kernel.errors import (
    AccessDenied,
    Busy,
    CommitConflict,
    CommitUnknown,
    CorruptLake,
    FileUnreadable,
    NotFound,
    QuacklakeError,
    Recovery,
    RivalCommit,
    SnapshotExpired,
    Unavailable,
    Unsupported,
    UsageError,
)

if TYPE_CHECKING:
    from quacklake.app.connecting import connect
    from quacklake.client.changes import Changes
    from quacklake.client.ports import Result
    from quacklake.client.scan import Scan
    from quacklake.client.table import TableHandle as Table
    from quacklake.client.transaction import Transaction
    from quacklake.client.writing.clauses import Delete, Ignore, Insert, Update
    from quacklake.pipeline.lake import StreamingLake as Lake
    from quacklake.pipeline.reports import RefreshReport
    from quacklake.pipeline.table import StreamTable

__version__ = "0.1.0"

__all__ = [
    "AccessDenied",
    "Busy",
    "Changes",
    "CommitConflict",
    "CommitUnknown",
    "CorruptLake",
    "Delete",
    "FileUnreadable",
    "Ignore",
    "Insert",
    "Lake",
    "NotFound",
    "QuacklakeError",
    "Recovery",
    "RefreshReport",
    "Result",
    "RivalCommit",
    "Scan",
    "SnapshotExpired",
    "StreamTable",
    "Table",
    "Transaction",
    "Unavailable",
    "Unsupported",
    "Update",
    "UsageError",
    "__version__",
    "connect",
]

_HOMES: Final = {
    "Changes": ("quacklake.client.changes", "Changes"),
    "Lake": ("quacklake.pipeline.lake", "StreamingLake"),
    "Result": ("quacklake.client.ports", "Result"),
    "Scan": ("quacklake.client.scan", "Scan"),
    "Table": ("quacklake.client.table", "TableHandle"),
    "Transaction": ("quacklake.client.transaction", "Transaction"),
    "Delete": ("quacklake.client.writing.clauses", "Delete"),
    "Ignore": ("quacklake.client.writing.clauses", "Ignore"),
    "Insert": ("quacklake.client.writing.clauses", "Insert"),
    "Update": ("quacklake.client.writing.clauses", "Update"),
    "RefreshReport": ("quacklake.pipeline.reports", "RefreshReport"),
    "StreamTable": ("quacklake.pipeline.table", "StreamTable"),
    "connect": ("quacklake.app.connecting", "connect"),
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'quacklake' has no attribute '{name}'")
    module, attribute = _HOMES[name]
    value: object = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
