"""Postings: the rows that have a term, how often, and if it is in the speaker's name."""

from array import array

import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.column import Rows

_ROW_SHIFT = 8
_SPEAKER = 0x80
_COUNT_MAX = 0x7F

ROWS_MAX = 1 << (32 - _ROW_SHIFT)
"""Maximum number of rows: a posting packs the row, the speaker flag and the count in 32 bits."""


class Postings:
    """The postings of one term, in no order. ``number`` identifies the term in its index.

    Counts above 127 are stored as 127: the score is saturated there.
    """

    __slots__ = ("_packed", "number", "term")

    def __init__(self, term: str, number: int) -> None:
        self.term = term
        self.number = number
        self._packed = array("I")

    def __len__(self) -> int:
        return len(self._packed)

    def add(self, row: int, count: int, *, is_speaker: bool) -> None:
        """Add a row that has no posting yet."""
        self._packed.append(row << _ROW_SHIFT | (_SPEAKER if is_speaker else 0) | min(count, _COUNT_MAX))

    def remove(self, row: int) -> None:
        """Remove the posting of a row, which must exist. The last posting takes its place."""
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
        """The occurrences of the term in each row, without those in the speaker's name."""
        return (self._read() & _COUNT_MAX).astype(np.float32)

    @property
    def speakers(self) -> NDArray[np.bool_]:
        """A mask of the rows whose speaker's name has the term."""
        speakers: NDArray[np.bool_] = (self._read() & _SPEAKER) != 0
        return speakers

    def _read(self) -> NDArray[np.uint32]:
        return np.frombuffer(self._packed, np.uint32)
