"""Validation of input. Each function returns the value to store, or raises InvalidField with the field's name."""

import enum
import unicodedata
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from memoryd_server.domain import limit
from memoryd_server.domain.error import InvalidField, TooLarge

T = TypeVar("T")
Known = TypeVar("Known", bound=enum.IntEnum)

# Characters that end a line or control a terminal: Unicode's separators of lines and of paragraphs are the last two.
_CONTROLS = frozenset(("Cc", "Zl", "Zp"))

_json_decoder = msgspec.json.Decoder(msgspec.Raw)


def agent_id(value: str, field: str = "agent_id") -> str:
    """Validate an agent's id: without ``*``, by which patterns name several agents."""
    # The common case of ``text`` once more, since every call about an agent passes here.
    # The size comes first, here and below: whatever else is checked takes time for each character.
    is_plain = len(value) <= limit.AGENT_ID_BYTES_MAX and value.isascii() and value.isprintable() and "*" not in value
    if is_plain and value.strip():
        return value
    if "*" in text(field, value, limit.AGENT_ID_BYTES_MAX):
        raise InvalidField(field, "must not have *, which stands for several agents in patterns")
    return value


def key(value: str, field: str = "key") -> str:
    """Validate an entry's key."""
    return text(field, value, limit.KEY_BYTES_MAX)


def keys(values: Sequence[str], field: str = "keys") -> Sequence[str]:
    """Validate the keys of entries."""
    # The common case of ``text``, in one pass: all keys are printable ASCII, none is too long, and none is blank.
    together = "".join(values)
    if together.isascii() and together.isprintable() and all(map(str.strip, values)):
        longest = max(map(len, values), default=0)
        if longest <= limit.KEY_BYTES_MAX:
            return values
    return [key(each, field) for each in values]


def text(field: str, value: str, bytes_max: int) -> str:
    """Validate a name: not blank, without control characters, at most ``bytes_max`` bytes."""
    # The common case first: no scan of character categories for printable ASCII.
    if len(value) <= bytes_max and value.isascii() and value.isprintable() and not (value.isspace() or not value):
        return value
    if not value:
        raise InvalidField(field, "must not be empty")
    if len(value) <= bytes_max and _is_blank(value):
        raise InvalidField(field, "must not be blank")
    return optional_text(field, value, bytes_max)


def optional_text(field: str, value: str, bytes_max: int) -> str:
    """Validate a name that may be empty."""
    if not value:
        return value
    # The size first: the categories of a million characters take a tenth of a second.
    if len(value) > bytes_max or (not value.isascii() and len(value.encode()) > bytes_max):
        raise InvalidField(field, f"must be at most {bytes_max} bytes")
    if not value.isprintable() and any(unicodedata.category(each) in _CONTROLS for each in value):
        raise InvalidField(field, "must not have control characters")
    return value


def content(field: str, value: str, limit_name: str, bytes_max: int) -> str:
    """Validate the content of a record, which may have many lines: not blank. Raises TooLarge with the limit's name."""
    if size_bytes(value) > bytes_max:
        raise TooLarge(limit_name, bytes_max)
    if not value or value.isspace():
        raise InvalidField(field, "must not be blank" if value else "must not be empty")
    return value


def _is_blank(value: str) -> bool:
    """Return whether a text has nothing to see: white space, and what Unicode calls format characters."""
    if value.isprintable():
        return value.isspace()
    return all(each.isspace() or unicodedata.category(each) == "Cf" for each in value)


def json_text(field: str, value: str) -> str:
    """Validate one JSON value (RFC 8259), and return its text unchanged."""
    decoded(_json_decoder, field, value)
    return value


def decoded(decoder: msgspec.json.Decoder[T], field: str, value: str | msgspec.Raw) -> T:
    """Validate one JSON value (RFC 8259), and return what the decoder makes of it."""
    try:
        return decoder.decode(value)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise InvalidField(field, f"must be JSON: {_fault_in(value, error)}") from None
    except RecursionError:
        raise InvalidField(field, "must be JSON that is nested less deeply") from None


def _fault_in(value: str | msgspec.Raw, error: Exception) -> str:
    # msgspec says that the input is truncated for "nan" and for the escape of half a character, too.
    if str(error) != "Input data was truncated":
        return str(error)
    return "it ends too early, or has a word or an escape that JSON does not know" if value else "it is empty"


def importance(field: str, value: float) -> float:
    """Validate an importance, from 0 to 1."""
    if not 0.0 <= value <= 1.0:
        raise InvalidField(field, "must be from 0 to 1")
    return value


def tags(field: str, values: Sequence[str]) -> tuple[str, ...]:
    """Validate tags, and return them in their order without repeats."""
    return names(field, values, limit.TAGS_MAX, limit.TAG_BYTES_MAX)


def names(field: str, values: Sequence[str], most: int, bytes_max: int) -> tuple[str, ...]:
    """Validate at most ``most`` names of at most ``bytes_max`` bytes, and return them in order without repeats."""
    kept = distinct(field, values)
    if len(kept) > most:
        raise InvalidField(field, f"must be at most {most}")
    return tuple(text(field, each, bytes_max) for each in kept)


def distinct(field: str, values: Sequence[T]) -> list[T]:
    """Return the values in their order without repeats. There must not be millions of them: that would take long."""
    if len(values) > limit.REPEATS_MAX:
        raise InvalidField(field, f"must be at most {limit.REPEATS_MAX}, repeats included")
    return list(dict.fromkeys(values))


def known(field: str, number: int, kind: type[Known]) -> Known:
    """Validate a number of an enum, and return the member."""
    try:
        return kind(number)
    except ValueError:
        raise InvalidField(field, "must be a known value") from None


def all_known(field: str, numbers: Sequence[int], kind: type[Known]) -> frozenset[Known]:
    """Validate numbers of an enum, and return the members."""
    return frozenset(known(field, each, kind) for each in distinct(field, numbers))


def within(field: str, value: int, least: int, most: int, unit: str = "") -> int:
    """Validate a number from ``least`` to ``most``, both included."""
    if not least <= value <= most:
        raise InvalidField(field, f"must be from {least} to {most}{unit}")
    return value


def entry_size(key: str, value_json: str, texts: tuple[str, ...], limits: limit.Limits) -> int:
    """Return what an entry counts against the storage limit, in bytes: its key, its value and its other texts.

    Raises TooLarge when its value is too large.
    """
    value_bytes = len(value_json) if value_json.isascii() else size_bytes(value_json)
    if value_bytes > limits.entry_bytes:
        raise TooLarge("entry_bytes", limits.entry_bytes)
    size = value_bytes + (len(key) if key.isascii() else size_bytes(key))
    if any(texts):
        size += sum(map(size_bytes, texts))
    return size


def size_bytes(value: str) -> int:
    """Return the length of a text in bytes of UTF-8."""
    return len(value) if value.isascii() else len(value.encode())
