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


def relative_path(location: str, parent: str) -> tuple[str, bool]:
    """A location as stored below `parent`, and whether it is relative to it."""
    if location.startswith(parent):
        return location[len(parent) :], True
    return location, False
