"""Python values beyond JSON's own types: their conversion to those, and back by the type that a reader names."""

import dataclasses
import enum
import importlib
import json
import math
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.inspect import CustomType, type_info

T = TypeVar("T")

_KEYS = (str, int, float, bool, type(None))


class _Codec(NamedTuple):
    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


_codecs: dict[type, _Codec] = {}


def register_type(cls: type[T], *, encode: Callable[[T], Any], decode: Callable[[Any], T]) -> None:
    """Have all clients of this process write values of a class, and its subclasses, and read them with ``type=cls``.

    ``encode`` returns what is written: a value that can be written itself. ``decode`` receives what was read, and
    raises ValueError or TypeError for what is none. Dataclasses, named tuples, TypedDicts, attrs classes, pydantic
    models, enums, sets, bytes, Decimal, UUID and dates need no registration: they are refused with TypeError.
    """
    if _is_pydantic(cls) or not isinstance(type_info(cls), CustomType):
        raise TypeError(f"{cls.__name__} is converted already: register only classes that are not")
    _codecs[cls] = _Codec(encode, decode)


def plain(value: Any) -> Any:
    """Return a value that JSON does not know as one that is nearer to JSON. Raises TypeError if there is none."""
    cls: Any = type(value)
    if (codec := _codec_of(cls)) is not None:
        return codec.encode(value)
    if _is_pydantic(cls):
        return _adapter_of(cls).dump_python(value, mode="json")
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.asdict(value)
    if hasattr(cls, "__attrs_attrs__"):
        return {field.name: getattr(value, field.name) for field in cls.__attrs_attrs__}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, set | frozenset | deque):
        return list(value)
    return msgspec.to_builtins(value)


def typed(value: Any, expected: Any) -> Any:
    """Return a JSON value as one of a type. Raises ValueError or TypeError, which says where the value does not fit."""
    if isinstance(expected, type) and ((codec := _codecs.get(expected)) is not None or _is_pydantic(expected)):
        return codec.decode(value) if codec is not None else _custom(expected, value)
    try:
        return msgspec.convert(value, expected, dec_hook=_custom)
    except msgspec.ValidationError as error:
        # msgspec 0.21 made it a ValueError.
        raise ValueError(str(error)) from error


def fault_in(value: Any) -> str:
    """Return what JSON cannot represent in a value, and where; empty if it is nowhere to be found."""
    with suppress(RecursionError):
        return _fault(value, "$")
    return ""


def name_of(expected: Any) -> str:
    """Return the name of a type for people."""
    return str(expected.__name__) if type(expected) is type else str(expected)


def _custom(expected: Any, value: Any) -> Any:
    if (codec := _codecs.get(expected)) is not None:
        return codec.decode(value)
    if _is_pydantic(expected):
        # As JSON text, a strict model takes texts as times.
        return _adapter_of(expected).validate_json(json.dumps(value))
    if isinstance(value, expected):
        return value
    raise TypeError(f"Expected `{name_of(expected)}`, got `{type(value).__name__}`")


def _codec_of(cls: type) -> _Codec | None:
    return next((_codecs[base] for base in cls.__mro__ if base in _codecs), None) if _codecs else None


def _is_pydantic(cls: Any) -> bool:
    return hasattr(cls, "__pydantic_validator__")


@lru_cache(maxsize=256)
def _adapter_of(cls: Hashable) -> Any:
    # Not a dependency: it is there, since the class is made of it.
    return importlib.import_module("pydantic").TypeAdapter(cls)


def _fault(value: Any, path: str) -> str:
    match value:
        case None | bool() | int():
            return ""
        case str():
            return "" if _is_utf_8(value) else f"at {path} there is a lone surrogate"
        case float():
            return "" if math.isfinite(value) else f"at {path} there is {value}"
        case dict():
            return _first(_fault_of_key(key, path) or _fault(item, f"{path}.{key}") for key, item in value.items())
        case list() | tuple():
            return _first(_fault(item, f"{path}[{index}]") for index, item in enumerate(value))
    try:
        nearer = plain(value)
    except (TypeError, ValueError):
        return f"at {path} there is a value of type {name_of(type(value))}: convert it, or see memoryd.register_type"
    return _fault(nearer, path)


def _fault_of_key(key: Any, path: str) -> str:
    if not isinstance(key, _KEYS):
        return f"at {path} there is a key of type {name_of(type(key))}"
    return "" if _is_utf_8(str(key)) else f"at {path} there is a lone surrogate in a key"


def _first(faults: Iterable[str]) -> str:
    return next(filter(None, faults), "")


def _is_utf_8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
