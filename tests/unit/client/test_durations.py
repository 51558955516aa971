"""Ages as users write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from quacklake.client.durations import duration, instant_before
from quacklake.kernel.errors import UsageError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7 days", timedelta(days=7)),
        ("1 day", timedelta(days=1)),
        ("12h", timedelta(hours=12)),
        ("1 hour 30 minutes", timedelta(minutes=90)),
        ("0 seconds", timedelta(0)),
        ("2 weeks", timedelta(weeks=2)),
        ("1m", timedelta(minutes=1)),
    ],
)
def test_an_age_is_read(text: str, expected: timedelta) -> None:
    assert duration(text) == expected


@pytest.mark.parametrize("text", ["", "soon", "7", "7 fortnights", "2026-01-01"])
def test_what_is_no_age_is_told_apart(text: str) -> None:
    assert duration(text) is None


def test_an_instant_is_taken_as_it_is() -> None:
    assert instant_before("2026-01-01") == datetime(2026, 1, 1, tzinfo=UTC)
    with pytest.raises(UsageError):
        instant_before("whenever")
