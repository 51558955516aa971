"""The page that lists what a view may not contain, written from the refusals themselves."""

from __future__ import annotations

from typing import Final

from quacklake.ivm.refusals import REFUSED_CONSTRUCTS, REFUSED_FUNCTIONS

# Refused where they are met, because it depends on what stands around them.
REFUSED_IN_PLACE: Final = {
    "LIMIT or OFFSET without ORDER BY": "any rows would do; say which ones by ORDER BY",
    "LIMIT or OFFSET that is not a number": "write the number",
    "FETCH": "write LIMIT",
    "a recursion that cannot be followed, in mode incremental": "else it is computed anew",
    "a subquery in the ON clause of an outer join": "join in a subquery",
    "RIGHT SEMI and RIGHT ANTI joins": "exchange the two sides",
    "ASOF and other special joins": "inner, outer, cross, semi and anti joins are known",
    "UNION BY NAME": "name the columns in order",
    "ORDER BY an expression over a set operation, with LIMIT": "order by its columns",
    "generators other than explode and posexplode": "explode and posexplode are known",
    "UNNEST of several arrays": "unnest them one by one",
    "last_value and nth_value over a RANGE frame": "equal rows share one frame; use ROWS",
    "collect_list, collect_set and listagg over a window": "aggregate them in a subquery",
    "percentile_cont in descending order": "order ascending and use 1 - p",
    "EXCLUDE in a window frame": "Spark does not have it",
    "statements that are not a query": "a view is a SELECT",
}


def unsupported_page() -> str:
    """The page in Markdown."""
    constructs = {**dict(REFUSED_CONSTRUCTS.values()), **REFUSED_IN_PLACE}
    lines = [
        "# What a view may not contain",
        "",
        "Refused when the view is created, by name, with nothing changed.",
        "This page is written from the code (`tools/write_unsupported.py`).",
        "",
        "| construct | why, or what instead |",
        "|---|---|",
        *(f"| {name} | {reason} |" for name, reason in constructs.items()),
        "",
        "| function | why, or what instead |",
        "|---|---|",
        *(f"| `{name}` | {reason} |" for name, reason in REFUSED_FUNCTIONS.items()),
        "",
    ]
    return "\n".join(lines)
