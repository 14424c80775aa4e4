"""A forest against trees that are walked one node after the other."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts.fitting.forest import forest_of

FEATURES = 3

Node = dict[str, Any]

thresholds = st.sampled_from([-1.0, 0.0, 0.1, 0.5, 1e-9, 1.0 / 3])
values = st.sampled_from([-2.0, -1.0, 0.0, 0.1, 1.0 / 3, 0.5, 2.0, float("nan"), float("inf")])


@st.composite
def trees(draw: st.DrawFn, leaves_max: int = 16) -> Node:
    leaves = draw(st.integers(1, leaves_max))
    return _tree(draw, leaves)


def _tree(draw: st.DrawFn, leaves: int) -> Node:
    if leaves == 1:
        return {"leaf_value": draw(st.integers(-8, 8)) / 4}
    left = draw(st.integers(1, leaves - 1))
    return {
        "split_feature": draw(st.integers(0, FEATURES - 1)),
        "threshold": draw(thresholds),
        "decision_type": "<=",
        "missing_type": draw(st.sampled_from(["NaN", "None"])),
        "default_left": draw(st.booleans()),
        "left_child": _tree(draw, left),
        "right_child": _tree(draw, leaves - left),
    }


def walked(node: Node, row: npt.NDArray[np.float32]) -> float:
    while "leaf_value" not in node:
        value = float(row[node["split_feature"]])
        is_nan_right = node["missing_type"] == "NaN" and not node["default_left"]
        goes_left = not is_nan_right if np.isnan(value) else value <= node["threshold"]
        node = node["left_child" if goes_left else "right_child"]
    return float(node["leaf_value"])


@given(
    st.lists(trees(), min_size=1, max_size=4),
    st.lists(st.lists(values, min_size=3, max_size=3), min_size=1, max_size=5),
)
def test_a_forest_sums_the_leaves_that_its_trees_lead_to(grown: list[Node], rows: list[list[float]]) -> None:
    features = np.array(rows, np.float32)
    expected = [sum(walked(tree, row) for tree in grown) for row in features]
    assert forest_of(grown).sums_of(features) == pytest.approx(expected)


def test_no_rows_have_no_sums() -> None:
    assert forest_of([{"leaf_value": 1.0}]).sums_of(np.zeros((0, FEATURES), np.float32)).shape == (0,)
