"""The weights of features by which the answer is chosen among the candidates of a query."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_STEPS = 20
_STEP_MAX = 3.0
_PENALTY = 1.0

Numbers = NDArray[np.float64]


def choice_weights(inputs: Numbers, answers: NDArray[np.bool_], sizes: Sequence[int], weights: Numbers) -> Numbers:
    """Return the weights of the columns of inputs in the logarithm of the odds by which one candidate is chosen.

    The candidates of one query follow those of another, ``sizes`` of each, with the ``weights`` of the queries. Each
    query has a candidate that answers it; of several, each is as likely chosen. A conditional logit, by Newton's method
    on columns of one variance.
    """
    count = np.asarray(sizes)
    starts, owner = np.cumsum(count) - count, np.repeat(np.arange(len(count)), count)
    deviations = inputs.std(axis=0)
    columns = (inputs - inputs.mean(axis=0)) / deviations
    wanted = answers / np.add.reduceat(answers.astype(np.float64), starts)[owner]
    solution = np.zeros(columns.shape[1])
    for _ in range(_STEPS):
        utilities = columns @ solution
        chances = np.exp(utilities - np.maximum.reduceat(utilities, starts)[owner])
        chances /= np.add.reduceat(chances, starts)[owner]
        gradient = columns.T @ (weights[owner] * (wanted - chances)) - _PENALTY * solution
        means = np.add.reduceat(columns * chances[:, np.newaxis], starts, axis=0)
        curvature = (columns * (weights[owner] * chances)[:, np.newaxis]).T @ columns
        curvature -= (means * weights[:, np.newaxis]).T @ means
        step = np.linalg.solve(curvature + _PENALTY * np.eye(len(solution)), gradient)
        solution += step * (_STEP_MAX / max(_STEP_MAX, float(np.abs(step).max())))
    found: Numbers = solution / deviations
    return found
