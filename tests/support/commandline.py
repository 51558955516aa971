"""The program `quacklake`, run inside the test's own process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from quacklake.cli import main


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document that was printed."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """The JSON values that were printed, one per line."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def error(self) -> str:
        """The sentence of the error; it must be one line, and nothing may follow the hint."""
        first, *rest = self.err.splitlines()
        assert first.startswith("error: "), self.err
        assert all(line.startswith("hint: ") for line in rest), self.err
        assert len(rest) <= 1, self.err
        return first.removeprefix("error: ")


class Program:
    """Runs the program."""

    def __init__(self, captured: pytest.CaptureFixture[str]) -> None:
        self._captured = captured

    def __call__(self, *arguments: str) -> Outcome:
        """Run it with these arguments."""
        self._captured.readouterr()
        code = main(arguments)
        out, err = self._captured.readouterr()
        return Outcome(code, out, err)
