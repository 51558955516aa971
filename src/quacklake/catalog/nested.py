"""Nested values as the text DuckLake writers leave in a catalog.

Lists, maps and what is inside them are written as casts to text print them: strings quoted
only where needed, with backslash escapes. A struct, and structs directly inside it, are
written as SQL literals: quotes doubled, backslashes as they are, and other types as
`CAST('…' AS T)`. DuckDB cannot read all of that back; here all of it is read.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import pyarrow as pa

from quacklake.format.types import LakeType, List, Map, Struct
from quacklake.kernel.errors import CorruptLake

Texts: TypeAlias = Any
"""A value whose leaves are still text: str, list, dict, list of pairs, or None."""

_SPACE: Final = " \t\n"


class _Malformed(Exception):
    """The text is not a value of its type."""


def textual_type(lake_type: LakeType) -> pa.DataType:
    """The Arrow type of a value whose leaves are still text."""
    match lake_type:
        case List(element):
            return pa.list_(textual_type(element.type))
        case Struct(fields):
            return pa.struct([pa.field(field.name, textual_type(field.type)) for field in fields])
        case Map(key, value):
            return pa.map_(textual_type(key.type), textual_type(value.type))
        case _:
            return pa.string()


def parsed(text: str, lake_type: LakeType) -> Texts:
    """The structure of a nested value, with its leaves still text."""
    reader = _Reader(text)
    try:
        value = reader.value(lake_type, "", as_literal=isinstance(lake_type, Struct))
    except (_Malformed, IndexError):
        raise CorruptLake("a nested value in the catalog cannot be read as its type") from None
    if reader.rest().strip(_SPACE):
        raise CorruptLake("a nested value in the catalog is followed by something else")
    return value


class _Reader:
    """A position in a text; what it has read lies behind it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def rest(self) -> str:
        return self._text[self._at :]

    def value(self, lake_type: LakeType, ends: str, *, as_literal: bool) -> Texts:
        self._skip_space()
        match lake_type:
            case List() | Struct() | Map() if self._text[self._at] not in "[{":
                if self._bare(ends) is None:
                    return None
                raise _Malformed
            case List(element):
                return self._list(element.type)
            case Struct():
                return self._struct(lake_type, as_literal=as_literal)
            case Map(key, value):
                return self._map(key.type, value.type)
            case _:
                return self._leaf(ends, as_literal=as_literal)

    def _list(self, element: LakeType) -> list[Texts]:
        self._expect("[")
        values: list[Texts] = []
        while not self._closed("]", first=not values):
            values.append(self.value(element, ",]", as_literal=False))
        return values

    def _map(self, key: LakeType, value: LakeType) -> list[tuple[Texts, Texts]]:
        self._expect("{")
        pairs: list[tuple[Texts, Texts]] = []
        while not self._closed("}", first=not pairs):
            name = self.value(key, "=", as_literal=False)
            self._expect("=")
            pairs.append((name, self.value(value, ",}", as_literal=False)))
        return pairs

    def _struct(self, struct: Struct, *, as_literal: bool) -> dict[str, Texts]:
        self._expect("{")
        values: dict[str, Texts] = {}
        for field in struct.fields:
            if self._closed("}", first=not values):
                raise _Malformed
            # Names repeat the order of the fields; their spelling adds nothing.
            self._leaf(":", as_literal=as_literal)
            self._expect(":")
            inner = as_literal and not isinstance(field.type, List | Map)
            values[field.name] = self.value(field.type, ",}", as_literal=inner)
        if not self._closed("}", first=False):
            raise _Malformed
        return values

    def _leaf(self, ends: str, *, as_literal: bool) -> str | None:
        self._skip_space()
        if as_literal and self._text.startswith("CAST('", self._at):
            return self._cast()
        if self._text[self._at] != "'":
            return self._bare(ends)
        start = self._at
        text = self._escaped(strict=as_literal)
        if as_literal and (text is None or not self._ended(ends)):
            self._at = start
            text = self._doubled()
        if text is None or not self._ended(ends):
            raise _Malformed
        return text

    def _ended(self, ends: str) -> bool:
        self._skip_space()
        return self._at == len(self._text) or self._text[self._at] in ends

    def _cast(self) -> str:
        self._at += len("CAST(")
        text = self._doubled()
        if text is None:
            raise _Malformed
        depth = 1
        while depth:
            # A type may have brackets of its own, such as DECIMAL(9,2).
            depth += {"(": 1, ")": -1}.get(self._text[self._at], 0)
            self._at += 1
        return text

    def _bare(self, ends: str) -> str | None:
        start = self._at
        while self._at < len(self._text) and self._text[self._at] not in ends:
            self._at += 1
        text = self._text[start : self._at].strip(_SPACE)
        return None if text == "NULL" else text

    def _escaped(self, *, strict: bool) -> str | None:
        """A quoted text with backslash escapes; a strict one has no others than we write."""
        found: list[str] = []
        self._at += 1
        while self._at < len(self._text):
            char = self._text[self._at]
            self._at += 1
            if char == "'":
                return "".join(found)
            if char == "\\":
                char = self._text[self._at : self._at + 1]
                self._at += 1
                if strict and char not in ("'", "\\"):
                    return None
            found.append(char)
        return None

    def _doubled(self) -> str | None:
        """A quoted text in which a quote is written twice."""
        found: list[str] = []
        self._at += 1
        while self._at < len(self._text):
            char = self._text[self._at]
            self._at += 1
            if char == "'":
                if self._text[self._at : self._at + 1] != "'":
                    return "".join(found)
                self._at += 1
            found.append(char)
        return None

    def _closed(self, bracket: str, *, first: bool) -> bool:
        """Whether the brackets close here; otherwise the next element begins."""
        self._skip_space()
        if self._text[self._at] == bracket:
            self._at += 1
            return True
        if not first:
            self._expect(",")
        return False

    def _expect(self, char: str) -> None:
        self._skip_space()
        if self._text[self._at] != char:
            raise _Malformed
        self._at += 1

    def _skip_space(self) -> None:
        while self._at < len(self._text) and self._text[self._at] in _SPACE:
            self._at += 1
