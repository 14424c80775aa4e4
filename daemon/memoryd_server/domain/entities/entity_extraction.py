"""Extraction of entities from the results of tools.

Results are recognised by their shape as JavaScript would test them: a field that is missing, null, false, 0 or empty
counts as absent. The fields of an entity are read more strictly, since they are stored: see ``_text``.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memoryd_server.domain import validation
from memoryd_server.domain.entities.entity import EntityDraft
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import (
    ENTITY_ID_BYTES_MAX,
    ENTITY_NAME_BYTES_MAX,
    ENTITY_SLUG_BYTES_MAX,
    ENTITY_TYPE_BYTES_MAX,
    EXTRACTED_ITEMS_MAX,
    EXTRACTED_MATCHES_MAX,
)

PREFIX_DEFAULT = "cms"
TYPE_UNKNOWN = "resource"

_NAMES = ("name", "title", "slug")
_SECTION_NAMES = ("sectionName", "sectionKey", "name", "key")
_SECTION_TYPES = ("section", "pagesection")
_KNOWN_TYPES = (
    ("section", ("section",)),
    ("page", ("page",)),
    ("collection", ("collection",)),
    ("entry", ("entry", "entries")),
    ("media", ("media",)),
)
"""Entity types with the parts of a noun that indicate them. The first match in a tool's name decides."""

_NUMBER_END = 10**ENTITY_ID_BYTES_MAX
"""The first number with more digits than fit into any field."""


def extract_entities(tool_name: str, result: Any, prefix: str = PREFIX_DEFAULT) -> list[EntityDraft]:
    """Return the entities in a tool's result, in its order. Raises nothing, whatever the result is.

    ``result`` is a JSON value: dict, list, str, int, float, bool or None. Tools named ``<prefix>_<verb><Noun>``
    indicate a type of entity by their noun.
    """
    entity_type = _type_of(tool_name, result, prefix)
    return [draft for draft in _drafts(entity_type, result) if draft is not None]


def _drafts(entity_type: str, result: Any) -> Iterator[EntityDraft | None]:
    if isinstance(result, list):
        for item in result[:EXTRACTED_ITEMS_MAX]:
            if _is_named(item, (*_NAMES, "sectionKey")):
                yield _draft(entity_type, item)
    if not isinstance(result, dict):
        return
    if _is_named(result, _NAMES):
        yield _draft(entity_type, result)
    for match in _list(result, "matches")[:EXTRACTED_MATCHES_MAX]:
        if isinstance(match, dict):
            yield _draft(_text(match.get("type"), ENTITY_TYPE_BYTES_MAX) or entity_type, match)
    for item in _list(result, "data")[:EXTRACTED_ITEMS_MAX]:
        if _is_named(item, _NAMES):
            yield _draft(entity_type, item)


def _list(result: Mapping[str, Any], field: str) -> list[Any]:
    value = result.get(field)
    return value if isinstance(value, list) else []


def _is_named(item: Any, names: tuple[str, ...]) -> bool:
    return isinstance(item, dict) and _is_there(item.get("id")) and any(_is_there(item.get(name)) for name in names)


def _is_there(value: Any) -> bool:
    """Return True if JavaScript treats the value as true, which includes an empty list or object."""
    return isinstance(value, list | dict) or bool(value)


def _type_of(tool_name: str, result: Any, prefix: str) -> str:
    said = _text(_written(result.get("type")).lower(), ENTITY_TYPE_BYTES_MAX) if isinstance(result, dict) else ""
    if said:
        return said
    verb_and_noun = rf"{re.escape(prefix)}_(?:get|find|list|create|update|delete)([A-Z]\w+)"
    found = re.search(verb_and_noun, tool_name, re.ASCII)
    if found is None:
        return TYPE_UNKNOWN
    noun = found[1].lower()
    for entity_type, parts in _KNOWN_TYPES:
        if any(part in noun for part in parts):
            return entity_type
    return _text(noun, ENTITY_TYPE_BYTES_MAX) or TYPE_UNKNOWN


def _draft(entity_type: str, said: Mapping[str, Any]) -> EntityDraft | None:
    """Return the entity that an object describes, None if it has no id."""
    entity_id = _text(said.get("id"), ENTITY_ID_BYTES_MAX)
    if not entity_id:
        return None
    is_section = entity_type in _SECTION_TYPES
    names = (_name(said.get(field)) for field in (_SECTION_NAMES if is_section else _NAMES))
    unnamed = "Unnamed Section" if is_section else f"Unnamed {entity_type}"
    return EntityDraft(
        "section" if is_section else entity_type,
        entity_id,
        next(filter(None, names), unnamed),
        _text(said.get("slug"), ENTITY_SLUG_BYTES_MAX),
    )


def _name(value: Any) -> str:
    """Return a name, cut to the maximum size; empty for a value that is neither text nor number."""
    encoded = _written(value).encode(errors="replace")
    return encoded[:ENTITY_NAME_BYTES_MAX].decode(errors="ignore")


def _text(value: Any, bytes_max: int) -> str:
    """Return a text or a number to store; empty for any other value, and for a text that is not valid."""
    try:
        return validation.text("", _written(value), bytes_max)
    except (InvalidField, UnicodeEncodeError):
        return ""


def _written(value: Any) -> str:
    """Return a text unchanged and a number as its digits, 5.0 as 5; empty for 0 and for other values."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < abs(value) < _NUMBER_END:
        return ""
    return str(int(value) if value == int(value) else value)
