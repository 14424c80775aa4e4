"""The size of records in responses, which pages and streams are bounded by."""

from typing import Protocol


class Measured(Protocol):
    """A record that counts against the storage limit, perhaps with metadata as the text of a JSON object."""

    @property
    def size_bytes(self) -> int:
        """Bytes that the record counts against the storage limit."""


def response_bytes(record: Measured) -> int:
    """Return the maximum size of a record's content in a response, in bytes.

    Metadata is stored as JSON, and is a ``google.protobuf.Struct`` in a response: a list of digits is 6 times as large.
    """
    metadata_json: str = getattr(record, "metadata_json", "")
    return record.size_bytes + (struct_growth(metadata_json) if metadata_json else 0)


def struct_growth(metadata_json: str) -> int:
    """Return the maximum number of bytes by which the Struct of a JSON object is larger than the object's text."""
    # Every value but the first of its list or object follows a comma, and a first one follows a bracket.
    values = metadata_json.count(",") + metadata_json.count("[") + metadata_json.count("{")
    return values * _VALUE_GROWTH_BYTES


_VALUE_GROWTH_BYTES = 16
"""A number is 9 bytes instead of at least 1. A list is two messages, with tags and lengths, instead of two brackets. A
field of an object is a message, with the tags of its key and value."""

RESPONSE_GROWTH_MAX = 1 + _VALUE_GROWTH_BYTES
"""Maximum number of a response's bytes per byte of a record's size: metadata may be nothing but commas and brackets."""
