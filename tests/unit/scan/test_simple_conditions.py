"""A condition is simple if it has operators only, so that it means the same in any session."""

from __future__ import annotations

import pytest

from quacklake.scan.sqlfilter import is_simple, parsed_condition


@pytest.mark.parametrize(
    "condition",
    [
        "id % 100 = 7",
        "id = 1 OR NOT (amount * 2 BETWEEN -3 AND 4.5)",
        "name IN ('a', 'b') AND t.name IS NOT NULL",
        "a // 2 + b - c / 3 <> 0 AND flag",
    ],
)
def test_operators_make_a_simple_condition(condition):
    assert is_simple(parsed_condition(condition))


@pytest.mark.parametrize(
    "condition",
    [
        "lower(name) = 'a'",
        "CAST(moment AS DATE) = DATE '2020-01-01'",
        "moment > TIMESTAMPTZ '2020-01-01'",
        "moment < now()",
        "name LIKE 'a%'",
        "CASE WHEN id > 1 THEN true ELSE false END",
    ],
)
def test_functions_casts_and_clocks_do_not(condition):
    assert not is_simple(parsed_condition(condition))
