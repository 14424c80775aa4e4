"""Codes: small numbers that stand for strings in a column."""

from collections import Counter
from collections.abc import Sequence

CODE_NONE = 0
"""The code of the empty string."""

CODE_UNKNOWN = -1
"""The code of a string that is not held: no row has it."""


class Codes:
    """A number for each held string, with a count of its holds. When the count reaches 0, the string is removed."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._holders: dict[int, int] = {}
        self._free: list[int] = []

    def hold(self, string: str) -> int:
        """Return the code of a string, and add one to its holds."""
        if not string:
            return CODE_NONE
        code = self._codes.get(string)
        if code is None:
            code = self._codes[string] = self._free.pop() if self._free else len(self._codes) + 1
        self._holders[code] = self._holders.get(code, 0) + 1
        return code

    def hold_all(self, strings: Sequence[str]) -> list[int]:
        """Return the codes of strings, and add one to the holds of each."""
        codes = dict[str, int]()
        for string, count in Counter(strings).items():
            code = codes[string] = self.hold(string)
            if string:
                self._holders[code] += count - 1
        return list(map(codes.__getitem__, strings))

    def release(self, string: str) -> None:
        """Subtract one from the holds of a held string."""
        if not string:
            return
        code = self._codes[string]
        self._holders[code] -= 1
        if not self._holders[code]:
            del self._holders[code]
            del self._codes[string]
            self._free.append(code)

    def find(self, string: str) -> int:
        """Return the code of a string; CODE_UNKNOWN if it is not held."""
        return self._codes.get(string, CODE_UNKNOWN) if string else CODE_NONE
