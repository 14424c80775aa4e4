"""Postings: the rows that have a term, how often, and if it is in the speaker's name."""

from array import array

import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.column import Column, Mask, Rows, Scores

_ROW_SHIFT = 8
_SPEAKER = 0x80
_COUNT_MAX = 0x7F

ROWS_MAX = 1 << (32 - _ROW_SHIFT)
"""Maximum number of rows: a posting packs the row, the speaker flag and the count in 32 bits."""

_KEPT_SHARE = 4
"""A mask of the rows of a term is kept if at least one of this many rows has it."""

_FEW_SHARE = 8
"""The rows that say a very common term are searched alone if they are fewer than one of this many of its rows.
The others have it as a speaker's name.
"""


class Postings:
    """The postings of one term, read in the order of their rows. ``number`` identifies the term in its index.

    Counts above 127 are stored as 127: the score is saturated there. They are sorted when they are read after a row was
    added out of order or removed. ``packed`` are those of a saved index, in order.
    """

    __slots__ = ("_is_sorted", "_mask", "_packed", "_said", "number", "term")

    def __init__(self, term: str, number: int, packed: "array[int] | None" = None) -> None:
        self.term = term
        self.number = number
        self._packed = array("I") if packed is None else packed
        self._is_sorted = True
        self._mask: Column[np.bool_] | None = None
        self._said: NDArray[np.uint32] | None = None

    def __len__(self) -> int:
        return len(self._packed)

    def add(self, row: int, count: int, *, is_speaker: bool) -> None:
        """Add a row that has no posting yet."""
        packed = row << _ROW_SHIFT | (_SPEAKER if is_speaker else 0) | min(count, _COUNT_MAX)
        if self._packed and packed < self._packed[-1]:
            self._is_sorted = False
        self._packed.append(packed)
        if self._mask is not None:
            self._mask.reserve(row + 1)
            self._mask.values[row] = True
        if count:
            self._said = None

    def remove(self, row: int) -> None:
        """Remove the posting of a row, which must exist. The last posting takes its place."""
        place = int(np.argmax(np.frombuffer(self._packed, np.uint32) >> _ROW_SHIFT == row))
        last = self._packed.pop()
        if place < len(self._packed):
            self._packed[place] = last
            self._is_sorted = False
        if self._mask is not None:
            self._mask.values[row] = False
        self._said = None

    def mark(self, mask: Mask) -> None:
        """Set the rows in a mask of all rows. A mask of a term that many of them have is kept, at a byte for each."""
        if len(self) * _KEPT_SHARE < len(mask):
            mask[self.rows] = True
            return
        if self._mask is None:
            self._mask = Column(np.bool_)
            self._mask.reserve(len(mask))
            self._mask.values[self.rows] = True
        there = self._mask.values[: len(mask)]
        mask[: len(there)] |= there

    @property
    def packed(self) -> "array[int]":
        """All postings, in order, as a saved index has them."""
        self._read()
        return self._packed

    @property
    def rows(self) -> Rows:
        """The rows."""
        return rows_of(self._read())

    def read(self) -> tuple[Rows, Scores, Mask]:
        """Return the rows, the occurrences of the term in each of them without those in the speaker's name, and a mask
        of those whose speaker's name has the term.
        """
        packed = self._read()
        rows = (packed >> _ROW_SHIFT).astype(np.intp)
        return rows, (packed & _COUNT_MAX).astype(np.float32), (packed & _SPEAKER) != 0

    @property
    def said_rows(self) -> Rows:
        """The rows with occurrences outside of the speaker's name."""
        return (self._read_said() >> _ROW_SHIFT).astype(np.intp)

    def holds(self, rows: Rows) -> Mask:
        """Return a mask of these rows that have a posting. It is fastest if the rows are in order."""
        wanted = rows.astype(np.uint32)
        packed = self._read()
        found = packed.take(np.searchsorted(packed, wanted << np.uint32(_ROW_SHIFT)), mode="clip")
        holds: Mask = found >> _ROW_SHIFT == wanted
        return holds

    def at(self, rows: Rows) -> tuple[Scores, Mask, Mask]:
        """Return for each of these rows the occurrences, if the speaker's name has the term, and if it has a posting.

        It is fastest if the rows are in order.
        """
        is_few = self._mask is not None and len(self._read_said()) * _FEW_SHARE < len(self)
        packed = self._read_said() if is_few else self._read()
        wanted = rows.astype(np.uint32) << np.uint32(_ROW_SHIFT)
        found = packed.take(np.searchsorted(packed, wanted), mode="clip") if len(packed) else np.zeros_like(wanted)
        has: Mask = (found ^ wanted) <= _SPEAKER | _COUNT_MAX
        found *= has
        counts, speakers = (found & _COUNT_MAX).astype(np.float32), (found & _SPEAKER) != 0
        if is_few and self._mask is not None:
            # The others have the term in the speaker's name alone.
            self._mask.reserve(int(rows.max(initial=0)) + 1)
            there = self._mask.values[rows]
            speakers |= there & ~has
            has = there
        return counts, speakers, has

    def _read_said(self) -> NDArray[np.uint32]:
        """Return the postings of the rows with occurrences outside of the speaker's name; kept if there is a mask."""
        if self._said is not None:
            return self._said
        packed = self._read()
        said = packed[np.flatnonzero(packed & _COUNT_MAX)]
        if self._mask is not None:
            self._said = said
        return said

    def _read(self) -> NDArray[np.uint32]:
        packed = np.frombuffer(self._packed, np.uint32)
        if not self._is_sorted:
            packed.sort()
            self._is_sorted = True
        return packed


def rows_of(packed: NDArray[np.uint32]) -> Rows:
    """Return the rows of packed postings."""
    return (packed >> _ROW_SHIFT).astype(np.intp)
