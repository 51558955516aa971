"""What statistics say about geometries: the box around them and their kinds, as JSON text.

Law: a box is never too small. Six digits after the point are kept, rounded outwards.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from decimal import Decimal as Number
from typing import Final

_SHAPES: Final = (
    "unknown",
    "point",
    "linestring",
    "polygon",
    "multipoint",
    "multilinestring",
    "multipolygon",
    "geometrycollection",
)
_DIMENSIONS: Final = ("", "_z", "_m", "_zm")
_SIDES: Final = tuple(f"{axis}{side}" for axis in "xyzm" for side in ("min", "max"))
_MICRO: Final = Number("0.000001")


@dataclass(frozen=True, slots=True)
class Extent:
    """A box, side by side, None where nothing is on that axis; and the kinds of geometries."""

    box: Mapping[str, Number | None]
    kinds: frozenset[str]

    def text(self) -> str:
        """The statistic as the extension spells it."""
        sides = ", ".join(f'"{side}": {_spelled(side, self.box[side])}' for side in _SIDES)
        return f'{{"bbox": {{{sides}}}, "types": {json.dumps(sorted(self.kinds))}}}'


def extent_of(sides: Iterable[Mapping[str, float | None]], codes: Iterable[int]) -> Extent | None:
    """The extent around several boxes and the kinds of WKB `codes`; None if it has no end."""
    box: dict[str, Number | None] = dict.fromkeys(_SIDES)
    for each in sides:
        for side in _SIDES:
            value = each.get(side)
            if value is not None and not math.isfinite(value):
                return None
            box[side] = _outer(side, box[side], None if value is None else Number(value))
    kinds = frozenset(_SHAPES[code % 1000] + _DIMENSIONS[code // 1000] for code in codes)
    return Extent(box, kinds)


def joined_extents(left: str | None, right: str | None) -> str | None:
    """The statistic of the geometries of both; None if one is not known."""
    first, second = _parsed(left), _parsed(right)
    if first is None or second is None:
        return None
    box = {side: _outer(side, first.box[side], second.box[side]) for side in _SIDES}
    return Extent(box, first.kinds | second.kinds).text()


def _parsed(text: str | None) -> Extent | None:
    try:
        found = json.loads(text or "null", parse_float=Number, parse_int=Number)
        box = {side: found["bbox"][side] for side in _SIDES}
        return Extent(box, frozenset(found["types"]))
    except (ValueError, TypeError, KeyError):
        return None


def _outer(side: str, left: Number | None, right: Number | None) -> Number | None:
    if left is None or right is None:
        return left if right is None else right
    return min(left, right) if side.endswith("min") else max(left, right)


def _spelled(side: str, value: Number | None) -> str:
    if value is None:
        return "null"
    rounding = ROUND_FLOOR if side.endswith("min") else ROUND_CEILING
    with_digits = (value / _MICRO).to_integral_value(rounding) * _MICRO
    return f"{with_digits:.6f}"
