"""The command line: one module per command, and nothing heavy before a command needs it."""

from quacklake.cli.program import main

__all__ = ["main"]
