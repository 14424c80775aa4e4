"""The shapes of request messages: which fields have messages or numbers in them, and how many of each are allowed.

A shape is made of a message's descriptor by reflection, once for each type, when methods are registered.
"""

from functools import cache

import msgspec
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from memoryd.v1.field_policy_pb2 import FieldPolicy, field_policy
from memoryd_server.domain.limit import TOKEN_BYTES_MAX, Limits
from memoryd_server.transport.limit import (
    ITEM_BYTES_DEFAULT,
    ITEMS_DEFAULT_MAX,
    JSON_MESSAGE_BYTES_DEFAULT,
    MESSAGE_BYTES_MAX,
    MESSAGE_BYTES_OF_JSON_MAX,
    MESSAGE_WITHOUT_CONTENT_BYTES_MAX,
    PARSED_IN_LOOP_BYTES_MAX,
    RECURSIVE_MESSAGE_BYTES_MAX,
    SMALL_MESSAGE_BYTES_MAX,
)

VARINT, FIXED64, LENGTH_DELIMITED, FIXED32 = 0, 1, 2, 5
"""The wire types that fields of proto3 have."""

_CONTRACT = "memoryd.v1"
_JSON = frozenset(f"google.protobuf.{name}" for name in ("Value", "Struct", "ListValue"))
_TEXTS = (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)
_OVERHEAD_BYTES = 8
"""Maximum size of the tag and the length of an element."""
_NUMBER_BYTES_MAX = 12
_WIRE_TYPES = {
    FieldDescriptor.TYPE_DOUBLE: FIXED64,
    FieldDescriptor.TYPE_FIXED64: FIXED64,
    FieldDescriptor.TYPE_SFIXED64: FIXED64,
    FieldDescriptor.TYPE_FLOAT: FIXED32,
    FieldDescriptor.TYPE_FIXED32: FIXED32,
    FieldDescriptor.TYPE_SFIXED32: FIXED32,
}


class FieldShape(msgspec.Struct):
    """A field that is bounded or looked into. A bound of 0 is none: only the message as a whole is bounded.

    ``items_max`` is the maximum number of elements, ``bytes_max`` the maximum size of each on the wire, and
    ``bytes_allowed`` the smaller one of the contract, 0 if it states none. ``message`` is the shape of the messages in
    the field, None for numbers and texts. ``width`` is the number of bytes of each packed number, 0 for varints.
    """

    name: str
    is_repeated: bool
    items_max: int = 0
    bytes_max: int = 0
    bytes_allowed: int = 0
    message: "MessageShape | None" = None
    width: int = 0


class MessageShape(msgspec.Struct):
    """A type of messages. ``fields`` are by tag, of those that are bounded or looked into; all others are skipped."""

    fields: dict[int, FieldShape]


@cache
def shape_of(descriptor: Descriptor) -> MessageShape:
    """Return the shape of a type of messages."""
    return _shape_of(descriptor, {})


def _shape_of(descriptor: Descriptor, known: dict[str, MessageShape]) -> MessageShape:
    if descriptor.full_name not in known:
        # Known before its fields are: a filter has filters in it.
        shape = known[descriptor.full_name] = MessageShape({})
        for field in descriptor.fields:
            _add_field(shape, field, known)
    return known[descriptor.full_name]


def _add_field(shape: MessageShape, field: FieldDescriptor, known: dict[str, MessageShape]) -> None:
    number, bytes_max = field.number << 3, _policy(field).bytes_max
    if field.message_type is not None:
        message = _shape_of(field.message_type, known)
        shape.fields[number | LENGTH_DELIMITED] = FieldShape(
            field.name, field.is_repeated, _items_max(field), bytes_max * MESSAGE_BYTES_OF_JSON_MAX, bytes_max, message
        )
    elif field.type in _TEXTS:
        if bytes_max or _is_name(field):
            # No smaller bound: the limit of a field that is not used, such as by an update_mask, does not apply.
            text_bytes_max = max(bytes_max, PARSED_IN_LOOP_BYTES_MAX)
            shape.fields[number | LENGTH_DELIMITED] = FieldShape(
                field.name, field.is_repeated, 0, text_bytes_max, bytes_max
            )
    elif field.is_repeated:
        wire_type = _WIRE_TYPES.get(field.type, VARINT)
        width = {VARINT: 0, FIXED32: 4, FIXED64: 8}[wire_type]
        numbers = FieldShape(field.name, is_repeated=True, items_max=_items_max(field), width=width)
        # A parser accepts both encodings, whichever the contract has.
        shape.fields[number | LENGTH_DELIMITED] = shape.fields[number | wire_type] = numbers


def _is_ours(field: FieldDescriptor) -> bool:
    """Return True for a field of a message of the contract, False for one of protobuf's own."""
    message = field.containing_type
    return message is not None and message.file.package == _CONTRACT


def _is_name(field: FieldDescriptor) -> bool:
    """Return True for a text that is neither content nor within a JSON value: an id, a token, or another name."""
    policy = _policy(field)
    return _is_ours(field) and field.type == FieldDescriptor.TYPE_STRING and not (policy.content or policy.limit)


def _items_max(field: FieldDescriptor) -> int:
    """Return the maximum number of elements, 0 for none.

    JSON has no maximum of its own: protobuf's Struct and ListValue are bounded by the elements of the whole message.
    Neither have lists of texts, whose repeats do not count in some fields.
    """
    if not field.is_repeated or not _is_ours(field):
        return 0
    return _policy(field).items_max or ITEMS_DEFAULT_MAX


@cache
def bytes_max_of(descriptor: Descriptor, limits: Limits) -> int:
    """Return the maximum size of a request: what its fields allow together, but never less than a small message's."""
    most = MESSAGE_BYTES_MAX if _has_content(descriptor, set()) else MESSAGE_WITHOUT_CONTENT_BYTES_MAX
    return min(max(_bytes_max(descriptor, limits), SMALL_MESSAGE_BYTES_MAX), most)


def _has_content(descriptor: Descriptor, known: set[Descriptor]) -> bool:
    """Return True if a field of a message, or of messages within it, is content, a file, or bounded by the operator."""
    known.add(descriptor)
    # What a filter compares with is content only in the records that it selects.
    return not _is_within_itself(descriptor) and any(
        _policy(field).content
        or _policy(field).limit
        or field.type == FieldDescriptor.TYPE_BYTES
        or (
            field.message_type is not None
            and field.message_type not in known
            and _has_content(field.message_type, known)
        )
        for field in descriptor.fields
    )


def _bytes_max(descriptor: Descriptor, limits: Limits) -> int:
    if descriptor.full_name in _JSON:
        return JSON_MESSAGE_BYTES_DEFAULT
    if _is_within_itself(descriptor):
        return RECURSIVE_MESSAGE_BYTES_MAX
    return sum(_field_bytes_max(field, limits) for field in descriptor.fields)


def _field_bytes_max(field: FieldDescriptor, limits: Limits) -> int:
    policy = _policy(field)
    items_max = (policy.items_max or ITEMS_DEFAULT_MAX) if field.is_repeated else 1
    bytes_max = policy.bytes_max or (getattr(limits, policy.limit) if policy.limit else 0)
    if field.message_type is not None:
        # Sizes of JSON are those of its text, which is smaller than a message.
        json_bytes_max = (policy.total_bytes_max or items_max * bytes_max) * MESSAGE_BYTES_OF_JSON_MAX
        return json_bytes_max or items_max * _bytes_max(field.message_type, limits)
    if not bytes_max and field.type == FieldDescriptor.TYPE_BYTES:
        return MESSAGE_BYTES_MAX
    if field.type not in _TEXTS:
        return items_max * _NUMBER_BYTES_MAX
    default = ITEM_BYTES_DEFAULT if field.is_repeated else TOKEN_BYTES_MAX
    return (policy.total_bytes_max or items_max * (bytes_max or default)) + items_max * _OVERHEAD_BYTES


def _is_within_itself(descriptor: Descriptor) -> bool:
    """Return True if messages of the type can have others of their type in them, as filters have."""
    return any(field.message_type is descriptor for field in descriptor.fields)


def _policy(field: FieldDescriptor) -> FieldPolicy:
    policy: FieldPolicy = field.GetOptions().Extensions[field_policy]  # type: ignore[index]
    return policy
