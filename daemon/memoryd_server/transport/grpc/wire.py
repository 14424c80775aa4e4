"""Pieces of protobuf's wire format, for answers that consist mostly of bytes which are there already.

A serialised message is the concatenation of its fields in any order, so such a piece may stand before or after what
protobuf itself has serialised. See https://protobuf.dev/programming-guides/encoding/.
"""

_LENGTH_DELIMITED = 2
_ONE_BYTE_END = 1 << 7
_TWO_BYTES_END = 1 << 14
_ONE_BYTE = [bytes((number,)) for number in range(_ONE_BYTE_END)]


def varint(number: int) -> bytes:
    """A number that is not negative, seven bits to a byte, the lowest first."""
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


def varint_tag(field_number: int) -> bytes:
    """What stands before a number that is encoded as a varint."""
    return varint(field_number << 3)


def bytes_tag(field_number: int) -> bytes:
    """What stands before the length of a message, a string or bytes."""
    return varint(field_number << 3 | _LENGTH_DELIMITED)
