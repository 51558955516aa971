"""Several changes as one: all of them become visible, or none."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Self

from quacklake.client.autocommit import WriteReport, reported
from quacklake.client.definitions import MakesEntries
from quacklake.client.references import table_name
from quacklake.client.session import Session
from quacklake.client.table import TableHandle
from quacklake.client.workspace import Workspace
from quacklake.client.writing.affected import Affected
from quacklake.format.table import TableName
from quacklake.kernel.errors import CommitUnknown, UsageError
from quacklake.transaction.commit import RetryPolicy
from quacklake.transaction.lowering.commit import CommitInfo


class Transaction(MakesEntries):
    """An open transaction; what it reads includes what it wrote. Use it in a `with` block.

    The block's end commits; an exception inside leaves the lake as it was.
    """

    def __init__(self, session: Session, info: CommitInfo, retry: RetryPolicy) -> None:
        self._work: Workspace | None = Workspace(session)
        self._info = info
        self._retry = retry
        self._session = session
        self.snapshot_id: int | None = None

    @property
    def workspace(self) -> Workspace:
        """The lake as this transaction sees it."""
        if self._work is None:
            raise UsageError("the transaction has ended", hint="begin another one")
        return self._work

    def table(self, name: str) -> TableHandle:
        """The table called `name`, as this transaction sees it."""
        handle = self._handle(table_name(name))
        handle.described()
        return handle

    def _run(
        self, operate: Callable[[Workspace], Affected], *, repeatable: bool = True
    ) -> WriteReport:
        del repeatable
        return reported(operate(self.workspace), None)

    def _handle(self, name: TableName) -> TableHandle:
        return TableHandle(self._session, name, within=self.workspace)

    def commit(self) -> int:
        """Make the changes the next snapshot and tell its id."""
        work = self.workspace
        self._work = None
        try:
            self.snapshot_id = int(work.commit(self._info, self._retry).id)
        except CommitUnknown:
            raise
        except Exception:
            work.abandon()
            raise
        return self.snapshot_id

    def rollback(self) -> None:
        """Forget the changes."""
        work, self._work = self._work, None
        if work is not None:
            work.abandon()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._work is None:
            return
        if kind is None:
            self.commit()
        else:
            self.rollback()
