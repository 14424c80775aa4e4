"""JSON values, between text and protobuf's well-known types."""

import json
from typing import Any

from google.protobuf import json_format, struct_pb2
from google.protobuf.message import Message

from memoryd_server.domain import limit
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.validation import size_bytes

_EXACT_INTEGER_MAX = 2**53


_MESSAGE_BYTES_OF_JSON_MAX = 6
"""Maximum number of a message's bytes per byte of its JSON text: a number in a list, such as ``1,``, takes 11."""


def json_text_of(message: struct_pb2.Value | struct_pb2.Struct, field: str, bytes_max: int | None = None) -> str:
    """Return the message as JSON text of at most ``bytes_max`` bytes. Raises InvalidField."""
    refusal = InvalidField(field, f"must be at most {bytes_max} bytes as JSON")
    # Check before the conversion, which takes long for a message that is far too large.
    if bytes_max is not None and message.ByteSize() > bytes_max * _MESSAGE_BYTES_OF_JSON_MAX:
        raise refusal
    try:
        plain = _with_integers(json_format.MessageToDict(message))
        text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (ValueError, json_format.Error):
        raise InvalidField(field, "must be JSON: its numbers must be finite") from None
    if bytes_max is not None and size_bytes(text) > bytes_max:
        raise refusal
    return text


def metadata_json_of(message: struct_pb2.Struct, field: str) -> str:
    """Return the metadata of a record as JSON text, empty for none. Raises InvalidField."""
    return json_text_of(message, field, limit.METADATA_BYTES_MAX) if message.fields else ""


def _with_integers(plain: Any) -> Any:
    """Return the value with whole doubles as integers: in google.protobuf.Value, 1 and 1.0 are the same double."""
    if isinstance(plain, float) and plain.is_integer() and abs(plain) <= _EXACT_INTEGER_MAX:
        return int(plain)
    if isinstance(plain, list):
        return [_with_integers(each) for each in plain]
    if isinstance(plain, dict):
        return {key: _with_integers(each) for key, each in plain.items()}
    return plain


def write_json(text: str, message: Message) -> None:
    """Decode JSON text into a Struct or another of the well-known types."""
    json_format.ParseDict(json.loads(text), message)
