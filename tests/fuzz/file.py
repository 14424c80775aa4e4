"""Files as somebody makes them who knows the format: whatever their content, all checksums fit."""

import hashlib
import random
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import msgspec
import zstandard
from tests.fuzz.mutation import mutated, mutated_value
from tests.fuzz.sample import decoded

_COMPRESSOR = zstandard.ZstdCompressor(level=1)


def file_of(magic: bytes, blocks: Sequence[bytes]) -> bytes:
    """Return a file of version 1 with these blocks."""
    plain = b"".join(struct.pack(">II", len(block), zlib.crc32(block)) + block for block in blocks)
    body = magic + b"\0\1" + _COMPRESSOR.compress(plain)
    return body + hashlib.sha256(body).digest()


def mutated_file(magic: bytes, blocks: Sequence[bytes], chance: random.Random) -> bytes:
    """Return a changed file: in its bytes, in the bytes or the values of a block, or in the order of blocks."""
    changed = list(blocks)
    at = chance.randrange(len(changed))
    kind = chance.randrange(8)
    if kind == 0:
        return mutated(file_of(magic, changed), chance)
    if kind == 1:
        changed[at : at + 1] = chance.choices(changed, k=chance.randrange(3))
    elif kind < 4:
        changed[at] = mutated(changed[at], chance)
    else:
        changed[at] = mutated_packed(changed[at], chance)
    return file_of(magic, changed)


def mutated_packed(data: bytes, chance: random.Random) -> bytes:
    """Return MessagePack with some of its values changed."""
    value: Any = decoded(data)
    for _ in range(chance.randint(1, 3)):
        value = mutated_value(value, chance)
    return msgspec.msgpack.encode(value)


def mutated_record(data: bytes, chance: random.Random) -> bytes:
    """Return what is stored, with its version in front, changed in its values or its bytes."""
    if chance.random() < 0.4:
        return mutated(data, chance)
    version = data[:1] if chance.random() < 0.98 else chance.randbytes(1)
    try:
        return version + mutated_packed(data[1:], chance)
    except msgspec.DecodeError:
        # Some records have a form of their own.
        return mutated(data, chance)
