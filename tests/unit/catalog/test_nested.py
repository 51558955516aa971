"""Nested values as text, in both ways of quoting."""

from __future__ import annotations

import pytest

from quacklake.catalog.nested import parsed
from quacklake.format.types import Column, Kind, List, Map, Scalar, Struct
from quacklake.kernel.errors import CorruptLake
from quacklake.kernel.ids import ColumnId

TEXT = Scalar(Kind.VARCHAR)


def _field(name, lake_type=TEXT):
    return Column(ColumnId(1), name, lake_type)


STRUCT = Struct((_field("a"), _field("b")))
LIST = List(_field("element"))
MAP = Map(_field("key"), _field("value"))
DEEP = Struct((_field("l", LIST), _field("m", MAP), _field("s", STRUCT)))

CASES = [
    (LIST, "[]", []),
    (LIST, "[a, NULL, 'b, c']", ["a", None, "b, c"]),
    (LIST, r"['it\'s', 'C:\\dir', \\srv\x, x\]", ["it's", r"C:\dir", r"\\srv\x", "x" + "\\"]),
    (LIST, "['NULL', '', ' pad ']", ["NULL", "", " pad "]),
    (List(_field("element", LIST)), "[[a], NULL, []]", [["a"], None, []]),
    (MAP, "{}", []),
    (MAP, r"{k=1, 'it\'s'='a=b', z=NULL}", [("k", "1"), ("it's", "a=b"), ("z", None)]),
    (STRUCT, "{'a': 'it''s', 'b': NULL}", {"a": "it's", "b": None}),
    (STRUCT, r"{'a': 'it\'s', 'b': 'C:\\dir'}", {"a": "it's", "b": r"C:\dir"}),
    (STRUCT, r"{'a': 'C:\dir', 'b': '\\srv\x'}", {"a": r"C:\dir", "b": r"\\srv\x"}),
    (STRUCT, "{'a': 'x\\', 'b': '\\'''}", {"a": "x\\", "b": "\\'"}),
    (STRUCT, "{'a': '', 'b': ''', ''b'': '''}", {"a": "", "b": "', 'b': '"}),
    (STRUCT, "{'a': CAST('2020-01-01' AS DATE), 'b': 1.5}", {"a": "2020-01-01", "b": "1.5"}),
    (STRUCT, "{'a': CAST('x' AS DECIMAL(9,2)), 'b': true}", {"a": "x", "b": "true"}),
    (STRUCT, r"{'a': CAST('\x00\x27' AS BLOB), 'b': b}", {"a": r"\x00\x27", "b": "b"}),
    (List(_field("element", STRUCT)), r"[{'a': 'it\'s', 'b': x\}, NULL]",
     [{"a": "it's", "b": "x\\"}, None]),
    (DEEP, r"{'l': ['it\'s'], 'm': {k='a\\b'}, 's': {'a': 'it''s', 'b': 'C:\d'}}",
     {"l": ["it's"], "m": [("k", r"a\b")], "s": {"a": "it's", "b": r"C:\d"}}),
    (DEEP, "{'l': NULL, 'm': NULL, 's': NULL}", {"l": None, "m": None, "s": None}),
    (STRUCT, "NULL", None),
]  # fmt: skip


@pytest.mark.parametrize(("lake_type", "text", "value"), CASES, ids=[case[1] for case in CASES])
def test_a_nested_text_has_its_structure(lake_type, text, value):
    assert parsed(text, lake_type) == value


@pytest.mark.parametrize(
    ("lake_type", "text"),
    [
        (LIST, "["),
        (LIST, "[a"),
        (LIST, "[a] b"),
        (LIST, "a"),
        (LIST, "['a]"),
        (LIST, "['a' b]"),
        (MAP, "{k}"),
        (STRUCT, "{'a': 1}"),
        (STRUCT, "{'a': 1, 'b': 2, 'c': 3}"),
        (STRUCT, "{'a' 1, 'b': 2}"),
        (STRUCT, "{'a': CAST('x, 'b': 2}"),
        (STRUCT, ""),
    ],
)
def test_a_malformed_text_is_a_corrupt_lake_that_tells_no_value(lake_type, text):
    with pytest.raises(CorruptLake) as caught:
        parsed(text, lake_type)

    assert "'a'" not in str(caught.value)
