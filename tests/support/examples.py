"""How many examples a law is tried on: few in the suite, as many as one asks for by `make laws`."""

from __future__ import annotations

import os


def examples(count: int) -> int:
    """The number for the suite, or what QUACKLAKE_EXAMPLES says."""
    return int(os.environ.get("QUACKLAKE_EXAMPLES") or count)
