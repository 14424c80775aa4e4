"""The JSON schema of a tool's parameters, derived from a function's signature, and the validation of arguments."""

import inspect
import json
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

Schema = dict[str, Any]

UNKNOWN_SHOWN_MAX = 5
"""Maximum number of unknown arguments that an error names."""

_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean"}
_EXPECTED = {
    "string": "a text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
}


class BadArguments(ValueError):  # noqa: N818 - named for what they are
    """The arguments of a tool are invalid; the message explains to a model what is wrong with them."""


@dataclass(frozen=True, slots=True)
class Between:
    """The inclusive bounds of a number."""

    minimum: float
    maximum: float


def schema_of(function: Callable[..., Any]) -> Schema:
    """Return the JSON schema of a function's parameters, except the first.

    Each parameter is ``Annotated`` with its description, and a number with Between. It is a str, int, float or bool, a
    Literal of strings, or a Sequence of these. One with a default is optional.
    """
    hints = get_type_hints(function, include_extras=True)
    _, *parameters = inspect.signature(function).parameters.values()
    return {
        "type": "object",
        "properties": {each.name: _property(hints[each.name], each.default) for each in parameters},
        "required": [each.name for each in parameters if each.default is inspect.Parameter.empty],
        "additionalProperties": False,
    }


def arguments_for(schema: Schema, given: str | Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a model's arguments, which may be JSON text, as keyword arguments. Raises BadArguments.

    None and empty text mean no arguments. An optional argument that is null counts as left out.
    """
    arguments = _parsed(given) if isinstance(given, str) else dict(given or {})
    properties: dict[str, Schema] = schema["properties"]
    unknown = [name for name in arguments if name not in properties]
    wrong = [f"there is no argument {reprlib.repr(name)}" for name in unknown[:UNKNOWN_SHOWN_MAX]]
    if more := len(unknown) - len(wrong):
        wrong.append(f"nor {more} others of those that were given")
    taken: dict[str, Any] = {}
    for name, described in properties.items():
        required = name in schema["required"]
        if arguments.get(name) is None and (name not in arguments or not required):
            wrong += [f"{name!r} is missing"] * required
            continue
        try:
            taken[name] = _value(described, arguments[name])
        except BadArguments as error:
            wrong.append(f"{name!r} {error}")
    if wrong:
        raise BadArguments(f"{'; '.join(wrong)}. The arguments are {_signature(schema)}.")
    return taken


def _property(hint: Any, default: Any) -> Schema:
    if NoneType in get_args(hint):
        (hint,) = (each for each in get_args(hint) if each is not NoneType)
    declared, *annotations = get_args(hint)
    schema = _type(declared)
    for each in annotations:
        if isinstance(each, Between):
            schema |= {"minimum": each.minimum, "maximum": each.maximum}
        else:
            schema["description"] = each
    if default not in (inspect.Parameter.empty, None):
        schema["default"] = list(default) if isinstance(default, tuple) else default
    return schema


def _type(declared: Any) -> Schema:
    if get_origin(declared) is Literal:
        return {"type": "string", "enum": list(get_args(declared))}
    if get_origin(declared) is Sequence:
        return {"type": "array", "items": _type(get_args(declared)[0])}
    return {"type": _NAMES[declared]}


def _parsed(text: str) -> dict[str, Any]:
    try:
        arguments = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise BadArguments(f"the arguments are not JSON: {error}") from None
    if not isinstance(arguments, dict):
        raise BadArguments("the arguments are not a JSON object")
    return arguments


def _value(schema: Schema, value: Any) -> Any:
    """Return the value converted to the parameter's type. Raises BadArguments that says what it must be."""
    match schema["type"], value:
        case "string", str():
            return _text(schema, value)
        case "boolean", bool():
            return value
        case "integer" | "number", bool():
            pass
        case "integer" | "number", int() | float():
            return _number(schema, value)
        case "array", list() | tuple():
            return [_value(schema["items"], each) for each in value]
    raise BadArguments(f"must be {_expected(schema)}, not {_shown(value)}")


def _text(schema: Schema, text: str) -> str:
    if "enum" in schema and text not in schema["enum"]:
        raise BadArguments(f"must be {_expected(schema)}, not {_shown(text)}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadArguments("contains an invalid character: a lone surrogate") from None
    return text


def _number(schema: Schema, number: float) -> float:
    whole = schema["type"] == "integer"
    fits = schema["minimum"] <= number <= schema["maximum"]
    if not fits or (whole and number != int(number)):
        raise BadArguments(f"must be {_expected(schema)}, not {_shown(number)}")
    return int(number) if whole else float(number)


def _expected(schema: Schema) -> str:
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}"
    if schema["type"] == "array":
        return f"a list, each {_expected(schema['items'])}"
    bounds = f" from {schema['minimum']} to {schema['maximum']}" if "minimum" in schema else ""
    return _EXPECTED[schema["type"]] + bounds


def _shown(value: Any) -> str:
    try:
        text = json.dumps(value, default=str)
    except (ValueError, RecursionError):
        return "a value that is too large or too deeply nested"
    return text if len(text) <= 80 else f"{text[:80]}…"


def _signature(schema: Schema) -> str:
    described = [
        f"{name} ({_expected(each)}{'' if name in schema['required'] else ', optional'})"
        for name, each in schema["properties"].items()
    ]
    return ", ".join(described) or "none"
