"""How stored paths make up locations: relative ones are plain concatenation to the parent."""

from __future__ import annotations


def resolved(parent: str, path: str | None, *, is_relative: bool) -> str:
    """The full location of `path`; a NULL path is its parent."""
    if path is None:
        return parent
    return parent + path if is_relative else path


def as_directory(location: str) -> str:
    """`location` with the trailing slash that concatenation relies on."""
    return location if location.endswith("/") else location + "/"
