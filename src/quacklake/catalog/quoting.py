"""Nested values as text: two writers, two ways to quote."""

from __future__ import annotations


def repaired(text: str) -> str:
    """`text` as DuckDB's cast reads it, whichever way its strings were quoted."""
    return text
