"""The conversion of LightGBM's trees into the arrays of a forest."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from memoryd_server.retrieval.reranking.forest import LEAVES_MAX, Forest

Node = Mapping[str, Any]


def forest_of(trees: Sequence[Node], share: float = 1.0) -> Forest:
    """Return the forest of trees in the format of LightGBM's ``dump_model``, with their values times ``share``.

    Each has at most LEAVES_MAX leaves.
    """
    shape = (len(trees), LEAVES_MAX - 1)
    forest = Forest(
        np.zeros(shape, np.uint8),
        np.full(shape, np.inf, np.float32),
        np.zeros(shape, np.bool_),
        np.zeros(shape, np.uint16),
        np.zeros((len(trees), LEAVES_MAX), np.float32),
    )
    for number, tree in enumerate(trees):
        _Tree(forest, number).add(tree)
    forest.leaf[:] *= np.float32(share)
    return forest


class _Tree:
    def __init__(self, forest: Forest, number: int) -> None:
        self._forest = forest
        self._number = number
        self._nodes = 0
        self._leaves = 0

    def add(self, node: Node) -> int:
        """Add a node with all below it, and return the mask of its leaves."""
        forest, tree = self._forest, self._number
        if "leaf_value" in node:
            forest.leaf[tree, self._leaves] = node["leaf_value"]
            self._leaves += 1
            return 1 << (self._leaves - 1)
        if node["decision_type"] != "<=":
            raise ValueError(f"unknown decision {node['decision_type']}")
        place = self._nodes
        self._nodes += 1
        left = self.add(node["left_child"])
        right = self.add(node["right_child"])
        forest.feature[tree, place] = node["split_feature"]
        forest.threshold[tree, place] = _not_above(node["threshold"])
        forest.nan_right[tree, place] = node["missing_type"] == "NaN" and not node["default_left"]
        forest.excluded[tree, place] = left
        return left | right


def _not_above(threshold: float) -> np.float32:
    """Return the greatest float32 that is not above a threshold: the same float32 values are greater than both."""
    rounded = np.float32(threshold)
    return rounded if float(rounded) <= threshold else np.nextafter(rounded, np.float32(-np.inf))
