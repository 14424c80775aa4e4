"""Calibration: from sums to probabilities."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_STEPS = 50

Numbers = NDArray[np.float64]


def calibrated(inputs: Numbers, answers: NDArray[np.bool_], weights: Numbers) -> Sequence[float]:
    """Return the weights of the columns of inputs in the odds' logarithm, and the intercept, by Newton's method."""
    design = np.column_stack((inputs, np.ones(len(inputs))))
    solution = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        probabilities = 1.0 / (1.0 + np.exp(-design @ solution))
        gradient = design.T @ (weights * (answers - probabilities))
        curvature = (design * (weights * probabilities * (1.0 - probabilities))[:, np.newaxis]).T @ design
        solution += np.linalg.solve(curvature, gradient)
    return list(map(float, solution))
