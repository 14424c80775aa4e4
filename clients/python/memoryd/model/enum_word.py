"""The enums of the protos as words."""

from enum import StrEnum
from typing import Any, TypeVar

C = TypeVar("C", bound=StrEnum)


class EnumWords:
    """The mapping between an enum of the protos and a StrEnum: MEMORY_TYPE_FACT is the member FACT."""

    def __init__(self, enum: Any, prefix: str) -> None:
        self._enum = enum
        self._prefix = prefix

    def number(self, word: str) -> Any:
        """Return the number of a word, in the type of the stubs. Raises ValueError for an unknown word."""
        return self._enum.Value(f"{self._prefix}_{word.upper()}")

    def word(self, words: type[C], number: int) -> C:
        """Return the word of a number; UNSPECIFIED for one that a newer server sent and this client does not know."""
        try:
            return words[self._enum.Name(number).removeprefix(f"{self._prefix}_")]
        except (KeyError, ValueError):
            return words["UNSPECIFIED"]
