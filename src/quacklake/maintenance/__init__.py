"""Compaction, flushing, expiry and clean-up: a plan first, then the act."""
