"""Calibration: from sums to probabilities."""

import numpy as np
from numpy.typing import NDArray

_STEPS = 50

Numbers = NDArray[np.float64]


def calibrated(sums: Numbers, answers: NDArray[np.bool_], weights: Numbers) -> tuple[float, float]:
    """Return the slope and the intercept of the odds' logarithm (Platt's scaling), by Newton's method."""
    design = np.stack((sums, np.ones_like(sums)), axis=1)
    solution = np.array([1.0, 0.0])
    for _ in range(_STEPS):
        probabilities = 1.0 / (1.0 + np.exp(-design @ solution))
        gradient = design.T @ (weights * (answers - probabilities))
        curvature = (design * (weights * probabilities * (1.0 - probabilities))[:, np.newaxis]).T @ design
        solution += np.linalg.solve(curvature, gradient)
    return float(solution[0]), float(solution[1])
