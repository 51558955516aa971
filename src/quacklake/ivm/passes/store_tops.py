"""First rows are kept in a state with some more than are shown.

    TopN(order, 10, P)  becomes  TopN(order, 10, Stored(TopN(order, 110, P)))

So rows may go before the input has to be read again. Those of partitions need no state: a change
reads the partitions that it touches.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Final

from quacklake.ivm.plan import Plan, Stored, TopN
from quacklake.ivm.shape import bottom_up, columns_of, sources_of

_MOST: Final = 10_000
"""More rows than this are not kept twice."""

_SPARE: Final = 100
_UNORDERED: Final = ("MAP", "VARIANT")


def store_tops(plan: Plan) -> Plan:
    """The plan with a state for the first rows of all."""
    numbers = count(1)

    def change(node: Plan) -> Plan:
        if not isinstance(node, TopN) or node.partition or node.limit is None:
            return node
        columns = columns_of(node.input)
        needed = node.limit + node.offset
        # Only a total order tells what stands behind the last row.
        total = not any(column.type.startswith(_UNORDERED) for column in columns)
        if not total or not 0 < needed <= _MOST or not sources_of(node):
            return node
        more = TopN(node.input, (), node.order, needed + max(_SPARE, needed), 0)
        fields = tuple(f"value_{place}" for place in range(1, len(columns) + 1))
        return replace(node, input=Stored(f"top_{next(numbers)}", more, fields, needed))

    return bottom_up(plan, change)
