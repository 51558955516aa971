"""Rewrites that keep a plan's rows and bring it into the form the delta rules expect."""

from quacklake.ivm.passes.normal import PASSES, normalised

__all__ = ["PASSES", "normalised"]
