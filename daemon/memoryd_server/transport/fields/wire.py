"""Parts of protobuf's wire format, for responses that consist mostly of serialized messages.

A serialized message is a concatenation of fields in any order, so such a part may come before or after what protobuf
itself has serialized. See https://protobuf.dev/programming-guides/encoding/.
"""

from functools import lru_cache

_LENGTH_DELIMITED = 2
_ONE_BYTE_END = 1 << 7
_TWO_BYTES_END = 1 << 14
_ONE_BYTE = [bytes((number,)) for number in range(_ONE_BYTE_END)]


def varint(number: int) -> bytes:
    """Encode a number that is not negative: seven bits to a byte, the lowest first."""
    if number < _ONE_BYTE_END:
        return _ONE_BYTE[number]
    if number < _TWO_BYTES_END:
        return bytes((number & 0x7F | 0x80, number >> 7))
    parts = bytearray()
    while number >= _ONE_BYTE_END:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


length_of = lru_cache(maxsize=4_096)(varint)
"""Encodes the length of a message, of which most are of few lengths: a third of the time of ``varint``."""


def varint_tag(field_number: int) -> bytes:
    """Return the tag of a field whose value is a varint."""
    return varint(field_number << 3)


def bytes_tag(field_number: int) -> bytes:
    """Return the tag of a field whose value is a message, a string or bytes: their length follows."""
    return varint(field_number << 3 | _LENGTH_DELIMITED)
