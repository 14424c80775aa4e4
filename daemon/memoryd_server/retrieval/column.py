"""Columns: one value per row, in an array that grows as rows are added."""

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

ROW_NONE = 0
"""The row that stands for a missing memory: no memory has it, and its values are zero."""

ROWS_AT_FIRST = 16

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]
Scores = NDArray[np.float32]

_Scalar = TypeVar("_Scalar", bound=np.generic)


class Column(Generic[_Scalar]):
    """Values of one type, initially zero. They are read and set in ``values``, which has room for every row."""

    def __init__(self, type_: type[_Scalar]) -> None:
        self.values: NDArray[_Scalar] = np.zeros(ROWS_AT_FIRST, type_)

    def load(self, values: NDArray[Any]) -> None:
        """Take over the values of the first rows; those of all others are zero."""
        self.values = np.zeros(max(len(values), ROWS_AT_FIRST), self.values.dtype)
        self.values[: len(values)] = values

    def reserve(self, rows: int) -> None:
        """Make room for this many rows. Growing at least doubles the room, so that it costs little on average."""
        if rows > len(self.values):
            grown: NDArray[_Scalar] = np.zeros(max(rows, 2 * len(self.values)), self.values.dtype)
            grown[: len(self.values)] = self.values
            self.values = grown


def size_of(columns: Iterable[Column[Any]]) -> int:
    """Return the bytes that columns take."""
    return sum(column.values.nbytes for column in columns)


def distinct(*parts: Rows) -> Rows:
    """Return the different rows of all parts, in order. ``np.unique`` takes ten times as long for some thousands."""
    rows = np.sort(np.concatenate(parts))
    is_first: Mask = np.ones(len(rows), np.bool_)
    np.not_equal(rows[1:], rows[:-1], out=is_first[1:])
    return rows[is_first]
