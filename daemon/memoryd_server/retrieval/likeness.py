"""Near-duplicates: matches so similar to a better one that they rank below the rest."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

NEAR_DUPLICATE_SHARE_MIN = 0.9
"""Minimum Jaccard index of the terms of two near-duplicates. They differ in word order, inflection or stop words only,
or, if they are long, in one term of twenty."""


def near_duplicates_in(texts: Sequence[NDArray[np.uint32]]) -> list[bool]:
    """Return, for each text, True if it is a near-duplicate of an earlier one. A text is the numbers of its terms."""
    sizes = np.array([len(numbers) for numbers in texts])
    if not sizes.any():
        return [False] * len(texts)
    terms, places = np.unique(np.concatenate(texts), return_inverse=True)
    has = np.zeros((len(texts), len(terms)), np.float32)
    has[np.repeat(np.arange(len(texts)), sizes), places] = 1.0
    shared = has @ has.T
    alike = shared >= NEAR_DUPLICATE_SHARE_MIN * np.maximum(sizes[:, None] + sizes[None, :] - shared, 1.0)
    near_duplicates: list[bool] = np.tril(alike, -1).any(axis=1).tolist()
    return near_duplicates
