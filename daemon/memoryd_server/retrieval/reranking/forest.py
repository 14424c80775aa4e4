"""A forest of regression trees, fitted elsewhere, that is walked in NumPy."""

from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

LEAVES_MAX = 16
"""Maximum number of leaves of a tree: a bit of a mask stands for each."""

_FIRST_LEAF = np.array([(~bits & -~bits).bit_length() - 1 for bits in range(1 << LEAVES_MAX)], np.int8)
"""The first leaf that is not excluded, by the bits of those that are."""


class _Comparisons(NamedTuple):
    """The different comparisons of a forest's nodes: each of one column with one threshold.

    ``of_node`` has the place of each node's comparison: the first nodes of all trees, then the second ones, and so on.
    ``excluded`` are the leaves that the nodes exclude, in the same order. ``first_leaf`` is the place of each tree's
    first leaf among those of all.
    """

    column: NDArray[np.intp]
    threshold: NDArray[np.float32]
    of_node: NDArray[np.intp]
    excluded: NDArray[np.uint16]
    first_leaf: NDArray[np.intp]


class Forest(msgspec.Struct, frozen=True, dict=True):
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
        in NumPy than to walk down. Half of the nodes compare what another one does.
        """
        by = self._comparisons
        columns, unknown = features.T, np.isnan(features.T)
        both = np.concatenate((np.where(unknown, -np.inf, columns), np.where(unknown, np.inf, columns)), axis=1)
        goes_right = both.reshape(2 * len(columns), len(features)).take(by.column, axis=0) > by.threshold
        by_node = goes_right.take(by.of_node, axis=0).reshape(*by.excluded.shape[:2], len(features)) * by.excluded
        excluded = np.bitwise_or.reduce(by_node, axis=0)
        leaves = self.leaf.ravel().take(_FIRST_LEAF.take(excluded) + by.first_leaf)
        sums: NDArray[np.float32] = leaves.sum(axis=0, dtype=np.float64).astype(np.float32)
        return sums

    @cached_property
    def _comparisons(self) -> _Comparisons:
        trees, nodes = self.feature.shape
        columns = 2 * self.feature.T.astype(np.int64).ravel() + self.nan_right.T.ravel()
        made = np.stack((columns, self.threshold.T.ravel().view(np.int32).astype(np.int64)))
        different, of_node = np.unique(made, axis=1, return_inverse=True)
        return _Comparisons(
            different[0].astype(np.intp),
            different[1].astype(np.int32).view(np.float32)[:, np.newaxis],
            of_node.ravel().astype(np.intp),
            np.ascontiguousarray(self.excluded.T).reshape(nodes, trees, 1),
            (np.arange(trees) * self.leaf.shape[1])[:, np.newaxis],
        )
