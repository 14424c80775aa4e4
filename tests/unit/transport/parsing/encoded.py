"""Parts of protobuf's encoding, made by hand."""

from memoryd_server.transport.fields.wire import bytes_tag, varint


def tagged(number: int, part: bytes) -> bytes:
    """Return a length-delimited field."""
    return bytes_tag(number) + varint(len(part)) + part
