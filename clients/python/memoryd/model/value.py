"""Encoding of Python values as JSON text, and decoding."""

import json
from typing import Any, TypeVar

from memoryd.errors import UnsupportedValue, WrongType
from memoryd.model.typed_value import fault_in, name_of, plain, typed

T = TypeVar("T")


class Json(str):
    """JSON text that is stored byte for byte: spaces, the order of keys and the digits of numbers are preserved."""

    __slots__ = ()


def encode(value: Any) -> str:
    """Return the value as compact JSON text. A Json is returned as it is; the daemon checks it.

    As in the json module, a tuple becomes a list and the keys of a dict become strings. A dataclass, an attrs class or
    a pydantic model becomes an object, a set a list, an enum its value, a date, UUID or Decimal a string, bytes base64.
    Raises UnsupportedValue for a value that JSON in UTF-8 cannot represent, which includes NaN, infinity and lone
    surrogates.
    """
    try:
        if isinstance(value, Json):
            text = str(value)
        else:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=plain)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        reason = fault_in(value) or error
        raise UnsupportedValue(f"a value of type {type(value).__name__} cannot be written as JSON: {reason}") from error
    return text


def decode(text: str) -> Any:
    """Return the value of JSON text from the server, which has checked it."""
    return json.loads(text)


def checked(value: Any, expected: type[T], key: str) -> T:
    """Return the value as one of the expected type. Raises WrongType if it is none.

    An int is converted where a float is expected, since JSON has one kind of number; a bool is never a number. A type
    that JSON does not know is made of what ``encode`` makes of its values.
    """
    if expected in _OWN_TYPES:
        if expected is float and type(value) is int:
            value = float(value)
        number_expected: bool = expected in (int, float)
        if not isinstance(value, expected) or (isinstance(value, bool) and number_expected):
            raise WrongType(key, expected.__name__, type(value).__name__)
        return value
    try:
        converted: T = typed(value, expected)
    except (TypeError, ValueError) as error:
        raise WrongType(key, name_of(expected), type(value).__name__, str(error)) from error
    return converted


def as_read(value: Any, expected: type[Any] | None, key: str) -> Any:
    """Return a value that was written as a read of it does. Raises WrongType."""
    read = decode(encode(value))
    return read if expected is None else checked(read, expected, key)


_OWN_TYPES = (dict, list, str, int, float, bool, type(None), object)
