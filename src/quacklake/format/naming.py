"""Names the format gives to folders and files."""

from __future__ import annotations

import os
import re
import time
from uuid import UUID

_PLAIN = re.compile(r"[A-Za-z0-9_-]+")


def folder_for(name: str, uuid: str) -> str:
    """The folder of a schema or table: its name where that is plain, otherwise its uuid."""
    return (name if _PLAIN.fullmatch(name) else uuid) + "/"


def uuid7() -> UUID:
    """A uuid that sorts by the time it was made."""
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds << 80) | int.from_bytes(os.urandom(10), "big")
    value = (value & ~(0xF << 76)) | (0x7 << 76)
    return UUID(int=(value & ~(0x3 << 62)) | (0x2 << 62))
