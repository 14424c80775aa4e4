"""Near-duplicates: matches so similar to a better one that they rank below the rest."""

import numpy as np
from numpy.typing import NDArray

NEAR_DUPLICATE_SHARE_MIN = 0.9
"""Minimum Jaccard index of the terms of two near-duplicates. They differ in word order, inflection or stop words only,
or, if they are long, in one term of twenty."""


def near_duplicates_in(numbers: NDArray[np.uint32], sizes: NDArray[np.intp]) -> list[bool]:
    """Return, for each text, True if it is a near-duplicate of an earlier one.

    A text is the numbers of its different terms. The texts are one after the other, with the number of terms of each.
    """
    if not len(numbers):
        return [False] * len(sizes)
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    columns = np.cumsum(ordered[1:] != ordered[:-1])
    has = np.zeros((len(sizes), 1 + int(columns[-1]) if len(columns) else 1), np.float32)
    texts = np.repeat(np.arange(len(sizes)), sizes)[order]
    has[texts[:1], 0] = 1.0
    has[texts[1:], columns] = 1.0
    shared = has @ has.T
    alike = shared >= NEAR_DUPLICATE_SHARE_MIN * np.maximum(sizes[:, np.newaxis] + sizes - shared, 1.0)
    near_duplicates: list[bool] = np.logical_or.reduce(np.tril(alike, -1), axis=1).tolist()
    return near_duplicates
