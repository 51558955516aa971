"""A refresh that was staged, before it is committed."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from quacklake.pipeline.definition import Definition
from quacklake.pipeline.reports import RefreshReport


@dataclass(frozen=True, slots=True)
class Outcome:
    """A refresh that was staged: what it did, and the definition to store."""

    before: Definition
    after: Definition
    report: RefreshReport


def timed(outcome: Outcome, start: float) -> Outcome:
    """An outcome with the time it took since `start`."""
    spent = round((time.perf_counter() - start) * 1000)
    return replace(outcome, report=replace(outcome.report, duration_ms=spent))
