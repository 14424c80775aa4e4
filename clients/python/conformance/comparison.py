"""Comparison of a message with what a scenario expects."""

import json
from typing import Any

PRESENT = "${present}"
ABSENT = "${absent}"
_MISSING = object()
"""The value of a key that a mapping does not have, which is not null."""


def difference(expected: Any, actual: Any, path: str = "") -> str | None:
    """Return the first difference as a sentence; None if there is none."""
    match expected:
        case "${present}":
            return None if _is_present(actual) else f"{path}: expected something, got {_shown(actual)}"
        case "${absent}":
            return None if actual is _MISSING else f"{path}: expected nothing, got {_shown(actual)}"
        case dict() if isinstance(actual, dict):
            items = expected.items()
            found = (difference(value, actual.get(key, _MISSING), f"{path}.{key}".lstrip(".")) for key, value in items)
            return next(filter(None, found), None)
        case list() if isinstance(actual, list):
            if len(expected) != len(actual):
                return f"{path}: expected {len(expected)} items, got {_shown(actual)}"
            pairs = enumerate(zip(expected, actual, strict=True))
            found = (difference(one, other, f"{path}.{index}".lstrip(".")) for index, (one, other) in pairs)
            return next(filter(None, found), None)
    # In Python True is 1, in JSON it is not.
    if isinstance(expected, bool) == isinstance(actual, bool) and expected == actual:
        return None
    return f"{path}: expected {_shown(expected)}, got {_shown(actual)}"


def _is_present(actual: Any) -> bool:
    # A 64-bit integer is a string in JSON.
    return actual is not _MISSING and bool(actual) and actual != "0"


def _shown(value: Any) -> str:
    return "nothing" if value is _MISSING else json.dumps(value, ensure_ascii=False)
