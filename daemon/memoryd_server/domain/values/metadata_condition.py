"""Conditions on one value of a record's metadata."""

from typing import Any

import msgspec

from memoryd_server.domain.values.json_key import TEXT_SIGN, JsonKey, json_key_of

Path = tuple[str, ...]
"""The keys that lead to a value, from the outermost to its own."""

MISSING: Any = object()
"""Stands for a value that the metadata does not have."""

_decode = msgspec.json.Decoder().decode


class MetadataRange(msgspec.Struct, frozen=True):
    """A range of numbers or of texts. A bound is a float or a str, None for none; both are of one type."""

    start: float | str | None = None
    end: float | str | None = None
    has_start: bool = True
    has_end: bool = True
    """If ``has_start`` or ``has_end`` is true, that bound itself is within the range."""

    def has(self, key: JsonKey) -> bool:
        """Return True if the value with this key is within the range."""
        bound = self.end if self.start is None else self.start
        if isinstance(bound, str):
            if not isinstance(key, str) or not key.startswith(TEXT_SIGN):
                return False
            key = key[1:]
        elif isinstance(key, str):
            return False
        return self._is_after_start(key) and self._is_before_end(key)

    def _is_after_start(self, value: Any) -> bool:
        if self.start is None:
            return True
        return bool(value >= self.start if self.has_start else value > self.start)

    def _is_before_end(self, value: Any) -> bool:
        if self.end is None:
            return True
        return bool(value <= self.end if self.has_end else value < self.end)


class MetadataCondition(msgspec.Struct, frozen=True):
    """A condition on the value at a path. Exactly one of the other fields is set.

    ``equals`` has the keys of the values of which the value must equal one; ``contains`` is the key of a value that
    must be an element of the list; ``exists`` says whether there must be a value.
    """

    path: Path
    equals: frozenset[JsonKey] = frozenset()
    contains: JsonKey | None = None
    exists: bool | None = None
    range: MetadataRange | None = None

    def keeps(self, metadata: Any) -> bool:
        """Return True if decoded metadata meet the condition."""
        value = value_at(metadata, self.path)
        if self.exists is not None:
            return (value is not MISSING) is self.exists
        if value is MISSING:
            return False
        if self.contains is not None:
            return isinstance(value, list) and any(json_key_of(each) == self.contains for each in value)
        key = json_key_of(value)
        return key in self.equals if self.range is None else self.range.has(key)


def value_at(metadata: Any, path: Path) -> Any:
    """Return the value at a path of decoded metadata, MISSING if there is none."""
    value = metadata
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return MISSING
        value = value[key]
    return value


def metadata_of(metadata_json: str) -> Any:
    """Return the decoded metadata of a record, whose JSON is empty for none."""
    return _decode(metadata_json) if metadata_json else {}
