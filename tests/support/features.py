"""Every feature of the format, each with the smallest lake that has it.

A feature is a script for the DuckLake extension. All its tables are compared at all its
snapshots. Most scripts are text, in `tests/differential/features`; types are a table here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.support.histories import History, Step

_SCRIPTS: Final = Path(__file__).parents[1] / "differential" / "features"
_HEADING: Final = re.compile(r"-- feature: (?P<name>[^(\n]+?)(?: \((?P<option>[^)]*)\))?\n")


@dataclass(frozen=True, slots=True)
class Feature:
    """A line of the conformance report, and the script that makes a lake with the feature.

    `impossible_on` names catalogs on which the extension cannot make it.
    """

    group: str
    name: str
    script: tuple[str, ...]
    encrypted: bool = False
    inlined_rows: int = 10
    impossible_on: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Group and name, unique among all features."""
        return f"{self.group}: {self.name}"

    def history(self) -> History:
        """The feature's lake as steps, one for each statement."""
        steps = tuple(Step(self.id, (statement,)) for statement in self.script)
        return History(steps, encrypted=self.encrypted, inlined_rows=self.inlined_rows)


def _type(sql: str, *values: str) -> Feature:
    """A type with values at its edges, inlined and in a file."""
    count = len(values) + 1
    listed = ", ".join(f"CAST({value} AS {sql})" for value in (*values, "NULL"))
    chosen = f"INSERT INTO lake.t SELECT i, [{listed}][1 + i % {count}]"
    script = (
        f"CREATE TABLE lake.t (id INTEGER, v {sql})",
        f"{chosen} FROM range({count}) r(i)",
        f"{chosen} FROM range(30) r(i)",
    )
    if sql == "TIME_NS":
        # DuckDB's Parquet writer crashes on it, and PostgreSQL cannot inline it.
        return Feature("types", sql.lower(), script[:2], impossible_on=("postgres", "mysql"))
    return Feature("types", sql.lower(), script)


def _widening(before: str, after: str, value: str) -> Feature:
    """A column of one type becomes a column of another, over inlined rows and a file."""
    script = (
        f"CREATE TABLE lake.t (v {before})",
        f"INSERT INTO lake.t VALUES ({value}), (NULL)",
        f"INSERT INTO lake.t SELECT {value} FROM range(20)",
        f"ALTER TABLE lake.t ALTER v SET TYPE {after}",
        f"INSERT INTO lake.t VALUES ({value})",
    )
    return Feature("schema", f"{before} becomes {after}", script)


_TYPES: Final = (
    _type("BOOLEAN", "true", "false"),
    _type("TINYINT", "-128", "127"),
    _type("SMALLINT", "-32768", "32767"),
    _type("INTEGER", "-2147483648", "2147483647"),
    _type("BIGINT", "-9223372036854775808", "9223372036854775807"),
    _type("HUGEINT", "0", "-12345678901234567890", "1000000000000000000000000000000"),
    _type("UTINYINT", "0", "255"),
    _type("USMALLINT", "0", "65535"),
    _type("UINTEGER", "0", "4294967295"),
    _type("UBIGINT", "0", "18446744073709551615"),
    _type("UHUGEINT", "0", "1000000000000000000000000000000"),
    _type("FLOAT", "1.5", "'-0.0'", "'inf'", "'-inf'", "'nan'", "3.4028235e38"),
    _type("DOUBLE", "1.5", "'-0.0'", "'inf'", "'-inf'", "'nan'", "5e-324"),
    _type("DECIMAL(4,1)", "-999.9", "999.9"),
    _type("DECIMAL(9,2)", "-1234567.89", "0"),
    _type("DECIMAL(18,6)", "123456789012.345678"),
    _type("DECIMAL(38,10)", "9999999999999999999999999999.9999999999", "-1"),
    _type("DATE", "'2020-02-29'", "'0044-03-15 (BC)'", "'9999-12-31'"),
    _type("TIME", "'00:00:00'", "'23:59:59.999999'"),
    _type("TIME_NS", "'00:00:00'", "'12:00:00.123456'"),
    _type("TIMETZ", "'12:00:00+05:30'", "'00:00:00-08'"),
    _type("TIMESTAMP", "'2020-01-02 03:04:05.678901'", "'1969-12-31 23:59:59.999999'"),
    _type("TIMESTAMP_S", "'2020-01-02 03:04:05'", "'1969-12-31 23:59:59'"),
    _type("TIMESTAMP_MS", "'2020-01-02 03:04:05.678'", "'1969-12-31 23:59:59.999'"),
    _type("TIMESTAMP_NS", "'2020-01-02 03:04:05.678901234'", "'1969-12-31 23:59:59.999999999'"),
    _type("TIMESTAMPTZ", "'2020-01-02 03:04:05.678901+02'", "'1969-12-31 23:59:59.999999+00'"),
    _type("INTERVAL", "'1 year 2 months 3 days 04:05:06.789'", "'30 days'", "'1 month'"),
    _type("VARCHAR", "''", "'it''s \"quoted\" \\ back'", "'日本 🦆'", "repeat('x', 300)", "'NULL'"),
    _type("BLOB", r"'\x00\xFF'", "''", "'abc'"),
    _type(
        "UUID", "'f79c3e09-677c-4bbd-a479-3f349cb785e7'", "'00000000-0000-0000-0000-00000000000a'"
    ),
    _type("JSON", """'{"a":  [1, null]}'""", "'null'", "'\"s\"'"),
    _type("VARIANT", "{'a': 1, 'b': [1, NULL]}", "42", "'text'"),
    _type("GEOMETRY", "'POINT(1 2)'", "'LINESTRING EMPTY'", "'POLYGON((0 0,1 0,1 1,0 0))'"),
    _type("INTEGER[]", "[1, NULL, 3]", "[]"),
    _type("VARCHAR[][]", "[['a', NULL], [], NULL]"),
    _type("STRUCT(a INTEGER, b VARCHAR)", "{'a': 1, 'b': 'x'}", "{'a': NULL, 'b': NULL}"),
    _type("STRUCT(s STRUCT(n BIGINT, d DECIMAL(9,2)))", "{'s': {'n': 1, 'd': 2.5}}", "{'s': NULL}"),
    _type("STRUCT(a INTEGER, t TIMESTAMP)[]", "[{'a': 1, 't': NULL}, NULL]", "[]"),
    _type("MAP(VARCHAR, INTEGER)", "MAP {'a': 1, 'b': NULL}", "MAP {}"),
    _type("MAP(INTEGER, STRUCT(x DATE[]))", "MAP {1: {'x': [DATE '2020-01-01', NULL]}}"),
)

_WIDENINGS: Final = (
    _widening("tinyint", "smallint", "-5"),
    _widening("smallint", "integer", "-5"),
    _widening("integer", "bigint", "-5"),
    _widening("bigint", "hugeint", "12"),
    _widening("utinyint", "uinteger", "5"),
    _widening("uinteger", "ubigint", "5"),
    _widening("uinteger", "bigint", "5"),
    _widening("float", "double", "0.1"),
    _widening("integer", "double", "7"),
    _widening("integer", "decimal(18,2)", "12"),
    _widening("decimal(4,1)", "decimal(18,6)", "12.5"),
    _widening("date", "timestamp", "DATE '2020-01-02'"),
    _widening("timestamp", "timestamptz", "TIMESTAMP '2020-01-02 03:04:05'"),
    _widening("timestamp_s", "timestamp", "TIMESTAMP_S '2020-01-02 03:04:05'"),
    _widening("integer", "json", "12"),
)


def _written(path: Path) -> Iterator[Feature]:
    """The features of a script file, each under its heading."""
    _, *parts = _HEADING.split(path.read_text())
    for name, option, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        yield Feature(
            path.stem.replace("_", " "),
            name,
            tuple(body.strip().removesuffix(";").split(";\n")),
            encrypted=option == "encrypted",
            inlined_rows=0 if option == "inlined_rows=0" else 10,
        )


FEATURES: Final = (
    *_TYPES,
    *(feature for path in sorted(_SCRIPTS.glob("*.sql")) for feature in _written(path)),
    *_WIDENINGS,
)
"""All features, in the order of the conformance report within their groups."""
