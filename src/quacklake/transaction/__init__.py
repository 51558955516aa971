"""Staged changes become one snapshot, or a conflict."""
