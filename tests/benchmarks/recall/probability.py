"""The quality of probabilities: their curve, their error, and their separation of two kinds."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Return the probability that a positive value is greater than a negative one; equal ones count half."""
    ordered = np.sort(negative)
    below = np.searchsorted(ordered, positive, side="left") + np.searchsorted(ordered, positive, side="right")
    return float(below.sum() / (2 * len(positive) * len(negative)))


def brier(probabilities: Numbers, came_true: NDArray[np.bool_]) -> float:
    """Return the mean squared error of probabilities."""
    return float(np.mean((probabilities - came_true) ** 2))


def curve(
    probabilities: Numbers, came_true: NDArray[np.bool_], bounds: Sequence[float]
) -> Sequence[tuple[float, float, int]]:
    """Return for each bin between two bounds the mean probability, the share that came true, and the number of both.

    An empty bin has zeros.
    """
    bins = np.digitize(probabilities, bounds[1:-1])
    chosen = [bins == place for place in range(len(bounds) - 1)]
    return [
        (float(probabilities[each].mean()), float(came_true[each].mean()), int(each.sum()))
        if each.any()
        else (0.0, 0.0, 0)
        for each in chosen
    ]
