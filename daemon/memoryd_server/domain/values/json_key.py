"""JSON values as hashable keys: two values have one key if and only if JSON says that they are equal."""

from typing import Any

import msgspec

JsonKey = str | float
"""A number is a float; any other value a text whose first character is that of its type, so that no two types meet."""

TEXT_SIGN = '"'
"""The first character of the key of a text; the text itself follows."""


def json_key_of(value: Any) -> JsonKey:
    """Return the key of a JSON value: numbers as IEEE doubles, objects whatever the order of their keys."""
    if isinstance(value, str):
        return TEXT_SIGN + value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _double(value)
    if value is None:
        return "null"
    return msgspec.json.encode(_with_doubles(value), order="sorted").decode()


def _double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _with_doubles(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _double(value)
    if isinstance(value, list):
        return [_with_doubles(each) for each in value]
    if isinstance(value, dict):
        return {key: _with_doubles(each) for key, each in value.items()}
    return value
