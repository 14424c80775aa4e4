"""Results of the client as lines of JSON or documents of YAML, for scripts."""

import dataclasses
from typing import Any

import msgspec

from memoryd_server.ops.cli.terminal.phrase import one_line, plain


def to_json(result: Any, *, for_terminal: bool = False) -> str:
    """Return a result as a JSON object on one line.

    Its names are those of the protos, its times RFC 3339; an entry's JSON value is embedded verbatim as ``value``,
    except that control characters are escaped ``for_terminal``.
    """
    text = msgspec.json.encode(_plain(result)).decode()
    # A tab is white space between values: JSON has none in a string.
    return plain(text.replace("\t", " ")) if for_terminal else text


def to_yaml(result: Any, *, for_terminal: bool = False) -> str:
    """Return a result as a document of YAML, with the names and values of its JSON."""
    # Imported late: the other forms need none of it.
    import json

    import yaml

    text = to_json(result)
    # YAML leaves characters as they are that turn the direction of a line. It escapes all of Unicode, or little of it.
    is_verbatim = not for_terminal or to_json(result, for_terminal=True) == text
    return yaml.safe_dump(json.loads(text), explicit_start=True, sort_keys=False, allow_unicode=is_verbatim)


def _plain(result: Any) -> Any:
    from memoryd.errors import MemorydError

    if isinstance(result, MemorydError):
        return {"reason": result.reason, "message": result.message, "metadata": dict(result.metadata)}
    if not dataclasses.is_dataclass(result) or isinstance(result, type):
        return result
    fields = {field.name: _plain(getattr(result, field.name)) for field in dataclasses.fields(result)}
    if "value_json" not in fields:
        return fields
    # In the position of the text, so that the key comes first and the value second.
    return {
        "value" if name == "value_json" else name: _raw(field) if name == "value_json" else field
        for name, field in fields.items()
    }


def _raw(value_json: str) -> msgspec.Raw:
    return msgspec.Raw(one_line(value_json).encode())
