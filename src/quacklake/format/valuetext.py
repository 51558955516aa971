"""The texts DuckDB writes for values in statistics, and the order they stand for.

Values come as Parquet stores them: whole numbers since an epoch, unscaled decimals, bytes.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np

from quacklake.format.types import FLOATS, INTEGERS, TIMESTAMPS, Decimal, Kind, LakeType, Scalar

Raw: TypeAlias = int | float | bytes
Order: TypeAlias = int | float | Fraction | str

_PER_SECOND: Final = {
    # A second is stored as microseconds, because Parquet has no coarser unit than milliseconds.
    Kind.TIMESTAMP_S: 1_000_000,
    Kind.TIMESTAMP: 1_000_000,
    Kind.TIMESTAMPTZ: 1_000_000,
    Kind.TIMESTAMP_MS: 1_000,
    Kind.TIMESTAMP_NS: 1_000_000_000,
    Kind.TIME: 1_000_000,
    Kind.TIME_NS: 1_000_000_000,
}
_FOREVER: Final = {32: 2**31 - 1, 64: 2**63 - 1}
_DAY_SECONDS: Final = 86_400


def text_of(value: Raw, lake_type: LakeType) -> str | None:
    """The text of a stored value; None for types whose statistics have no bounds."""
    match value, lake_type:
        case int(), Decimal(_, scale):
            return decimal_text(value, scale)
        case int(), Scalar(Kind.DATE):
            return date_text(value)
        case int(), Scalar(kind) if kind in _PER_SECOND:
            return moment_text(value, kind)
        case int(), Scalar(kind) if kind in INTEGERS or kind is Kind.BOOLEAN:
            return str(int(value))
        case int() | float(), Scalar(kind) if kind in FLOATS:
            return float_text(float(value), kind)
        case bytes(), Scalar(Kind.UUID):
            digits = value.hex()
            return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
        case bytes(), Scalar(Kind.BLOB):
            return value.hex().upper()
        case bytes(), Scalar(Kind.VARCHAR | Kind.JSON):
            # The metadata database ends a text at NUL.
            return None if b"\0" in value else value.decode()
    return None


def decimal_text(unscaled: int, scale: int) -> str:
    """A fixed-point number with all its digits after the point."""
    if scale == 0:
        return str(unscaled)
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    return f"{'-' if unscaled < 0 else ''}{digits[:-scale]}.{digits[-scale:]}"


def float_text(value: float, kind: Kind) -> str:
    """The shortest digits that give the value back; zero has no sign."""
    if not math.isfinite(value):
        return str(value)
    if kind is Kind.FLOAT32:
        value = float(np.format_float_scientific(np.float32(value), unique=True))
    return repr(value + 0.0)


def date_text(days: int) -> str:
    """Days since 1970 as a date of the proleptic Gregorian calendar."""
    if abs(days) == _FOREVER[32]:
        return "infinity" if days > 0 else "-infinity"
    year, month, day = _civil(days)
    if year > 0:
        return f"{year:04}-{month:02}-{day:02}"
    return f"{1 - year:04}-{month:02}-{day:02} (BC)"


def moment_text(value: int, kind: Kind) -> str:
    """A time or timestamp in the unit its kind is stored in."""
    if kind in TIMESTAMPS and abs(value) == _FOREVER[64]:
        return "infinity" if value > 0 else "-infinity"
    per_second = _PER_SECOND[kind]
    seconds, fraction = divmod(value, per_second)
    decimals = f"{fraction:0{len(str(per_second)) - 1}}".rstrip("0") if fraction else ""
    if kind not in TIMESTAMPS:
        return _clock(seconds, decimals)
    days, seconds = divmod(seconds, _DAY_SECONDS)
    zone = "+00" if kind is Kind.TIMESTAMPTZ else ""
    return f"{date_text(days)} {_clock(seconds, decimals)}{zone}"


def _clock(seconds: int, decimals: str) -> str:
    hour, rest = divmod(seconds, 3600)
    text = f"{hour:02}:{rest // 60:02}:{rest % 60:02}"
    return f"{text}.{decimals}" if decimals else text


# Eras of 400 years repeat exactly; counting from March puts the leap day at a year's end.
_ERA_DAYS: Final = 146_097
_MARCH_0000: Final = 719_468


def _civil(days: int) -> tuple[int, int, int]:
    era, day_of_era = divmod(days + _MARCH_0000, _ERA_DAYS)
    year_of_era = (
        day_of_era - day_of_era // 1_460 + day_of_era // 36_524 - day_of_era // 146_096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9  # noqa: PLR2004  # January is the 11th
    return era * 400 + year_of_era + (month <= 2), month, day  # noqa: PLR2004


def _days(year: int, month: int, day: int) -> int:
    year -= month <= 2  # noqa: PLR2004
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * _ERA_DAYS + day_of_era - _MARCH_0000


def order_of(text: str, lake_type: LakeType) -> Order | None:
    """What a statistic's text compares as; None if it cannot be told."""
    try:
        match lake_type:
            case Decimal():
                return Fraction(text)
            case Scalar(Kind.BOOLEAN):
                return _TRUTH.get(text.lower())
            case Scalar(kind) if kind in INTEGERS:
                return int(text)
            case Scalar(kind) if kind in FLOATS:
                value = float(text)
                return None if math.isnan(value) else value
            case Scalar(kind) if kind in TIMESTAMPS or kind is Kind.DATE:
                return _moment_order(text)
            case Scalar(Kind.TIME | Kind.TIME_NS):
                return _clock_order(text)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
    return text


_TRUTH: Final = {"0": 0, "1": 1, "false": 0, "true": 1}
_ENDLESS: Final = {"infinity": math.inf, "-infinity": -math.inf}
_MOMENT: Final = re.compile(
    r"(\d+)-(\d+)-(\d+)( \(BC\))?(?: (\d+:\d+:\d+(?:\.\d+)?)([+-]\d+(?::\d+){0,2})?)?"
)


def _moment_order(text: str) -> Fraction | float | None:
    if text in _ENDLESS:
        return _ENDLESS[text]
    found = _MOMENT.fullmatch(text)
    if found is None:
        return None
    year = 1 - int(found[1]) if found[4] else int(found[1])
    seconds = Fraction(_days(year, int(found[2]), int(found[3])) * _DAY_SECONDS)
    if found[5]:
        seconds += _clock_order(found[5])
    if found[6]:
        sign = -1 if found[6][0] == "-" else 1
        parts = [int(part) for part in found[6][1:].split(":")]
        seconds -= sign * sum(part * 60 ** (2 - i) for i, part in enumerate(parts))
    return seconds


def _clock_order(text: str) -> Fraction:
    hours, minutes, seconds = text.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + Fraction(seconds)
