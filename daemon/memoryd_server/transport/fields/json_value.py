"""JSON values, between text and protobuf's well-known types."""

import json
from typing import Any

from google.protobuf import json_format, struct_pb2
from google.protobuf.message import Message

from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.validation import size_bytes

_EXACT_INTEGER_MAX = 2**53


_MESSAGE_BYTES_OF_JSON_MAX = 6
"""A message takes at most so many bytes for each byte of its JSON text: 11 for a number in a list, such as ``1,``."""


def json_text_of(message: struct_pb2.Value | struct_pb2.Struct, field: str, bytes_max: int | None = None) -> str:
    """The message as JSON text of at most so many bytes. Raises InvalidField."""
    refusal = InvalidField(field, f"must be at most {bytes_max} bytes as JSON")
    # Told before it is converted, which takes long where it is far too large.
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


def _with_integers(plain: Any) -> Any:
    """A google.protobuf.Value has doubles only; whoever typed 1 gets 1 back, not 1.0."""
    if isinstance(plain, float) and plain.is_integer() and abs(plain) <= _EXACT_INTEGER_MAX:
        return int(plain)
    if isinstance(plain, list):
        return [_with_integers(each) for each in plain]
    if isinstance(plain, dict):
        return {key: _with_integers(each) for key, each in plain.items()}
    return plain


def write_json(text: str, message: Message) -> None:
    """Put JSON text into a Struct, or whichever of the types it fits."""
    json_format.ParseDict(json.loads(text), message)
