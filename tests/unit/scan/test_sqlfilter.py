"""Filters that are no SQL conditions."""

from __future__ import annotations

import pytest

from quacklake.kernel.errors import UsageError
from quacklake.scan.sqlfilter import parsed_condition


@pytest.mark.parametrize(
    "text", ["id >", "id = = 3", "(", "'abc", "id and", "id in (", "case when", "not", "x::", "{"]
)
def test_a_malformed_filter_is_told_in_our_words(text):
    with pytest.raises(UsageError, match="the filter is not valid SQL: syntax error") as caught:
        parsed_condition(text)

    assert "sqlglot" not in str(caught.value)
    assert "class" not in str(caught.value)
