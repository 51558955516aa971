"""Incremental views, purely: SQL becomes a plan, a plan its change, a change SQL for an engine."""

from quacklake.ivm.compiler import View, compile_view
from quacklake.ivm.plan import State
from quacklake.ivm.program import WEIGHT_COLUMN, KeyPushdown, Program, Read, Step
from quacklake.ivm.schema import Schema, SourceColumn, source_columns

__all__ = [
    "WEIGHT_COLUMN",
    "KeyPushdown",
    "Program",
    "Read",
    "Schema",
    "SourceColumn",
    "State",
    "Step",
    "View",
    "compile_view",
    "source_columns",
]
