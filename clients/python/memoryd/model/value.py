"""Encoding of Python values as JSON text, and decoding."""

import json
from typing import Any, TypeVar

from memoryd.errors import UnsupportedValue, WrongType

T = TypeVar("T")


class Json(str):
    """JSON text that is stored byte for byte: spaces, the order of keys and the digits of numbers are preserved."""

    __slots__ = ()


def encode(value: Any) -> str:
    """Return the value as compact JSON text. A Json is returned as it is; the daemon checks it.

    As in the json module, a tuple becomes a list and the keys of a dict become strings. Raises UnsupportedValue for
    a value that JSON in UTF-8 cannot represent, which includes NaN, infinity and lone surrogates.
    """
    try:
        if isinstance(value, Json):
            text = str(value)
        else:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise UnsupportedValue(f"a value of type {type(value).__name__} cannot be written as JSON: {error}") from error
    return text


def decode(text: str) -> Any:
    """Return the value of JSON text from the server, which has checked it."""
    return json.loads(text)


def checked(value: Any, expected: type[T], key: str) -> T:
    """Return the value if it is of the expected type, else raise WrongType.

    An int is converted where a float is expected, since JSON has one kind of number; a bool is never a number.
    """
    if expected is float and type(value) is int:
        value = float(value)
    number_expected: bool = expected in (int, float)
    if not isinstance(value, expected) or (isinstance(value, bool) and number_expected):
        raise WrongType(key, expected.__name__, type(value).__name__)
    return value
