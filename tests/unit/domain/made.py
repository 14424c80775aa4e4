"""Structs whose every field has a value, made of the types of their fields."""

import enum
import types
import typing
from typing import Any

import msgspec


def two_values(annotation: Any) -> tuple[Any, Any]:
    """Two different values of a field's type."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return two_values(next(each for each in arguments if each is not type(None)))
    if origin is tuple:
        one, other = two_values(arguments[0])
        return (one,), (other,)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        first, second, *_ = annotation
        return first, second
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return made(annotation, 0), made(annotation, 1)
    known = {str: ("one", "other"), int: (1, 2), float: (0.25, 0.75), bool: (False, True), bytes: (b"1", b"2")}
    return known[annotation]  # type: ignore[return-value]


def fields_of(struct: type[Any]) -> dict[str, Any]:
    """The fields of a struct with their types."""
    hints = typing.get_type_hints(struct)
    return {name: hints[name] for name in struct.__struct_fields__}


def made(struct: type[Any], which: int) -> Any:
    """A struct of first or of second values."""
    return struct(**{name: two_values(annotation)[which] for name, annotation in fields_of(struct).items()})
