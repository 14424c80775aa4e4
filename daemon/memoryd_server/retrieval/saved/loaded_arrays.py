"""Arrays of a saved index that are unpacked one by one, since most are never read."""

from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ITEM_BYTES = 4
"""Size of an item."""


class LoadedArrays:
    """Arrays of unsigned integers of 32 bits, by number, all in one. ``sizes`` has the number of items of each.

    Raises ValueError if there are more items, or fewer, than their sizes say.
    """

    def __init__(self, items: NDArray[np.uint32], sizes: NDArray[Any]) -> None:
        self.sizes = sizes
        self._items = items.view(np.uint8)
        self._ends = _ITEM_BYTES * np.cumsum(sizes, dtype=np.int64)
        if len(self._items) != (self._ends[-1] if len(sizes) else 0):
            raise ValueError(f"{len(items)} items are in arrays of {int(sizes.sum(dtype=np.int64))}")

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, number: int) -> "array[int]":
        """Return the array of a number, as a copy."""
        end = int(self._ends[number])
        return array("I", self._items[end - _ITEM_BYTES * int(self.sizes[number]) : end].tobytes())

    def between(self, first: int, last: int) -> bytes:
        """Return the items of the arrays from one number up to another one, which is not included."""
        start = int(self._ends[first - 1]) if first else 0
        return self._items[start : int(self._ends[last - 1]) if last else 0].tobytes()


NO_ARRAYS = LoadedArrays(np.zeros(0, np.uint32), np.zeros(0, np.uint32))
