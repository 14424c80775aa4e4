"""Python values as JSON text, and back."""

import json
from typing import Any, TypeVar

from memoryd.errors import UnsupportedValue, WrongType

T = TypeVar("T")


class Json(str):
    """JSON text that is stored byte for byte: its spaces, the order of its keys and the digits of its numbers stay."""

    __slots__ = ()


def encode(value: Any) -> str:
    """Answer the value as compact JSON text, or a Json as it is; the daemon checks that.

    As in the json module, a tuple becomes a list and the keys of a dict become strings. Raises UnsupportedValue for
    what JSON in UTF-8 cannot hold: not-a-number, infinity, and halves of surrogate pairs included.
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
    """Answer the value of JSON text that the server has checked."""
    return json.loads(text)


def checked(value: Any, expected: type[T], key: str) -> T:
    """Answer the value when it is of the expected type, else raise WrongType.

    An integer is also a float, as JSON has but one kind of number; a bool is never a number.
    """
    if expected is float and type(value) is int:
        value = float(value)
    number_wanted: bool = expected in (int, float)
    if not isinstance(value, expected) or (isinstance(value, bool) and number_wanted):
        raise WrongType(key, expected.__name__, type(value).__name__)
    return value
