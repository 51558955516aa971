"""Where an operation runs: in a transaction of its own, or in one that is open."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from quacklake.client.autocommit import WriteReport
from quacklake.client.session import Session
from quacklake.client.workspace import Workspace
from quacklake.client.writing.affected import NOTHING_AFFECTED, Affected


class Runs(ABC):
    """Something users change a lake through."""

    _session: Session

    @abstractmethod
    def _run(
        self, operate: Callable[[Workspace], Affected], *, repeatable: bool = True
    ) -> WriteReport:
        """Run an operation; one that is not repeatable reads rows that can be read once only."""

    def _define(self, operate: Callable[[Workspace], object]) -> None:
        def run(work: Workspace) -> Affected:
            operate(work)
            return NOTHING_AFFECTED

        self._run(run)
