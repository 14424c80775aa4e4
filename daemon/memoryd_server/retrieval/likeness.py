"""Copies: memories that say again what a better match says."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

COPY_SHARE_MIN = 0.9
"""Two memories are copies when they share this much of their different terms (Jaccard): all but word order, inflection
and what a stop word says, or one term in twenty of a long text."""


def copies_in(texts: Sequence[NDArray[np.uint32]]) -> list[bool]:
    """Which texts, given as the numbers of their different terms, are copies of one before them."""
    sizes = np.array([len(numbers) for numbers in texts])
    if not sizes.any():
        return [False] * len(texts)
    terms, places = np.unique(np.concatenate(texts), return_inverse=True)
    has = np.zeros((len(texts), len(terms)), np.float32)
    has[np.repeat(np.arange(len(texts)), sizes), places] = 1.0
    shared = has @ has.T
    alike = shared >= COPY_SHARE_MIN * np.maximum(sizes[:, None] + sizes[None, :] - shared, 1.0)
    copies: list[bool] = np.tril(alike, -1).any(axis=1).tolist()
    return copies
