"""The relevance of each memory to a query: words, meaning and time, combined in one score."""

import math

import msgspec
import numpy as np

from memoryd_server.ports.retrieval import Query
from memoryd_server.retrieval.calendar import names_date
from memoryd_server.retrieval.column import ROW_NONE, Mask, Scores
from memoryd_server.retrieval.holdings import Holdings
from memoryd_server.retrieval.term import looked_for, terms_of
from memoryd_server.retrieval.time_phrase import TimePhrase, time_phrase_in
from memoryd_server.retrieval.weight import Weights
from memoryd_server.retrieval.word_score import WordScorer, rarity_of

MEANING_MIN = 0.3
"""Minimum score by meaning with which a memory matches without any word of the query."""

_SPREAD_AT_FIRST = 0.1
"""Standard deviation of the scores by meaning that is assumed before there are vectors."""

_FEW = 10
"""Number of vectors at which their mean cosine counts half: the mean of few says little about all texts."""


class Agreement(msgspec.Struct, frozen=True):
    """The scores of all rows, from 0 to 1. ``total`` is 0 for rows that do not pass the filter or do not match.

    ``looked_for`` maps the query's terms to its words that they were derived from, and ``rarity`` to how rare they are
    among the rows that pass; ``found`` is the share of their rarity that these have. ``spread`` is the standard
    deviation of ``meaning``; None without vectors.
    """

    passing: Mask
    looked_for: dict[str, str]
    rarity: dict[str, float]
    found: float
    phrase: TimePhrase | None
    words: Scores
    meaning: Scores
    timely: Mask
    spread: float | None
    total: Scores


def agreement_of(holdings: Holdings, query: Query, weights: Weights) -> Agreement:
    """Return the scores of all rows for a query."""
    passing = holdings.table.passing(query.filter)
    phrase = time_phrase_in(query.text, query.now)
    terms = _without_phrase(looked_for(query.text), phrase)
    words = WordScorer(holdings.terms, holdings.conversations, holdings.calendar, weights.words).scores_of(
        terms, passing
    )
    has_meaning, cosines = holdings.cosines_of(query.vector, query.identity, passing)
    meaning = _meaning_of(cosines, has_meaning)
    share = np.float32(weights.meaning)
    total: Scores = words + (meaning - words) * (share * has_meaning.astype(np.float32))
    total *= (words > 0.0) | (meaning >= MEANING_MIN)
    total *= _substance(holdings, weights, len(passing))
    timely = _timely(holdings, phrase, passing)
    total[timely] += np.float32(weights.period) * (np.float32(1.0) - total[timely])
    rarity, found = rarity_of(holdings.terms, terms, passing)
    spread = _spread_of(meaning, has_meaning)
    return Agreement(passing, terms, rarity, found, phrase, words, meaning, timely, spread, total)


def _without_phrase(terms: dict[str, str], phrase: TimePhrase | None) -> dict[str, str]:
    """Return the terms without those of a relative phrase: a memory of last week does not contain "last week"."""
    relative = {term for term in terms_of(phrase.text) if not names_date(term)} if phrase is not None else set()
    return {term: word for term, word in terms.items() if term not in relative}


def _meaning_of(cosines: Scores, has: Mask) -> Scores:
    """Return cosines as scores: the amount above the mean of all, as a share of the greatest possible amount.

    Subtracting the mean makes embedders comparable: some give a high cosine even to unrelated texts. The mean is taken
    over integers, so that it does not depend on the order of addition.
    """
    count = int(np.count_nonzero(has))
    mean = int(np.rint(cosines * np.float32(2**20)).sum(dtype=np.int64)) / 2**20 / (count + _FEW)
    mean = min(max(mean, 0.0), 0.99)
    scores: Scores = np.clip((cosines - np.float32(mean)) / np.float32(1.0 - mean), 0.0, 1.0)
    scores *= has
    return scores


def _spread_of(meaning: Scores, has: Mask) -> float | None:
    """Return the standard deviation of scores by meaning, not less than that of few unrelated texts."""
    count = int(np.count_nonzero(has))
    if not count:
        return None
    squares = int(np.rint(np.square(meaning, dtype=np.float64) * 2**20).sum(dtype=np.int64)) / 2**20
    return math.sqrt((squares + _FEW * _SPREAD_AT_FIRST**2) / (count + _FEW))


def _substance(holdings: Holdings, weights: Weights, rows: int) -> Scores:
    """Return a factor for each row, from 0 to 1: short memories and questions say less."""
    lengths = holdings.terms.lengths.values[:rows].astype(np.float32)
    conversations = holdings.conversations
    is_alone = (conversations.previous.values[:rows] == ROW_NONE) & (conversations.next.values[:rows] == ROW_NONE)
    terms = np.where(is_alone, np.float32(weights.substance_terms_alone), np.float32(weights.substance_terms))
    substance: Scores = lengths / (lengths + terms)
    substance *= np.float32(1.0) - np.float32(weights.question) * holdings.terms.questions.values[:rows]
    return substance


def _timely(holdings: Holdings, phrase: TimePhrase | None, passing: Mask) -> Mask:
    """Return a mask of the rows that pass and are of the time that the query names."""
    if phrase is None:
        return np.zeros(len(passing), np.bool_)
    times = holdings.table.occur_times.values[: len(passing)]
    return passing & (times >= phrase.start) & (times < phrase.end)
