"""What the client answers as JSON, for scripts."""

import dataclasses
from typing import Any

import msgspec

from memoryd_server.ops.cli.terminal.phrase import one_line


def to_json(answer: Any) -> bytes:
    """The answer as a JSON object on one line.

    Its names are those of the contract, times are RFC 3339; a value is embedded as ``value``, digit for digit as it was
    written.
    """
    return msgspec.json.encode(_plain(answer))


def _plain(answer: Any) -> Any:
    if not dataclasses.is_dataclass(answer) or isinstance(answer, type):
        return answer
    fields = {field.name: _plain(getattr(answer, field.name)) for field in dataclasses.fields(answer)}
    if "value_json" not in fields:
        return fields
    # In the place of the text, so that the key comes first and the value second.
    return {
        "value" if name == "value_json" else name: _raw(field) if name == "value_json" else field
        for name, field in fields.items()
    }


def _raw(value_json: str) -> msgspec.Raw:
    return msgspec.Raw(one_line(value_json).encode())
