"""JSON values, between text and protobuf's well-known types."""

import json
from typing import Any

from google.protobuf import struct_pb2

from memoryd_server.domain import limit
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.validation import size_bytes
from memoryd_server.transport.limit import MESSAGE_BYTES_OF_JSON_MAX

_EXACT_INTEGER_MAX = 2**53


def json_text_of(message: struct_pb2.Value | struct_pb2.Struct, field: str, bytes_max: int | None = None) -> str:
    """Return the message as JSON text of at most ``bytes_max`` bytes. Raises InvalidField."""
    refusal = InvalidField(field, f"must be at most {bytes_max} bytes as JSON")
    # Check before the conversion, which takes long for a message that is far too large.
    if bytes_max is not None and message.ByteSize() > bytes_max * MESSAGE_BYTES_OF_JSON_MAX:
        raise refusal
    try:
        plain = _object_of(message) if isinstance(message, struct_pb2.Struct) else _plain_of(message)
        text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise InvalidField(field, "must be JSON: its numbers must be finite") from None
    if bytes_max is not None and size_bytes(text) > bytes_max:
        raise refusal
    return text


def metadata_json_of(message: struct_pb2.Struct, field: str) -> str:
    """Return the metadata of a record as JSON text, empty for none. Raises InvalidField."""
    return json_text_of(message, field, limit.METADATA_BYTES_MAX) if message.fields else ""


def write_json(text: str, message: struct_pb2.Struct) -> None:
    """Decode the JSON text of an object into a Struct."""
    for key, value in json.loads(text).items():
        _write(value, message.fields[key])


# What google.protobuf.json_format does for any message takes three to five times as long, on the event loop.


def _object_of(message: struct_pb2.Struct) -> dict[str, Any]:
    return {key: _plain_of(value) for key, value in message.fields.items()}


def _plain_of(message: struct_pb2.Value) -> Any:
    """Return a JSON value, None if nothing is set. In google.protobuf.Value, 1 and 1.0 are the same double."""
    match message.WhichOneof("kind"):
        case "number_value":
            number = message.number_value
            return int(number) if number.is_integer() and abs(number) <= _EXACT_INTEGER_MAX else number
        case "string_value":
            return message.string_value
        case "bool_value":
            return message.bool_value
        case "list_value":
            return [_plain_of(each) for each in message.list_value.values]
        case "struct_value":
            return _object_of(message.struct_value)
    return None


def _write(plain: Any, message: struct_pb2.Value) -> None:
    match plain:
        case None:
            message.null_value = struct_pb2.NULL_VALUE
        case bool():
            message.bool_value = plain
        case int() | float():
            message.number_value = plain
        case str():
            message.string_value = plain
        case list():
            message.list_value.SetInParent()
            values = message.list_value.values
            for each in plain:
                _write(each, values.add())
        case _:
            message.struct_value.SetInParent()
            fields = message.struct_value.fields
            for key, each in plain.items():
                _write(each, fields[key])
