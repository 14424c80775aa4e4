"""Requests that are as dear as a method's limits allow, made by reflection of every field, in protobuf's encoding."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from tests.integration.sample import fill

from memoryd.v1.field_policy_pb2 import FieldPolicy, field_policy
from memoryd_server.domain.limit import Limits
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
            if _may_be_json(field):
                yield from ((how, _tagged(tag, text)) for how, text in _json_texts(_text_bytes_max(field, room - 16)))
        if field.is_repeated:
            each = tag + b"\1a"
            yield "many", each * (room // len(each))
            yield "counted", each * elements
    elif field.is_repeated:
        yield "packed", _tagged(tag, b"\1" * (room // 8 * 8 - 16))
        yield "many", (varint_tag(field.number) + b"\1") * (room // 3)


def _may_be_json(field: FieldDescriptor) -> bool:
    """Return True for a text that is content: whatever a client stores, JSON included."""
    policy = _policy(field)
    return policy.content or bool(policy.limit)


def _text_bytes_max(field: FieldDescriptor, room: int) -> int:
    """Return the size of the largest text that a field accepts, or of that for which there is room."""
    policy = _policy(field)
    bytes_max = getattr(Limits(), policy.limit) if policy.limit else policy.bytes_max
    return min(bytes_max or room, room)


def _policy(field: FieldDescriptor) -> FieldPolicy:
    policy: FieldPolicy = field.GetOptions().Extensions[field_policy]  # type: ignore[index]
    return policy


def _json_texts(size: int) -> Iterator[tuple[str, bytes]]:
    """Yield JSON texts of a size that are dear to build, of each kind of value."""
    kinds = {"objects": b"{}", "lists": b"[]", "deep lists": b"[" * 64 + b"]" * 64, "numbers": b"1", "floats": b"1.1e1"}
    for how, each in kinds.items():
        yield f"JSON of {how}", b"[" + b",".join([each] * ((size - 2) // (len(each) + 1))) + b"]"
    keys = b",".join(b'"%06x":{}' % number for number in range((size - 2) // 12))
    yield "JSON of keys", b"{" + keys + b"}"
    for name in (b"data", b"matches"):
        items = b",".join([b'{"id":1,"name":"a"}'] * ((size - 32) // 20))
        yield f"JSON of {name.decode()}", b'{"%s":[%s]}' % (name, items)
    yield "JSON of escapes", b'"' + b"\\u0041" * ((size - 2) // 6) + b'"'
    yield "JSON of an id", b'{"id":"%s","name":{}}' % (b"\\u0041" * ((size - 32) // 6))


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
