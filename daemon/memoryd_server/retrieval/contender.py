"""Contenders: the rows that may be among the best for a query, found without scoring all (after MaxScore).

The rarest terms of the query are looked up for all of their rows. The best of these rows set a threshold. A row that
has none of these terms can have the common ones at most, and their share of the query's rarity bounds its score: if
that is below the threshold, the common terms are only looked up for rows that may reach it, one term after the other,
as each leaves fewer rows. Otherwise the next term joins the rare ones.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.column import Mask, Rows, Scores, distinct
from memoryd_server.retrieval.relevance import MEANING_MIN, Relevance
from memoryd_server.retrieval.words.looked_up import LookedUpTerms
from memoryd_server.retrieval.words.word_score import TermCost

_CHEAP = 256
"""A term is looked up for all of its rows if at most one of this many rows has it."""

_LEFT_MAX = 0.04
"""Greatest score of the terms that are left, with which a threshold is looked for: a lower one is rarely found."""

_TRIED = 2
"""Number of rows that are scored to find the threshold, as a multiple of those that are wanted."""

_SMALL = np.float32(1.0 / 16.0)
"""Share of the query's rarity below which a term is not looked up to find the threshold: it hardly changes that."""

_OTHERS = 40
"""Maximum number of rows without a rare term that are scored, as a multiple of those that are wanted."""

_FEW = 2
"""Number of rows that are left as they are, as a multiple of those that are wanted."""

_COMPARED_MAX = 4_096
"""Maximum number of rows whose vectors are compared before all terms are looked up, where not all are compared."""

_SLACK = np.float32(1.0 + 1e-4)
"""Factor of bounds: what rounding may add to a score."""


def contenders(relevance: Relevance, count: int, sequences: NDArray[np.int64]) -> tuple[Rows, LookedUpTerms]:
    """Return rows in order, among which are the best ``count`` by their totals, of equal ones the newest.

    Rows with a total of 0 may be left out. Also returns the terms that were looked up for all rows.
    """
    scorer = relevance.words
    left, looked_up = scorer.rarest_first(), LookedUpTerms(scorer)
    looked_up.add(_rare(left, scorer.worth, len(relevance.passing)))
    while True:
        common = _sum_of(left)
        places = np.flatnonzero(relevance.passing[looked_up.rows])
        rows, sums, covered = looked_up.rows[places], looked_up.sums[places], looked_up.covered[places]
        words = scorer.of_sums(sums, covered)
        if not left or _reach(words, count) > (common / scorer.worth) ** 2:
            threshold = _threshold(relevance, looked_up, left, rows, words, count)
            others = _others(relevance, threshold, common / scorer.worth if left else np.float32(0.0), count)
            if others is not None:
                break
        looked_up.add([left.pop(0).term])
    others = others[~_is_among(others, rows)]
    rows = np.concatenate((rows, others))
    sums, covered = (np.concatenate((each, np.zeros(len(others), np.float32))) for each in (sums, covered))
    rows = _pruned(relevance, left, threshold / float(_SLACK), rows, sums, covered, _FEW * count)
    found = [rows]
    if relevance.timely is not None and threshold <= relevance.weights.period * _SLACK:
        # All terms were looked up for all of their rows: these have none of them, and all have the same total.
        is_left = relevance.timely.copy()
        is_left[looked_up.rows] = False
        timely = np.flatnonzero(is_left)
        found.append(timely[np.argsort(-sequences[timely])[:count]])
    return distinct(*found), looked_up


def _pruned(
    relevance: Relevance,
    left: Sequence[TermCost],
    threshold: float,
    rows: Rows,
    sums: Scores,
    covered: Scores,
    few: int,
) -> Rows:
    """Return the rows that may reach a threshold. Terms that are left are looked up for them while there are many.

    ``sums`` and ``covered`` are those of the other terms.
    """
    scorer = relevance.words
    for each in left:
        most = scorer.reached(each.term)[rows] * each.idf
        sums, covered = sums + most, covered + most
    meaning = relevance.meaning.at_most(rows)
    is_exact = relevance.meaning.is_complete
    for following in (*left, None):
        places = relevance.reaching(threshold, rows, scorer.of_sums(sums, covered), meaning)
        rows, sums, covered, meaning = rows[places], sums[places], covered[places], meaning[places]
        if following is None or len(rows) <= few:
            break
        if not is_exact and len(rows) <= _COMPARED_MAX:
            meaning, is_exact = relevance.meaning.at(rows), True
        term = following.term
        sums += (scorer.values_at(term, rows) - scorer.reached(term)[rows]) * following.idf
    return rows


def _rare(left: list[TermCost], worth: np.float32, row_count: int) -> list[str]:
    """Remove the first terms from those that are left, and return them: rare ones, and so many that few are left."""
    rare = []
    while left and (_CHEAP * left[0].cost < row_count or (_sum_of(left) / worth) ** 2 > _LEFT_MAX):
        rare.append(left.pop(0).term)
    return rare


def _sum_of(terms: Iterable[TermCost]) -> np.float32:
    return np.float32(sum(each.idf for each in terms))


def _reach(words: Scores, count: int) -> float:
    """Return a score that ``count`` of some reach; 0 if they are fewer."""
    return float(np.partition(words, -count)[-count]) if len(words) >= count else 0.0


def _is_among(rows: Rows, others: Rows) -> Mask:
    """Return a mask of the rows that are among others, which are in order."""
    if not len(others):
        return np.zeros(len(rows), np.bool_)
    is_among: Mask = others.take(np.searchsorted(others, rows), mode="clip") == rows
    return is_among


def _threshold(
    relevance: Relevance,
    looked_up: LookedUpTerms,
    left: Iterable[TermCost],
    rows: Rows,
    words: Scores,
    count: int,
) -> float:
    """Return a score that the best ``count`` of rows reach; 0 if they are fewer. ``words`` are at most their scores."""
    if len(rows) < count:
        return 0.0
    if relevance.timely is not None:
        words = words + np.float32(relevance.weights.period) * relevance.timely[rows].astype(np.float32)
    tried = min(_TRIED * count, len(rows))
    best = np.sort(rows[np.argpartition(words, -tried)[-tried:]])
    small = _SMALL * relevance.words.worth
    ignored = {each.term: np.zeros(tried, np.float32) for each in left if each.idf < small}
    _, _, totals = relevance.at(best, {**looked_up.values_at(best), **ignored})
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
        return meaning.near(MEANING_MIN)
    least = (missing - (1.0 - share) * words) / share if share else math.inf
    if words >= missing or least <= meaning.rest_max or least <= 0.0:
        return None
    others = meaning.near(least)
    return others if len(others) <= _OTHERS * count else None
