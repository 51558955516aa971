"""What no delta rule can keep exact, refused by name before anything is planned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from quacklake.ivm.expressions import Expr
from quacklake.kernel.errors import Unsupported

_VOLATILE: Final = "its value is not a function of the sources' rows"

RECURSIVE: Final = "a recursive common table expression"

# Functions by the names Spark gives them.
REFUSED_FUNCTIONS: Final[Mapping[str, str]] = {
    "rand": _VOLATILE,
    "random": _VOLATILE,
    "randn": _VOLATILE,
    "randstr": _VOLATILE,
    "uniform": _VOLATILE,
    "uuid": _VOLATILE,
    "shuffle": _VOLATILE,
    "now": _VOLATILE,
    "localtimestamp": _VOLATILE,
    "current_timestamp": _VOLATILE,
    "current_date": _VOLATILE,
    "current_time": _VOLATILE,
    "curdate": _VOLATILE,
    "current_user": _VOLATILE,
    "session_user": _VOLATILE,
    "user": _VOLATILE,
    "current_database": _VOLATILE,
    "current_schema": _VOLATILE,
    "current_catalog": _VOLATILE,
    "current_timezone": _VOLATILE,
    "version": _VOLATILE,
    "monotonically_increasing_id": _VOLATILE,
    "spark_partition_id": _VOLATILE,
    "input_file_name": _VOLATILE,
    "input_file_block_start": _VOLATILE,
    "input_file_block_length": _VOLATILE,
    "java_method": "it may do anything",
    "reflect": "it may do anything",
    "try_reflect": "it may do anything",
    "approx_percentile": "its answer depends on the order of the rows; use percentile",
    "percentile_approx": "its answer depends on the order of the rows; use percentile",
    "approx_top_k": "its answer depends on the order of the rows",
    "percentile_disc": "use percentile_cont or percentile",
    "mode": "it may choose among equally frequent values",
    "max_by": "it may choose among rows with equal maxima",
    "min_by": "it may choose among rows with equal minima",
}

# Constructs by the class of their tree.
REFUSED_CONSTRUCTS: Final[Mapping[type[Expr], tuple[str, str]]] = {
    exp.TableSample: ("TABLESAMPLE", "it chooses rows at random"),
    exp.Pivot: ("PIVOT or UNPIVOT", "write it as aggregates with FILTER, or as a UNION ALL"),
    exp.MatchRecognize: ("MATCH_RECOGNIZE", "Spark does not have it"),
    exp.Parameter: ("a parameter", "a view has no parameters"),
    exp.Placeholder: ("a parameter", "a view has no parameters"),
    exp.Version: (
        "time travel",
        "a view follows its sources; it cannot read them as of a snapshot",
    ),
    exp.Into: ("SELECT INTO", "a view only reads"),
    exp.Lock: ("FOR UPDATE", "a view only reads"),
}

_CLASS_NAMES: Final[Mapping[type[Expr], str]] = {
    exp.Rand: "rand",
    exp.Randn: "randn",
    exp.Uuid: "uuid",
    exp.CurrentTimestamp: "current_timestamp",
    exp.CurrentDate: "current_date",
    exp.CurrentTime: "current_time",
    exp.CurrentUser: "current_user",
    exp.ApproxQuantile: "approx_percentile",
    exp.ApproxTopK: "approx_top_k",
    exp.Mode: "mode",
    exp.PercentileDisc: "percentile_disc",
    exp.ArgMax: "max_by",
    exp.ArgMin: "min_by",
}


def refusal(construct: str, reason: str) -> Unsupported:
    """The error that names a construct a view cannot have."""
    return Unsupported(
        f"a view with {construct} cannot be kept incrementally", hint=reason, construct=construct
    )


def refuse_unsupported(tree: Expr) -> None:
    """Raise for the first construct or function of a query that is refused anywhere."""
    for node in tree.walk():
        for kind, (construct, reason) in REFUSED_CONSTRUCTS.items():
            if isinstance(node, kind):
                raise refusal(construct, reason)
        name = function_name(node)
        if name in REFUSED_FUNCTIONS:
            raise refusal(f"the function {name}", REFUSED_FUNCTIONS[name])


def function_name(node: Expr) -> str:
    """The name of a function call, in lower case; "" for anything else."""
    if type(node) in _CLASS_NAMES:
        return _CLASS_NAMES[type(node)]
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    if isinstance(node, exp.Func):
        return node.sql_name().lower()
    return ""
