"""The form that the value of an attribute must have, so that "my boss is tall" names no boss."""

import re
from collections.abc import Sequence

from memoryd_server.domain.memories.kinship.language import Language

_DIGIT = re.compile(r"\d")
_TIMES = frozenset({"birthday", "due", "time", "end"})
_AMOUNTS = frozenset(
    {
        "age",
        "price",
        "income",
        "budget",
        "height",
        "weight",
        "shoe size",
        "limit",
        "measure",
        "port",
        "room",
        "seat",
        "flight number",
        "version",
        "phone",
        "postcode",
    }
)
_NAMES = frozenset(
    {"boss", "leader", "doctor", "spouse", "fiancé", "partner", "owner", "contact", "employer", "origin"}
)
_MARKED = {"email": "@", "url": "."}


def is_of_kind(attribute: str, value: Sequence[str], names: frozenset[str], language: Language) -> bool:
    """Return True if a value has the form that the attribute's values have. ``names`` are the capitalised words."""
    if not value:
        return False
    if attribute in _TIMES:
        return any(_DIGIT.search(word) or word in language.moment_words for word in value)
    if attribute in _AMOUNTS:
        return any(_DIGIT.search(word) for word in value)
    if attribute in _NAMES:
        return value[0] in names
    if attribute == "car":
        return len(value) > 1 and value[0] in language.indefinite and value[1] in names
    if attribute == "job":
        return value[0] in language.indefinite or language.class_of(value) is not None
    if attribute == "status":
        return language.class_of(value) is not None
    mark = _MARKED.get(attribute)
    return mark is None or any(mark in word for word in value)
