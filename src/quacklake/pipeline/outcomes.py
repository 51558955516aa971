"""A refresh that was staged, before it is committed."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from quacklake.pipeline.definition import Definition, Mode
from quacklake.pipeline.reports import RefreshReport
from quacklake.scan.reads import Reads


@dataclass(frozen=True, slots=True)
class Outcome:
    """A refresh that was staged: what it did, and the definition to store."""

    before: Definition
    after: Definition
    report: RefreshReport


def reported(
    definition: Definition, mode: Mode, reason: str, read: Reads, *, rows_in: int = 0, rows_out: int
) -> RefreshReport:
    """What a refresh did, before it is known how long it took."""
    name = str(definition.name)
    return RefreshReport(
        name, mode.value, reason, rows_in, rows_out, read.rows, read.bytes, read.files
    )


def timed(outcome: Outcome, start: float) -> Outcome:
    """An outcome with the time it took since `start`."""
    spent = round((time.perf_counter() - start) * 1000)
    return replace(outcome, report=replace(outcome.report, duration_ms=spent))
