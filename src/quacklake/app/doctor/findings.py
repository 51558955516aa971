"""What an examination finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """Whether rows are lost or wrong, or things only could be better."""

    PROBLEM = "problem"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be; `check` is a stable word for programs."""

    check: str
    severity: Severity
    subject: str
    problem: str
    advice: str


def problem(check: str, subject: str, text: str, advice: str) -> Finding:
    """Rows are lost or wrong, or DuckDB will refuse to work."""
    return Finding(check, Severity.PROBLEM, subject, text, advice)


def warning(check: str, subject: str, text: str, advice: str) -> Finding:
    """Answers are right, but something could be better."""
    return Finding(check, Severity.WARNING, subject, text, advice)
