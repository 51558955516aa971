"""AES in counter mode, for the one thing no library here does: looking into a DuckDB footer.

DuckDB leaves out the authenticated data that the Parquet standard asks for, so Arrow refuses
its encrypted files. GCM is counter mode plus a tag; DuckDB itself checks the tags when it
opens and reads the file, here only the key stream is needed.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Block = npt.NDArray[np.uint8]

_FIRST_DATA_BLOCK: Final = 2  # in GCM, block 1 encrypts the tag
_BLOCK: Final = 16
_WORD: Final = 4


def _doubled(byte: int) -> int:
    """A byte times x in AES's field."""
    return (byte << 1) ^ (0x11B if byte & 0x80 else 0)


def _substitution() -> Block:
    """The S-box: the inverse in the field, then an affine map."""
    box = np.zeros(256, np.uint8)
    power, inverse = 1, 1
    while True:
        power ^= _doubled(power)  # times 3, which generates the field
        inverse ^= inverse << 1
        inverse ^= inverse << 2
        inverse ^= inverse << 4
        inverse &= 0xFF
        if inverse & 0x80:
            inverse ^= 0x09
        turned = inverse * 0x101
        mixed = inverse ^ (turned >> 7) ^ (turned >> 6) ^ (turned >> 5) ^ (turned >> 4)
        box[power] = (mixed ^ 0x63) & 0xFF
        if power == 1:
            break
    box[0] = 0x63
    return box


_SBOX: Final = _substitution()
_DOUBLE: Final = np.array([_doubled(byte) & 0xFF for byte in range(256)], np.uint8)
# Byte i of a block sits in row i % 4, column i // 4; row r turns left by r columns.
_SHIFT: Final = np.array([(i + 4 * (i % 4)) % 16 for i in range(16)])


def counter_mode(key: bytes, nonce: bytes, data: bytes) -> bytes:
    """`data` decrypted (or encrypted) with a 12-byte nonce, as GCM does with a message."""
    blocks = -(-len(data) // _BLOCK)
    counters = np.empty((blocks, _BLOCK), np.uint8)
    counters[:, :12] = np.frombuffer(nonce, np.uint8)
    numbers = np.arange(_FIRST_DATA_BLOCK, _FIRST_DATA_BLOCK + blocks).astype(">u4")
    counters[:, 12:] = numbers.view(np.uint8).reshape(blocks, _WORD)
    stream = encrypted(key, counters).reshape(-1)[: len(data)]
    return (stream ^ np.frombuffer(data, np.uint8)).tobytes()


def encrypted(key: bytes, blocks: Block) -> Block:
    """Every 16-byte row of `blocks` encrypted on its own."""
    round_keys = _expanded(key)
    state = blocks ^ round_keys[0]
    for round_key in round_keys[1:-1]:
        state = _mixed(_SBOX[state][:, _SHIFT]) ^ round_key
    last: Block = _SBOX[state][:, _SHIFT] ^ round_keys[-1]
    return last


def _mixed(state: Block) -> Block:
    """Each column times the polynomial {03}x3 + {01}x2 + {01}x + {02}."""
    columns = state.reshape(-1, 4, 4)
    following = np.roll(columns, -1, axis=2)
    everything = np.bitwise_xor.reduce(columns, axis=2, keepdims=True)
    mixed: Block = columns ^ everything ^ _DOUBLE[columns ^ following]
    return mixed.reshape(-1, _BLOCK)


def _expanded(key: bytes) -> Block:
    """The round keys, one row each."""
    words = [np.frombuffer(key[i : i + 4], np.uint8) for i in range(0, len(key), 4)]
    length = len(words)
    constant = 1
    for i in range(length, 4 * (length + 7)):
        word = words[i - 1]
        if i % length == 0:
            word = _SBOX[np.roll(word, -1)] ^ np.array([constant, 0, 0, 0], np.uint8)
            constant = _doubled(constant) & 0xFF
        elif length > 6 and i % length == 4:  # noqa: PLR2004  # only 256-bit keys do this
            word = _SBOX[word]
        words.append(words[i - length] ^ word)
    return np.concatenate(words).reshape(-1, _BLOCK)
