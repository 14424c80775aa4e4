"""Postings: the rows that have a term, how often, and whether it is the name of who speaks."""

from array import array

import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.column import Rows

_ROW_SHIFT = 8
_SPEAKER = 0x80
_COUNT_MAX = 0x7F

ROWS_MAX = 1 << (32 - _ROW_SHIFT)
"""A posting is one number of 32 bits: this many rows can be told apart."""


class Postings:
    """In no order. ``number`` is the term's among those of its index. Counts stop at 127, where they are saturated."""

    __slots__ = ("_packed", "number", "term")

    def __init__(self, term: str, number: int) -> None:
        self.term = term
        self.number = number
        self._packed = array("I")

    def __len__(self) -> int:
        return len(self._packed)

    def add(self, row: int, count: int, *, is_speaker: bool) -> None:
        """Add a row that is not there."""
        self._packed.append(row << _ROW_SHIFT | (_SPEAKER if is_speaker else 0) | min(count, _COUNT_MAX))

    def remove(self, row: int) -> None:
        """Remove a row that is there; the last one takes its place."""
        place = int(np.argmax(self._read() >> _ROW_SHIFT == row))
        last = self._packed.pop()
        if place < len(self._packed):
            self._packed[place] = last

    @property
    def rows(self) -> Rows:
        """The rows."""
        return (self._read() >> _ROW_SHIFT).astype(np.intp)

    @property
    def counts(self) -> NDArray[np.float32]:
        """How often each row has the term, not as the name of who speaks."""
        return (self._read() & _COUNT_MAX).astype(np.float32)

    @property
    def speakers(self) -> NDArray[np.bool_]:
        """Whether the term is in the name of who speaks, for each row."""
        speakers: NDArray[np.bool_] = (self._read() & _SPEAKER) != 0
        return speakers

    def _read(self) -> NDArray[np.uint32]:
        return np.frombuffer(self._packed, np.uint32)
