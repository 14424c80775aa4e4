"""An immutable ordered set of numbers, whose operations cost the same at any size.

It is a tree of bit words: a number is a bit of a leaf word, and a bit of a word above marks each word below that is not
zero, up to a single word at the top.
"""

from collections.abc import Iterable, Iterator

import immutables
import msgspec

_WORD_BITS = 8
_WORD = 1 << _WORD_BITS
_LEVELS = 5

NUMBER_MAX = (1 << (_WORD_BITS * _LEVELS)) - 1
"""The largest number that a set can hold: about 10**12."""

_Words = immutables.Map[int, int]
_NO_WORDS: _Words = immutables.Map()


class NumberSet(msgspec.Struct, frozen=True):
    """A set of numbers from 0 to ``NUMBER_MAX``, iterated in ascending order."""

    levels: tuple[_Words, ...] = (_NO_WORDS,) * _LEVELS
    count: int = 0

    @classmethod
    def of(cls, numbers: Iterable[int]) -> "NumberSet":
        """Return the set of these numbers."""
        leaves: dict[int, int] = {}
        count = 0
        for number in set(numbers):
            leaves[number >> _WORD_BITS] = leaves.get(number >> _WORD_BITS, 0) | 1 << (number & _WORD - 1)
            count += 1
        levels = [leaves]
        while len(levels) < _LEVELS:
            marks: dict[int, int] = {}
            for place in levels[-1]:
                marks[place >> _WORD_BITS] = marks.get(place >> _WORD_BITS, 0) | 1 << (place & _WORD - 1)
            levels.append(marks)
        return cls(tuple(immutables.Map(level) for level in levels), count)

    def __len__(self) -> int:
        return self.count

    def __contains__(self, number: int) -> bool:
        return bool(self.levels[0].get(number >> _WORD_BITS, 0) >> (number & _WORD - 1) & 1)

    def __iter__(self) -> Iterator[int]:
        return self._walk(_LEVELS - 1, 0, descending=False)

    def __reversed__(self) -> Iterator[int]:
        return self._walk(_LEVELS - 1, 0, descending=True)

    @property
    def first(self) -> int | None:
        """The smallest number, None when the set is empty."""
        return next(iter(self), None)

    def add(self, number: int) -> "NumberSet":
        """Return the set with the number."""
        if number in self:
            return self
        levels = list(self.levels)
        place = number
        for level, words in enumerate(levels):
            place, bit = divmod(place, _WORD)
            word = words.get(place, 0)
            # A word that was not empty is already marked in all words above it.
            levels[level] = words.set(place, word | 1 << bit)
            if word:
                break
        return NumberSet(tuple(levels), self.count + 1)

    def remove(self, number: int) -> "NumberSet":
        """Return the set without the number; the set itself when the number is not in it."""
        if number not in self:
            return self
        levels = list(self.levels)
        place = number
        for level, words in enumerate(levels):
            place, bit = divmod(place, _WORD)
            word = words[place] ^ 1 << bit
            if word:
                levels[level] = words.set(place, word)
                break
            levels[level] = words.delete(place)
        return NumberSet(tuple(levels), self.count - 1)

    def _walk(self, level: int, place: int, *, descending: bool) -> Iterator[int]:
        word = self.levels[level].get(place, 0)
        while word:
            bit = word.bit_length() - 1 if descending else (word & -word).bit_length() - 1
            word ^= 1 << bit
            below = place << _WORD_BITS | bit
            if level:
                yield from self._walk(level - 1, below, descending=descending)
            else:
                yield below
