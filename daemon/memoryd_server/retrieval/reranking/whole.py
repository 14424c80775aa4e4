"""The features of all candidates of a query together: by them the model says whether any memory answers it."""

import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.reranking.feature import Features

_LEADS = (1, 4, 9)
"""The places of the candidates, in order of their sums, whose distance from the best one is a feature."""

_NO_LEAD = 10.0
"""The lead over a candidate that there is not, which is greater than any."""


def whole_of(features: Features, sums: NDArray[np.float64]) -> Features:
    """Return one row: the greatest sum and its leads, the features of the best candidate, and the greatest of each.

    There must be a candidate.
    """
    best = int(np.argmax(sums))
    ordered = np.sort(sums)[::-1]
    leads = [ordered[0] - ordered[place] if place < len(ordered) else _NO_LEAD for place in _LEADS]
    parts = (ordered[:1], leads, features[best], features.max(axis=0))
    return np.concatenate(parts).astype(np.float32)[np.newaxis]


def whole_count(features: int) -> int:
    """Return the length of the row for a number of features of a candidate."""
    return 1 + len(_LEADS) + 2 * features
