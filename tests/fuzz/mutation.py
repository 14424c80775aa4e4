"""Mutations of bytes, of texts and of decoded values."""

import copy
import random
from collections.abc import Sequence
from typing import Any

_CHANGES_MAX = 4
_ODD_BYTES = (b"\0", b"\xff", b"\x7f", b"\x80", b"\xc0\x80", b"\xed\xa0\x80", b"\xff" * 9, b"\0" * 20)
_ODD_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1, 2**31, 2**53, 2**63 - 1, 2**64 - 1, -(2**63), 0.5, float("nan"), float("inf"), "", "a", "\0",
    "\u0600", "x" * 300, b"", b"\xff", [], {}, [[]], {"": None},
)  # fmt: skip


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return bytes with a few changes: flipped, replaced, removed, repeated, moved, or cut off."""
    changed = bytearray(data or chance.randbytes(20))
    for _ in range(chance.randint(1, _CHANGES_MAX)):
        at = chance.randrange(len(changed) + 1)
        size = min(1 << chance.randrange(8), len(changed) - at)
        match chance.randrange(7):
            case 0 if at < len(changed):
                changed[at] ^= 1 << chance.randrange(8)
            case 1 if at < len(changed):
                changed[at] = chance.randrange(256)
            case 2:
                changed[at : at + size] = b""
            case 3:
                changed[at:at] = changed[at : at + size]
            case 4:
                changed[at:at] = chance.choice(_ODD_BYTES)
            case 5:
                other = chance.randrange(len(changed) + 1)
                changed[at : at + size] = changed[other : other + size]
            case _:
                changed = changed[:at] if chance.random() < 0.3 else changed
    return bytes(changed)


def mutated_text(text: str, chance: random.Random, words: Sequence[str]) -> str:
    """Return a text with a few changes, some of which add a word of its language, or repeat one many times."""
    for _ in range(chance.randint(1, _CHANGES_MAX)):
        at, end = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        end = min(end, at + 40)
        match chance.randrange(5):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:at] + text[at:end] * 2 + text[end:]
            case 2:
                text = text[:at] + chance.choice(words) * (1 << chance.randrange(12)) + text[at:]
            case _:
                text = text[:at] + chance.choice(words) + text[end:]
    return text


def mutated_value(value: Any, chance: random.Random) -> Any:
    """Return a decoded value in which one part is replaced, removed, repeated or moved. Changes the value itself."""
    holder: list[Any] = [value]
    place: tuple[Any, Any] = (holder, 0)
    while (inner := place[0][place[1]]) and isinstance(inner, list | dict) and chance.random() < 0.9:
        place = (inner, chance.choice(list(inner)) if isinstance(inner, dict) else chance.randrange(len(inner)))
    parent, key = place
    match chance.randrange(6):
        case 0 if parent is not holder:
            del parent[key]
        case 1 if isinstance(parent, list) and parent is not holder:
            parent.insert(key, copy.deepcopy(parent[chance.randrange(len(parent))]))
        case 2 if isinstance(parent, dict):
            parent[chance.choice(("", "a", "type", "tag"))] = copy.deepcopy(parent[key])
        case 3 if isinstance(parent[key], str):
            parent[key] = mutated(parent[key].encode(), chance).decode("utf-8", "replace")
        case 4 if isinstance(parent[key], bytes):
            parent[key] = mutated(parent[key], chance)
        case _:
            parent[key] = copy.deepcopy(chance.choice(_ODD_VALUES))
    return holder[0]
