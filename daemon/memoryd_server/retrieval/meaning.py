"""The scores of memories by meaning: cosines, relative to the mean of all.

Up to ``COMPARED_MAX`` vectors are compared one by one. Of more, the signs of the components choose those that are
compared, and a sample gives the mean and the spread.
"""

import math

import numpy as np

from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.retrieval.column import Mask, Rows, Scores
from memoryd_server.retrieval.holdings import Holdings
from memoryd_server.retrieval.vector_index import Vector, vector_of

COMPARED_MAX = 200_000
"""Maximum number of passing vectors that are all compared with that of the query."""

NEAREST = 8_192
"""Number of vectors that are compared if there are more than COMPARED_MAX."""

_SPREAD_AT_FIRST = 0.1
"""Standard deviation of the scores by meaning that is assumed before there are vectors."""

_LOWER = 0.85
"""Factor by which a bound is lowered until enough scores reach it."""

_LEFT = 1e-6
"""Least share of two vectors that is taken to be left without their common components."""

_FEW = 10
"""Number of vectors at which their mean cosine counts half: the mean of few says little about all texts."""


class Meaning:
    """The scores by meaning of all passing rows; without a vector of the query, 0.

    ``has`` is a mask of the passing rows with a vector, and ``spread`` the standard deviation of the scores; None
    without vectors. ``scores`` are those of all rows; 0 for those that were not compared, which none is if
    ``is_complete`` is true. No score that is 0 for that reason is likely to exceed ``rest_max``.
    """

    spread: float | None = None
    is_complete = True
    rest_max = 0.0

    def __init__(
        self, holdings: Holdings, vector: bytes | None, identity: EmbeddingIdentity | None, passing: Mask
    ) -> None:
        self._mean = np.float32(0.0)
        self.has: Mask = np.zeros(len(passing), np.bool_)
        self.scores: Scores = np.zeros(len(passing), np.float32)
        self._compared: Rows = np.zeros(0, np.intp)
        asked = vector_of(vector) if vector is not None else None
        vectors = holdings.vectors_of(identity)
        if asked is None or vectors is None:
            return
        self._asked, self._vectors = asked, vectors
        self.has = vectors.has(len(passing)) & passing
        count = int(np.count_nonzero(self.has))
        if count <= COMPARED_MAX:
            self._compare_all(count)
        else:
            self._compare_nearest(holdings.table.is_sampled(len(passing)))

    def at(self, rows: Rows) -> Scores:
        """Return the scores of rows, compared or not."""
        if self.is_complete:
            return self.scores[rows]
        return self._scores_of(self._vectors.cosines_at(self._asked, rows)) * self.has[rows]

    def near(self, least: float) -> Rows:
        """Return the rows in order that were compared and have at least a score, which must be above zero."""
        if self.is_complete:
            return np.flatnonzero(self.scores >= least)
        return self._compared[self.scores[self._compared] >= least]

    def nearest(self, count: int, least: float) -> Rows:
        """Return rows in order with at least a score, among which are the ``count`` best and those equal to them."""
        scores = self.scores if self.is_complete else self.scores[self._compared]
        bound = float(scores.max(initial=0.0))
        while bound > least and int(np.count_nonzero(scores >= bound)) < count:
            bound *= _LOWER
        return self.near(max(bound, least))

    def contrast_at(self, common: Vector, rows: Rows) -> Scores:
        """Return the cosines of rows with the query without the components along ``common``; 0 without a vector.

        ``common`` is what the vectors of all texts share. If it has other dimensions, it is ignored.
        """
        own = self._vectors.cosines_at(self._asked, rows)
        if common.shape != self._asked.shape or not common.any():
            return own
        lengths = [float(np.square(each, dtype=np.int32).sum()) ** 0.5 for each in (common, self._asked)]
        asked = np.float32((common.astype(np.int32) @ self._asked.astype(np.int32)) / math.prod(lengths))
        along = self._vectors.cosines_at(common, rows)
        left = np.maximum((np.float32(1.0) - along * along) * (np.float32(1.0) - asked * asked), np.float32(_LEFT))
        contrast: Scores = (own - along * asked) / np.sqrt(left)
        return contrast

    def at_most(self, rows: Rows) -> Scores:
        """Return the scores that rows have, or are not likely to exceed."""
        return self.scores[rows] if self.is_complete else np.maximum(self.scores[rows], np.float32(self.rest_max))

    def _compare_all(self, count: int) -> None:
        if 2 * count > len(self.has):
            cosines = self._vectors.cosines_of(self._asked, len(self.has))
            if count < len(self._vectors):
                cosines *= self.has
            self._note_mean(cosines, count)
            self.scores = self._scores_of(cosines)
        else:
            rows = np.flatnonzero(self.has)
            cosines = self._vectors.cosines_at(self._asked, rows)
            self._note_mean(cosines, count)
            self.scores[rows] = self._scores_of(cosines)
        self._note_spread(self.scores, count)

    def _compare_nearest(self, sampled: Mask) -> None:
        self.is_complete = False
        sample = self._vectors.cosines_at(self._asked, np.flatnonzero(self.has & sampled))
        self._note_mean(sample, len(sample))
        self._note_spread(self._scores_of(sample), len(sample))
        nearest = self._vectors.probably_nearest(self._asked, self.has, NEAREST)
        self._compared = nearest
        self.scores[nearest] = scores = self.at(nearest)
        self.rest_max = float(np.median(scores))

    def _note_mean(self, cosines: Scores, count: int) -> None:
        """Set the mean of all cosines. It is taken over whole numbers, so that the order of rows does not matter."""
        whole = cosines * np.float32(2**20)
        mean = float(np.rint(whole, out=whole).sum(dtype=np.float64)) / 2**20 / (count + _FEW)
        self._mean = np.float32(min(max(mean, 0.0), 0.99))
        self._share = np.float32(1.0 - min(max(mean, 0.0), 0.99))

    def _note_spread(self, scores: Scores, count: int) -> None:
        """Set the standard deviation of scores, not less than that of few unrelated texts."""
        if count:
            whole = np.square(scores, dtype=np.float64)
            whole *= 2**20
            squares = float(np.rint(whole, out=whole).sum()) / 2**20
            self.spread = math.sqrt((squares + _FEW * _SPREAD_AT_FIRST**2) / (count + _FEW))

    def _scores_of(self, cosines: Scores) -> Scores:
        """Return cosines as scores: the amount above the mean of all, as a share of the greatest possible amount.

        Subtracting the mean makes embedders comparable: some give a high cosine even to unrelated texts. A cosine of 0
        has the score 0.
        """
        scores: Scores = cosines - self._mean
        scores /= self._share
        return np.clip(scores, 0.0, 1.0, out=scores)
