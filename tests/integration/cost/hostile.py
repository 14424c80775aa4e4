"""Requests that are as dear as a method's limits allow, made by reflection of every field, in protobuf's encoding."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from tests.integration.sample import fill

from memoryd_server.transport.fields.wire import bytes_tag, varint, varint_tag

_TEXTS = (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)

Path = tuple[FieldDescriptor, ...]


class Hostile(NamedTuple):
    """A request, with the path of the field that makes it dear, and how."""

    path: str
    data: bytes


def hostile_requests(request_type: Any, types: set[str], bytes_max: int, elements_max: int) -> Iterator[Hostile]:
    """Yield requests of one type: each field that can be large or many is so, all others are as small as allowed.

    The fields of the request itself, and of messages within it whose type is one of ``types``.
    """
    base = request_type()
    fill(base)
    head = base.SerializeToString()
    # What encloses a part takes some bytes as well.
    room = bytes_max - len(head) - 1_024
    elements = elements_max - 1_024
    for path in paths_to_types(request_type.DESCRIPTOR):
        if len(path) > 1 and path[-1].containing_type.full_name not in types:
            continue
        name = ".".join(each.name for each in path)
        for how, part in _parts(path[-1], room, elements):
            if len(part) <= room:
                yield Hostile(f"{name} ({how})", head + _within(path[:-1], part))


def _parts(field: FieldDescriptor, room: int, elements: int) -> Iterator[tuple[str, bytes]]:
    """Yield what a field can have: as many elements as there is room for, as many as are counted, and long ones."""
    tag = bytes_tag(field.number)
    nested = field.message_type
    if nested is not None:
        each = tag + b"\0"
        yield "many", each * (room // len(each))
        yield "counted", each * elements
        if field.is_repeated and nested.full_name.startswith("memoryd."):
            yield "few", each * 1_000
        if nested.full_name in _JSON:
            yield from ((how, _tagged(tag, json)) for how, json in _JSON[nested.full_name](elements))
    elif field.type in _TEXTS:
        yield "long", _tagged(tag, b"a" * (room - 16))
        if field.type == FieldDescriptor.TYPE_STRING:
            yield "odd", _tagged(tag, "\u0600".encode() * (room // 2 - 16))
        if field.is_repeated:
            each = tag + b"\1a"
            yield "many", each * (room // len(each))
            yield "counted", each * elements
    elif field.is_repeated:
        yield "packed", _tagged(tag, b"\1" * (room // 8 * 8 - 16))
        yield "many", (varint_tag(field.number) + b"\1") * (room // 3)


def _value_json(elements: int) -> Iterator[tuple[str, bytes]]:
    number = b"\x11" + b"\0" * 8
    values = _tagged(b"\x0a", number) * (elements // 2)
    yield "numbers", _tagged(b"\x32", values)
    deep = b""
    for _ in range(48):
        deep = _tagged(b"\x32", _tagged(b"\x0a", deep))
    yield "deep", deep


def _struct_json(elements: int) -> Iterator[tuple[str, bytes]]:
    value = _tagged(b"\x12", b"\x20\1")
    yield "keys", b"".join(_tagged(b"\x0a", _tagged(b"\x0a", b"%x" % n) + value) for n in range(elements // 4))


def _list_json(elements: int) -> Iterator[tuple[str, bytes]]:
    yield "numbers", _tagged(b"\x0a", b"\x11" + b"\0" * 8) * (elements // 2)


_JSON = {
    "google.protobuf.Value": _value_json,
    "google.protobuf.Struct": _struct_json,
    "google.protobuf.ListValue": _list_json,
}


def _within(above: Path, part: bytes) -> bytes:
    for field in reversed(above):
        part = _tagged(bytes_tag(field.number), part)
    return part


def _tagged(tag: bytes, part: bytes) -> bytes:
    return tag + varint(len(part)) + part


def paths_to_types(message: Descriptor) -> list[Path]:
    """Return the paths to all fields of a request, those of messages within it included: each type of these once."""
    found, known = list[Path](), {message.full_name}

    def add(descriptor: Descriptor, above: Path) -> None:
        for field in descriptor.fields:
            found.append((*above, field))
        for field in descriptor.fields:
            nested = field.message_type
            if nested is not None and nested.file.package == "memoryd.v1" and nested.full_name not in known:
                known.add(nested.full_name)
                add(nested, (*above, field))

    add(message, ())
    return found
