"""Incremental views, purely: SQL becomes a plan, a plan its change, a change SQL for an engine."""

from quacklake.ivm.binding.names import table_names
from quacklake.ivm.compiler import StateTable, View, compile_view
from quacklake.ivm.explain import AggregateStrategy, Explained
from quacklake.ivm.identity import ByContent, ByKey, ByRowId, Identity
from quacklake.ivm.plan import Origin, State
from quacklake.ivm.program import (
    ROW_ID_COLUMN,
    WEIGHT_COLUMN,
    KeyPushdown,
    Program,
    Read,
    StateChange,
    Step,
)
from quacklake.ivm.recursion.parts import ROWS
from quacklake.ivm.recursion.view import RECURSION, RecursiveView, recursive_view
from quacklake.ivm.refusals import REFUSED_CONSTRUCTS, REFUSED_FUNCTIONS
from quacklake.ivm.schema import Schema, SourceColumn, source_columns
from quacklake.ivm.unsupported import unsupported_page
from quacklake.ivm.whole import RECOMPUTED, WholeView

__all__ = [
    "RECOMPUTED",
    "RECURSION",
    "REFUSED_CONSTRUCTS",
    "REFUSED_FUNCTIONS",
    "ROWS",
    "ROW_ID_COLUMN",
    "WEIGHT_COLUMN",
    "AggregateStrategy",
    "ByContent",
    "ByKey",
    "ByRowId",
    "Explained",
    "Identity",
    "KeyPushdown",
    "Origin",
    "Program",
    "Read",
    "RecursiveView",
    "Schema",
    "SourceColumn",
    "State",
    "StateChange",
    "StateTable",
    "Step",
    "View",
    "WholeView",
    "compile_view",
    "recursive_view",
    "source_columns",
    "table_names",
    "unsupported_page",
]
