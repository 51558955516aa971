"""The footer of an encrypted Parquet file, readable without the rest of it.

At the end of the file stand: which algorithm (a Thrift struct), then the length, nonce,
ciphertext and tag of the footer, the length of all that, and the magic `PARE`.
"""

from __future__ import annotations

import base64
import binascii
import struct
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet.encryption as pe

from quacklake.kernel.errors import CorruptLake
from quacklake.storage.aes import counter_mode
from quacklake.storage.failures import not_parquet

_MAGIC: Final = b"PAR1"
_ENCRYPTED_MAGIC: Final = b"PARE"
_TRAILER: Final = struct.Struct("<I4s")
_NONCE: Final = 12
_TAG: Final = 16
_KEY_SIZES: Final = frozenset({16, 24, 32})
_WITHOUT_AUTHENTICATED_DATA: Final = bytes.fromhex("1c1c000000")


def key_bytes(encryption_key: str, location: str) -> bytes:
    """The key that the catalog keeps as base64 text."""
    try:
        key = base64.b64decode(encryption_key, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) not in _KEY_SIZES:
        # The cause is not chained: it could quote the key.
        raise CorruptLake(
            f"the catalog's encryption key for '{location}' is not a base64 text of 16 bytes",
            hint="restore the catalog from a backup",
            location=location,
        ) from None
    return key


def is_encrypted(handle: pa.NativeFile) -> bool:
    """Whether the file at hand ends like an encrypted one."""
    size = handle.size()
    if size < _TRAILER.size:
        return False
    return (
        bytes(handle.read_at(len(_ENCRYPTED_MAGIC), size - len(_ENCRYPTED_MAGIC)))
        == _ENCRYPTED_MAGIC
    )


def footer_alone(handle: pa.NativeFile, key: bytes, location: str) -> pa.Buffer:
    """A plain Parquet file with the decrypted footer of `handle` and no data."""
    _, module = _tail(handle, location)
    footer = counter_mode(key, module[:_NONCE], module[_NONCE:-_TAG])
    return pa.py_buffer(_MAGIC + footer + _TRAILER.pack(len(footer), _MAGIC))


def footer_length(handle: pa.NativeFile, location: str) -> int:
    """The length of the footer, as the end of the file tells it."""
    size = handle.size()
    length, magic = _TRAILER.unpack(handle.read_at(_TRAILER.size, size - _TRAILER.size))
    if magic != _ENCRYPTED_MAGIC or length + _TRAILER.size > size:
        raise not_parquet(location)
    return int(length)


def arrow_can_decrypt(handle: pa.NativeFile, location: str) -> bool:
    """Whether the file is encrypted as the standard asks, and this Arrow takes a bare key."""
    algorithm, _ = _tail(handle, location)
    return algorithm != _WITHOUT_AUTHENTICATED_DATA and hasattr(pe, "create_decryption_properties")


def decryption_properties(key: bytes) -> Any:  # Arrow's class has no public name
    """What Arrow's reader needs to decrypt one file."""
    return pe.create_decryption_properties(key)


def _tail(handle: pa.NativeFile, location: str) -> tuple[bytes, bytes]:
    """How the file is encrypted, and the sealed footer: nonce, ciphertext, tag."""
    size = handle.size()
    length = footer_length(handle, location)
    tail = handle.read_at(length, size - _TRAILER.size - length)
    try:
        start = _skip_struct(tail, 0)
        (sealed,) = struct.unpack_from("<I", tail, start)
    except (IndexError, struct.error) as problem:
        raise not_parquet(location) from problem
    return tail[:start], tail[start + 4 : start + 4 + sealed]


# Thrift's compact protocol, as far as finding the end of a struct takes.
_BOOLEANS: Final = frozenset({1, 2})
_BYTE: Final = 3
_VARINTS: Final = frozenset({4, 5, 6})
_BINARY: Final = 8
_STRUCT: Final = 12


def _skip_struct(data: bytes, at: int) -> int:
    while True:
        header = data[at]
        at += 1
        if header == 0:
            return at
        if header >> 4 == 0:
            _, at = _varint(data, at)
        at = _skip_value(data, at, header & 0x0F)


def _skip_value(data: bytes, at: int, kind: int) -> int:
    if kind in _BOOLEANS:
        return at
    if kind == _BYTE:
        return at + 1
    if kind in _VARINTS:
        return _varint(data, at)[1]
    if kind == _BINARY:
        length, at = _varint(data, at)
        return at + length
    if kind == _STRUCT:
        return _skip_struct(data, at)
    raise IndexError(kind)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:  # noqa: PLR2004  # the top bit says that more follows
            return value, at
