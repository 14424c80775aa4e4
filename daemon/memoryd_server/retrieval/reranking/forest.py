"""A forest of regression trees, fitted elsewhere, that is walked in NumPy."""

import msgspec
import numpy as np
from numpy.typing import NDArray

LEAVES_MAX = 16
"""Maximum number of leaves of a tree: a bit of a mask stands for each."""

_FIRST_LEAF = np.array([(~bits & -~bits).bit_length() - 1 for bits in range(1 << LEAVES_MAX)], np.int8)
"""The first leaf that is not excluded, by the bits of those that are."""


class Forest(msgspec.Struct, frozen=True):
    """Trees, each with its inner nodes and its leaves in arrays of one size, the leaves from left to right.

    A node sends a row to the right if its ``feature`` is greater than its ``threshold``, or if it is NaN and
    ``nan_right`` is true. It then excludes the leaves on its left: ``excluded`` has a bit for each of them. A place
    without a node excludes nothing.
    """

    feature: NDArray[np.uint8]
    threshold: NDArray[np.float32]
    nan_right: NDArray[np.bool_]
    excluded: NDArray[np.uint16]
    leaf: NDArray[np.float32]

    def sums_of(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return for each row of features the sum of the leaves that it reaches, the same in whatever order of rows.

        A row reaches in each tree the first leaf that no node excludes: all nodes are compared at once, which is faster
        in NumPy than to walk down.
        """
        trees, nodes = self.feature.shape
        columns, unknown = features.T, np.isnan(features.T)
        both = np.concatenate((np.where(unknown, -np.inf, columns), np.where(unknown, np.inf, columns)))
        chosen = self.feature + len(columns) * self.nan_right
        goes_right = both.take(chosen.ravel(), axis=0) > self.threshold.ravel()[:, np.newaxis]
        by_node = goes_right * self.excluded.ravel()[:, np.newaxis]
        excluded = np.bitwise_or.reduce(by_node.reshape(trees, nodes, len(features)), axis=1)
        leaves = self.leaf[np.arange(trees)[:, np.newaxis], _FIRST_LEAF[excluded]]
        sums: NDArray[np.float32] = leaves.sum(axis=0, dtype=np.float64).astype(np.float32)
        return sums
