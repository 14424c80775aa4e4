"""The contract's enums as words."""

from enum import StrEnum
from typing import Any, TypeVar

C = TypeVar("C", bound=StrEnum)


class EnumWords:
    """The words of one enum of the contract: MEMORY_TYPE_FACT is the member FACT of the words."""

    def __init__(self, enum: Any, prefix: str) -> None:
        self._enum = enum
        self._prefix = prefix

    def number(self, word: str) -> Any:
        """Answer the contract's number, in the type of its stubs. Raises ValueError for a word that it has not."""
        return self._enum.Value(f"{self._prefix}_{word.upper()}")

    def word(self, words: type[C], number: int) -> C:
        """Answer the word for a number; UNSPECIFIED for one that a newer server has and this client does not."""
        try:
            return words[self._enum.Name(number).removeprefix(f"{self._prefix}_")]
        except (KeyError, ValueError):
            return words["UNSPECIFIED"]
