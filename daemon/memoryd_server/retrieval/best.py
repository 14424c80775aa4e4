"""The best rows of many."""

import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.column import Rows, Scores


def best_of(scores: Scores, sequences: NDArray[np.int64], count: int, among: Rows | None = None) -> Rows:
    """Return at most ``count`` rows with scores above zero, the best first, the greater sequence first among equals.

    Only rows ``among`` these different ones are returned; None stands for all.
    """
    rows = np.flatnonzero(scores > 0.0) if among is None else among[scores[among] > 0.0]
    if count <= 0:
        return rows[:0]
    if len(rows) > count:
        there = scores[rows]
        least = np.partition(there, -count)[-count]
        better, equal = rows[there > least], rows[there == least]
        left = count - len(better)
        newest = np.argpartition(-sequences[equal], left - 1)[:left]
        rows = np.concatenate((better, equal[newest]))
    return rows[np.lexsort((-sequences[rows], -scores[rows]))]
