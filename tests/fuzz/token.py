"""Tokens as somebody makes them who knows the format: their checksum fits whatever they say."""

import base64
import hashlib
import random
from typing import Any

import msgspec
from tests.fuzz.mutation import mutated, mutated_value

from memoryd_server.engine.agents.token import digest

STORE_ID = "0" * 32
LISTING = digest("a listing")
_NUMBERS = (0, 1, 5, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1, -1, -(2**63))


def sealed(body: bytes) -> str:
    """Return a token with this body."""
    checksum = hashlib.blake2b(body, digest_size=6, key=b"memoryd").digest()
    return base64.urlsafe_b64encode(body + checksum).decode().rstrip("=")


def forged(owner: bytes, chance: random.Random) -> str:
    """Return a token of any kind. ``owner`` is the digest of a store or of a listing."""
    points: list[Any] = [chance.choices(_NUMBERS, k=chance.randint(1, 4)) for _ in range(chance.randint(0, 3))]
    body = chance.choice(
        (
            b"r" + owner + msgspec.msgpack.encode([points]),
            b"e" + owner + msgspec.msgpack.encode(mutated_value([points], chance)),
            b"p" + owner + b"".join(chance.choice(_NUMBERS[:8]).to_bytes(8, "big") for _ in range(2)),
            b"t" + owner + chance.choice((b"a", b"", "\u0600".encode(), b"\xff\xfe", b"x" * 300)),
            b"",
        )
    )
    if chance.random() < 0.3:
        body = body[:9] + mutated(body[9:], chance)
    token = sealed(body)
    return mutated(token.encode(), chance).decode("utf-8", "replace") if chance.random() < 0.2 else token


def changed_body(body: bytes, chance: random.Random) -> bytes:
    """Return the body of a token that a daemon issued, changed behind its owner: by its numbers, or by its bytes."""
    kind, rest = body[:9], body[9:]
    try:
        point = msgspec.msgpack.decode(rest, type=list[list[list[int]]])
    except msgspec.DecodeError:
        return kind + mutated(rest, chance)
    numbers = chance.choice(point[0]) if point and point[0] else []
    if not numbers or chance.random() < 0.3:
        return kind + mutated(rest, chance)
    at = chance.randrange(len(numbers))
    numbers[at] = chance.choice((0, 1, 3, 1000, 2**32, 2**63 - 1, max(numbers[at] - 1, 0), numbers[at] + 1))
    return kind + msgspec.msgpack.encode(point)
