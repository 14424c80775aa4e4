"""Contenders: the rows that may be among the best for a query, found without scoring all (after MaxScore).

The rarest terms of the query are looked up for all of their rows. The best of these rows set a threshold. A row that
has none of these terms can have the common ones at most, and their share of the query's rarity bounds its score: if
that is below the threshold, the common terms are only looked up for rows that may reach it. Otherwise the next term
joins the rare ones.
"""

import math

import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.column import Rows, Scores, distinct
from memoryd_server.retrieval.relevance import MEANING_MIN, Relevance

_COMMON = 16
"""A term is common if at least one of this many rows has it."""

_TRIED = 2
"""Number of rows that are scored to find the threshold, as a multiple of those that are wanted."""

_OTHERS = 10
"""Maximum number of rows without a rare term that are scored, as a multiple of those that are wanted."""

_SLACK = np.float32(1.0 + 1e-4)
"""Factor of bounds: what rounding may add to a score."""


def contenders(relevance: Relevance, count: int, sequences: NDArray[np.int64]) -> Rows:
    """Return rows in order, among which are the best ``count`` by their totals, of equal ones the newest.

    Rows with a total of 0 may be left out.
    """
    scorer = relevance.words
    left, partial = scorer.rarest_first(), scorer.partial()
    while left and _COMMON * left[0].cost < len(relevance.passing):
        partial.add(left.pop(0).term)
    while True:
        common = np.float32(sum(each.idf for each in left))
        rows = np.flatnonzero((partial.covered > 0.0) & relevance.passing)
        threshold = _threshold(relevance, rows, scorer.of_sums(partial.sums[rows], partial.covered[rows]), count)
        others = _others(relevance, threshold, common / scorer.worth if left else np.float32(0.0), count)
        if others is not None:
            break
        partial.add(left.pop(0).term)
    bounds = scorer.of_sums(partial.sums[rows] + common, partial.covered[rows] + common)
    found = [relevance.reaching(threshold / float(_SLACK), rows, bounds), others]
    if relevance.timely is not None and threshold <= relevance.weights.period * _SLACK:
        # All terms were looked up for all of their rows: these have none of them, and all have the same total.
        timely = np.flatnonzero(relevance.timely & (partial.covered == 0.0))
        found.append(timely[np.argsort(-sequences[timely])[:count]])
    return distinct(*found)


def _threshold(relevance: Relevance, rows: Rows, words: Scores, count: int) -> float:
    """Return a score that the best ``count`` of rows reach; 0 if they are fewer. ``words`` are at most their scores."""
    if len(rows) < count:
        return 0.0
    if relevance.timely is not None:
        words = words + np.float32(relevance.weights.period) * relevance.timely[rows].astype(np.float32)
    tried = min(_TRIED * count, len(rows))
    best = np.sort(rows[np.argpartition(words, -tried)[-tried:]])
    _, _, totals = relevance.at(best)
    return float(np.partition(totals, -count)[-count])


def _others(relevance: Relevance, threshold: float, common: np.float32, count: int) -> Rows | None:
    """Return the rows that may reach the threshold by meaning, with common words at most; None if they are too many.

    ``common`` is the share of these words in the query's rarity. If it is 0, all rows are returned that match by
    meaning alone and may reach the threshold.
    """
    meaning, share = relevance.meaning, float(relevance.meaning_share)
    period = relevance.weights.period if relevance.timely is not None else 0.0
    missing = (threshold / float(_SLACK) - period) / (1.0 - period)
    words = float(common) ** 2
    if not words:
        return np.flatnonzero(meaning.scores >= MEANING_MIN)
    least = (missing - (1.0 - share) * words) / share if share else math.inf
    if words >= missing or least <= meaning.rest_max or least <= 0.0:
        return None
    others = np.flatnonzero(meaning.scores >= least)
    return others if len(others) <= _OTHERS * count else None
