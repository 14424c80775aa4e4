"""Counting of what a serialized message has in it, without building it.

The wire format is in https://protobuf.dev/programming-guides/encoding/. Counting ends at the first excess.
"""

from memoryd_server.domain.error import InvalidField, MalformedMessage, TooLarge
from memoryd_server.transport.limit import MESSAGE_DEPTH_MAX, MESSAGE_ELEMENTS_MAX
from memoryd_server.transport.parsing.message_shape import (
    FIXED32,
    FIXED64,
    LENGTH_DELIMITED,
    VARINT,
    FieldShape,
    MessageShape,
)

_CONTINUED = 0x80
_VARINT_BYTES_MAX = 10
_WIDTHS = {FIXED32: 4, FIXED64: 8}
_CONTINUATIONS = bytes(range(_CONTINUED, 0x100))


def check_elements(data: bytes, shape: MessageShape) -> None:
    """Check how much a serialized message has in it, at all depths.

    Raises TooLarge for too many fields and elements together, InvalidField for too many elements of one field, and
    MalformedMessage.
    """
    try:
        _Count(data).check(shape)
    except IndexError:
        raise MalformedMessage from None


class _Count:
    """One pass over a message. An index past its end raises IndexError."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._left = MESSAGE_ELEMENTS_MAX
        # The messages that contain the current one: the rest of each, and the field that is looked into.
        self._above: list[tuple[MessageShape, int, dict[int, int], FieldShape, int]] = []

    def check(self, shape: MessageShape) -> None:  # noqa: C901 - a function for each step would double the time
        """Check the message, whose shape is given."""
        data, position, end = self._data, 0, len(self._data)
        fields, counts = shape.fields, dict[int, int]()
        while True:
            while position >= end:
                if position > end:
                    raise MalformedMessage
                if not self._above:
                    return
                shape, end, counts, _, _ = self._above.pop()
                fields = shape.fields
            tag = data[position]
            position += 1
            if tag >= _CONTINUED:
                tag, position = self._varint(position - 1)
            self._left -= 1
            if self._left < 0:
                raise TooLarge("message_elements", MESSAGE_ELEMENTS_MAX)
            field = fields.get(tag)
            if tag & 7 != LENGTH_DELIMITED:
                if field is not None:
                    self._add(field, counts, tag, 1)
                position = self._end_of_number(tag & 7, position)
                continue
            size = data[position]
            position += 1
            if size >= _CONTINUED:
                size, position = self._varint(position - 1)
            if position + size > end:
                raise MalformedMessage
            if field is None:
                position += size
                continue
            if field.bytes_max and size > field.bytes_max:
                allowed = field.bytes_allowed
                raise InvalidField(
                    self._path_of(field), f"must be at most {allowed} bytes" if allowed else "is far too long"
                )
            if field.is_repeated and field.items_max:
                self._add(field, counts, tag, self._items(field, position, size))
            if not size or field.message is None:
                position += size
                continue
            if len(self._above) >= MESSAGE_DEPTH_MAX:
                raise MalformedMessage
            self._above.append((shape, end, counts, field, counts.get(tag | 7, 1) - 1))
            shape, end, counts = field.message, position + size, {}
            fields = shape.fields

    def _varint(self, position: int) -> tuple[int, int]:
        """Return the number at a position, and the position after it."""
        number = shift = 0
        for each in range(position, position + _VARINT_BYTES_MAX):
            byte = self._data[each]
            number |= (byte & 0x7F) << shift
            if byte < _CONTINUED:
                return number, each + 1
            shift += 7
        raise MalformedMessage

    def _end_of_number(self, wire_type: int, position: int) -> int:
        if wire_type == VARINT:
            return self._varint(position)[1] if self._data[position] >= _CONTINUED else position + 1
        if wire_type in _WIDTHS:
            return position + _WIDTHS[wire_type]
        # Groups, which no message of the contract has.
        raise MalformedMessage

    def _items(self, field: FieldShape, position: int, size: int) -> int:
        """Return the number of elements in a length-delimited part of a repeated field."""
        if field.message is not None:
            return 1
        if field.width:
            return size // field.width
        # Every varint has one byte at its end, so that a long part has many: its bytes need not be counted.
        if size > field.items_max * _VARINT_BYTES_MAX:
            return size // _VARINT_BYTES_MAX + 1
        items = len(self._data[position : position + size].translate(None, _CONTINUATIONS))
        self._left -= items
        return items

    def _add(self, field: FieldShape, counts: dict[int, int], tag: int, items: int) -> None:
        number = tag | 7
        counts[number] = count = counts.get(number, 0) + items
        if count > field.items_max:
            raise InvalidField(self._path_of(field), f"must be at most {field.items_max}")

    def _path_of(self, field: FieldShape) -> str:
        above = [f"{each.name}[{index}]" if each.is_repeated else each.name for *_, each, index in self._above]
        return ".".join([*above, field.name])
