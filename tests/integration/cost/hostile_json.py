"""Requests as JSON that are as dear as a method's limits allow, made by reflection of every field."""

import json
from collections.abc import Iterator
from typing import Any

from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor
from tests.integration.cost.hostile import Hostile, Path, paths_to_types
from tests.integration.sample import fill

DEPTH = 90
"""Levels of a value, of the 100 that a request may have."""
_JSON = ("google.protobuf.Value", "google.protobuf.Struct", "google.protobuf.ListValue")


def hostile_json(request_type: Any, bytes_max: int, elements_max: int) -> Iterator[Hostile]:
    """Yield requests of one type as JSON: each field that can be large or many is so, others are as small as allowed.

    The fields of the request itself, and of all messages within it.
    """
    base = request_type()
    fill(base)
    head = json_format.MessageToDict(base)
    room = bytes_max - len(json.dumps(head)) - 1_024
    for path in paths_to_types(request_type.DESCRIPTOR):
        if any(field.message_type is not None and field.message_type.GetOptions().map_entry for field in path[:-1]):
            continue
        name = ".".join(field.name for field in path)
        rest = json.dumps({key: value for key, value in head.items() if key != path[0].json_name})[1:]
        for how, value in _values(path[-1], room, elements_max - 1_024):
            start = f"{{{_within(path, value)}{', ' if rest != '}' else ''}"
            yield Hostile(f"{name} ({how})", f"{start}{rest}".encode())


def _values(field: FieldDescriptor, room: int, elements: int) -> Iterator[tuple[str, str]]:
    nested = field.message_type
    if nested is not None and nested.GetOptions().map_entry:
        yield "keys", "{" + ",".join(f'"{number}":1' for number in range(min(elements, room // 12))) + "}"
    elif nested is not None and nested.full_name in _JSON:
        yield "deep", _open(nested.name) * DEPTH + "1" + _close(nested.name) * DEPTH
        yield "keys", "{" + ",".join(f'"{number:x}":{{}}' for number in range(min(elements // 2, room // 16))) + "}"
        yield "numbers", '{"a":[' + "1e1," * (min(elements, room // 4) - 8) + "1]}"
    elif field.is_repeated:
        each = '"a"' if nested is None else "{}"
        yield "many", f"[{','.join([each] * (room // (len(each) + 1)))}]"
        yield "counted", f"[{','.join([each] * min(elements, room // (len(each) + 1)))}]"
    elif field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES):
        yield "long", f'"{"a" * (room // 4 * 4)}"'
        yield "escapes", '"' + r"\u0600" * (room // 6) + '"'
    elif nested is None and field.enum_type is None:
        yield "digits", "9" * room
        yield "fraction", "0." + "9" * room
        yield "exponent", "1e" + "9" * room


def _open(name: str) -> str:
    return "[" if name == "ListValue" else '{"a":'


def _close(name: str) -> str:
    return "]" if name == "ListValue" else "}"


def _within(path: Path, value: str) -> str:
    """Return a member of an object: the value below the fields of a path."""
    *above, last = path
    text = f'"{last.json_name}":{value}'
    for field in reversed(above):
        text = f'"{field.json_name}":[{{{text}}}]' if field.is_repeated else f'"{field.json_name}":{{{text}}}'
    return text
