"""Hypothesis strategies for literals of every type that is not nested.

Left out, because DuckDB cannot store them everywhere: TIME_NS (its Parquet writer crashes),
negative intervals and infinite TIMESTAMP_S (not writable to Parquet), 128-bit integers near
their limits (Parquet holds them as DOUBLE, which does not read back), strings with NUL.
`tests/differential/test_reference_limits.py` pins what becomes of these.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from hypothesis import strategies as st

from quacklake.format.sqltypes import literal

Strategy: TypeAlias = st.SearchStrategy[str]


def _between(low: int, high: int) -> Strategy:
    edges = [str(low), str(high), "0", "1", str(low + 1), str(high - 1)]
    return st.one_of(st.sampled_from(edges), st.integers(low, high).map(str))


def _one_of(*texts: str) -> Strategy:
    return st.sampled_from([literal(text) for text in texts])


def _decimal(precision: int, scale: int) -> Strategy:
    top = 10**precision - 1
    return st.integers(-top, top).map(lambda unscaled: _fixed(unscaled, scale))


def _fixed(unscaled: int, scale: int) -> str:
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    point = len(digits) - scale
    text = f"{digits[:point]}.{digits[point:]}" if scale else digits
    return literal(f"-{text}" if unscaled < 0 else text)


_WORDS: Final = (
    "",
    " ",
    "a",
    "NULL",
    "null",
    "true",
    "ä日本🦆",
    "a,b;c=d",
    "{x}[y](z)",
    '"quoted"',
    "  padded  ",
    "line\nbreak\ttab",
    "z" * 300,
    "é" * 150,
    "%_.*",
)
_QUOTED_WORDS: Final = ("it's", "back\\slash", "'", "\\'", "\\n")

PLAIN_TEXT: Final[Strategy] = st.one_of(
    st.sampled_from(_WORDS),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00'\\"), max_size=6),
).map(literal)
"""Strings that even a struct inlined as text keeps."""
TEXT: Final[Strategy] = st.one_of(PLAIN_TEXT, st.sampled_from(_QUOTED_WORDS).map(literal))

_FLOATS: Final = ("nan", "inf", "-inf", "-0.0", "0.0", "1.5", "-1e30", "0.1", "1e-40")
_DATES: Final = (
    "2020-01-02",
    "2020-02-29",
    "1969-12-31",
    "1970-01-01",
    "0001-01-01",
    "9999-12-31",
    "10000-01-01",
    "0044-03-15 (BC)",
    "infinity",
    "-infinity",
    "5881580-07-10",
)
_TIMESTAMPS: Final = (
    "2020-01-02 03:04:05",
    "2020-01-02 03:59:59",
    "2021-12-31 23:59:59",
    "1969-12-31 23:59:59",
    "1970-01-01 00:00:00",
    "0044-03-15 (BC) 01:02:03",
    "9999-12-31 23:59:59",
)
_INFINITE: Final = ("infinity", "-infinity")
_MICROS: Final = ("2020-01-02 03:04:05.678901", "1969-12-31 23:59:59.999999")

LITERALS: Final[dict[str, Strategy]] = {
    "BOOLEAN": st.sampled_from(["true", "false"]),
    "TINYINT": _between(-(2**7), 2**7 - 1),
    "SMALLINT": _between(-(2**15), 2**15 - 1),
    "INTEGER": _between(-(2**31), 2**31 - 1),
    "BIGINT": _between(-(2**63), 2**63 - 1),
    "HUGEINT": _between(-(10**25), 10**25),
    "UTINYINT": _between(0, 2**8 - 1),
    "USMALLINT": _between(0, 2**16 - 1),
    "UINTEGER": _between(0, 2**32 - 1),
    "UBIGINT": _between(0, 2**64 - 1),
    "UHUGEINT": _between(0, 10**25),
    "FLOAT": _one_of(*_FLOATS, "3.4028235e38", "1e-45"),
    "DOUBLE": _one_of(*_FLOATS, "1.7976931348623157e308", "5e-324"),
    "DECIMAL(4,2)": _decimal(4, 2),
    "DECIMAL(9,0)": _decimal(9, 0),
    "DECIMAL(18,4)": _decimal(18, 4),
    "DECIMAL(38,10)": _decimal(38, 10),
    "DATE": _one_of(*_DATES),
    "TIME": _one_of("00:00:00", "12:34:56", "23:59:59.999999", "01:02:03.5"),
    "TIMETZ": _one_of("12:00:00+00", "12:00:00+05:30", "00:00:00-08", "23:59:59.999999+15:59:59"),
    "TIMESTAMP": _one_of(*_TIMESTAMPS, *_INFINITE, *_MICROS, "294247-01-10 04:00:54.775806"),
    "TIMESTAMP_S": _one_of(*_TIMESTAMPS),
    "TIMESTAMP_MS": _one_of(*_TIMESTAMPS, *_INFINITE, "2020-01-02 03:04:05.678"),
    "TIMESTAMP_NS": _one_of(
        "2020-01-02 03:04:05.678901234",
        "1970-01-01 00:00:00",
        "1677-09-22 00:00:00",
        "2262-04-11 23:47:16.854775806",
        *_INFINITE,
    ),
    "TIMESTAMPTZ": _one_of(
        *(f"{text}+00" for text in (*_TIMESTAMPS, *_MICROS)),
        "2020-06-01 00:30:00+05:30",
        *_INFINITE,
    ),
    "INTERVAL": _one_of("1 month", "30 days", "1 year 2 months 3 days 04:05:06.789", "0 seconds"),
    "VARCHAR": TEXT,
    "JSON": _one_of("{}", "null", "1", '"s"', '[1,  {"a": null}]', '{"k": "ü"}', "1.50"),
    "BLOB": st.sampled_from(["''", r"'\x00\xFF'", r"'\x27\x5C'", "'abc'"]),
    "UUID": _one_of(
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "f79c3e09-677c-4bbd-a479-3f349cb785e7",
    ),
    "VARIANT": st.sampled_from(
        ["42", "'x'", "{'a': 1, 'b': [1, NULL]}", "{'a': 2, 'b': [3]}", "DATE '2020-01-02'"]
    ),
    "GEOMETRY": _one_of("POINT(1 2)", "LINESTRING EMPTY", "POLYGON((0 0,1 0,1 1,0 0))"),
}
"""What SQL may spell a value of each type as."""
