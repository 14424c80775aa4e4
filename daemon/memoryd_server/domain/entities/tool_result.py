"""The part of a tool's result that entities are extracted from.

A result may be a megabyte of JSON, of which a few fields are read. To build all of it would hold the event loop.
"""

from typing import Any

import msgspec

from memoryd_server.domain import validation
from memoryd_server.domain.limit import EXTRACTED_ITEMS_MAX, EXTRACTED_MATCHES_MAX

_SPACES = " \t\n\r"
_Text = str | msgspec.Raw
_Part = msgspec.Raw | msgspec.UnsetType


class _Item(msgspec.Struct):
    """The fields of an object that may describe an entity, each as its JSON text."""

    id: _Part = msgspec.UNSET
    type: _Part = msgspec.UNSET
    name: _Part = msgspec.UNSET
    title: _Part = msgspec.UNSET
    slug: _Part = msgspec.UNSET
    key: _Part = msgspec.UNSET
    sectionName: _Part = msgspec.UNSET  # noqa: N815 - named by the tools
    sectionKey: _Part = msgspec.UNSET  # noqa: N815


class _Result(_Item):
    """An object that is a result: it may have lists of entities as well."""

    matches: _Part = msgspec.UNSET
    data: _Part = msgspec.UNSET


def _first(count: int) -> type[msgspec.Struct]:
    """Return the type of a list of which all but the first elements are skipped."""
    fields = [(f"item_{number}", _Part, msgspec.UNSET) for number in range(count)]
    return msgspec.defstruct("First", fields, array_like=True)


_items = msgspec.json.Decoder(_first(EXTRACTED_ITEMS_MAX))
_matches = msgspec.json.Decoder(_first(EXTRACTED_MATCHES_MAX))
_LISTS = {"matches": _matches, "data": _items}
_item = msgspec.json.Decoder(_Item)
_result = msgspec.json.Decoder(_Result)
_value: msgspec.json.Decoder[Any] = msgspec.json.Decoder()


def read_tool_result(field: str, text: str) -> Any:
    """Return the value of a JSON text, without what ``extract_entities`` does not read. Raises InvalidField.

    An object has only the fields that are read, and a list only its first elements. Where a text or a number is read, a
    list or an object is returned as an empty list: only its presence matters.
    """
    kind = text.lstrip(_SPACES)[:1]
    if kind == "[":
        return _list_of(field, text, _items)
    if kind == "{":
        result = _object_of(field, text, _result)
        for name, decoder in _LISTS.items():
            if name in result:
                result[name] = _list_of(field, result[name], decoder) if _begin_of(result[name]) == b"[" else None
        return result
    validation.json_text(field, text)
    return None


def _list_of(field: str, text: _Text, decoder: msgspec.json.Decoder[Any]) -> list[Any]:
    parts = msgspec.structs.astuple(validation.decoded(decoder, field, text))
    found = [part for part in parts if part is not msgspec.UNSET]
    return [_object_of(field, part, _item) if _begin_of(part) == b"{" else None for part in found]


def _object_of(field: str, text: _Text, decoder: msgspec.json.Decoder[Any]) -> dict[str, Any]:
    parts = msgspec.structs.asdict(validation.decoded(decoder, field, text))
    found = {name: part for name, part in parts.items() if part is not msgspec.UNSET}
    return {name: part if name in _LISTS else _scalar_of(field, part) for name, part in found.items()}


def _scalar_of(field: str, part: msgspec.Raw) -> Any:
    return [] if _begin_of(part) in (b"[", b"{") else validation.decoded(_value, field, part)


def _begin_of(part: msgspec.Raw) -> bytes:
    """Return the first character of a JSON text within another one, which has no spaces around it."""
    return bytes(memoryview(part)[:1])
