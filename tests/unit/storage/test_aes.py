"""AES against the vectors of its standards."""

from __future__ import annotations

import numpy as np
import pytest

from quacklake.storage.aes import counter_mode, encrypted

PLAIN = bytes.fromhex("00112233445566778899aabbccddeeff")


@pytest.mark.parametrize(
    ("key_size", "cipher"),
    [
        (16, "69c4e0d86a7b0430d8cdb78070b4c55a"),
        (24, "dda97ca4864cdfe06eaf70a0ec0d7191"),
        (32, "8ea2b7ca516745bfeafc49904b496089"),
    ],
)
def test_a_block_is_encrypted_as_fips_197_says(key_size: int, cipher: str) -> None:
    block = np.frombuffer(PLAIN, np.uint8).reshape(1, 16)

    assert encrypted(bytes(range(key_size)), block).tobytes().hex() == cipher


def test_a_message_is_decrypted_as_in_the_gcm_specification() -> None:
    key = bytes.fromhex("feffe9928665731c6d6a8f9467308308")
    nonce = bytes.fromhex("cafebabefacedbaddecaf888")
    cipher = bytes.fromhex(
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
        "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
    )
    plain = bytes.fromhex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    )

    assert counter_mode(key, nonce, cipher) == plain


def test_nothing_decrypts_to_nothing() -> None:
    assert counter_mode(bytes(16), bytes(12), b"") == b""
