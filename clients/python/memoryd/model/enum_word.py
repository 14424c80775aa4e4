"""The enums of the protos as words."""

from collections.abc import Sequence
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, TypeVar

from memoryd.errors import UnknownWord

_UNSPECIFIED = "unspecified"

C = TypeVar("C", bound=StrEnum)


class EnumWords:
    """The mapping between an enum of the protos and a StrEnum: MEMORY_TYPE_FACT is the member FACT."""

    def __init__(self, enum: Any, prefix: str) -> None:
        self._enum = enum
        self._prefix = prefix
        self._numbers = {name.removeprefix(f"{prefix}_").lower(): number for name, number in enum.items()}

    def number(self, word: str) -> Any:
        """Return the number of a word, in the type of the stubs. Raises UnknownWord."""
        if isinstance(word, str) and (number := self._numbers.get(word.lower())) is not None:
            return number
        noun = self._prefix.lower().replace("_", " ")
        known = [each for each in self._numbers if each != _UNSPECIFIED]
        raise UnknownWord(f"{word!r} is no {noun}: {hint_of(str(word), known)}")

    def word(self, words: type[C], number: int) -> C:
        """Return the word of a number; UNSPECIFIED for one that a newer server sent and this client does not know."""
        try:
            return words[self._enum.Name(number).removeprefix(f"{self._prefix}_")]
        except (KeyError, ValueError):
            return words["UNSPECIFIED"]


def hint_of(given: str, known: Sequence[str]) -> str:
    """Return what to write in place of an unknown word: the nearest one if one is near, and all that there are."""
    nearest = get_close_matches(given, known, n=1)
    use = f"use {', '.join(known)}"
    return f"did you mean {nearest[0]!r}? Or {use}" if nearest and len(known) > 1 else use
