"""Ages as users write them: `7 days`, `12 hours`, an interval, or an instant."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from quacklake.client.references import instant
from quacklake.kernel.errors import UsageError

_UNITS = {
    "s": 1,
    "sec": 1,
    "second": 1,
    "m": 60,
    "min": 60,
    "minute": 60,
    "h": 3600,
    "hour": 3600,
    "d": 86400,
    "day": 86400,
    "w": 604800,
    "week": 604800,
}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+?)s?(?=\W|\d|$)")


def duration(text: str) -> timedelta | None:
    """The length of time that `text` spells; None if it spells something else."""
    found = _PART.findall(text.strip().lower())
    rest = _PART.sub("", text.strip().lower())
    if not found or rest.strip(" ,") or any(unit not in _UNITS for _, unit in found):
        return None
    return timedelta(seconds=sum(float(number) * _UNITS[unit] for number, unit in found))


def instant_before(given: datetime | str | timedelta) -> datetime:
    """An instant, or the instant that lies an age before now."""
    if isinstance(given, timedelta):
        return datetime.now(UTC) - given
    if isinstance(given, str):
        age = duration(given)
        if age is not None:
            return datetime.now(UTC) - age
        try:
            return instant(given)
        except UsageError as error:
            raise UsageError(
                f"'{given}' is neither an age nor a timestamp", hint='write "7 days"'
            ) from error
    return instant(given)
