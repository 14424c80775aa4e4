"""The relevance of each memory to a query: words, meaning and time, combined in one score."""

import math

import msgspec
import numpy as np

from memoryd_server.ports.retrieval import Query
from memoryd_server.retrieval.column import ROW_NONE, Mask, Scores
from memoryd_server.retrieval.holdings import Holdings
from memoryd_server.retrieval.text.sought import sought_in
from memoryd_server.retrieval.text.term import terms_of
from memoryd_server.retrieval.time.period import Period, period_of
from memoryd_server.retrieval.time.phrase import TimePhrase, time_phrases_in
from memoryd_server.retrieval.weight import Weights
from memoryd_server.retrieval.words.queried_terms import QueriedTerms
from memoryd_server.retrieval.words.word_score import WordScorer, rarity_of

MEANING_MIN = 0.3
"""Minimum score by meaning with which a memory matches without any word of the query."""

_SPREAD_AT_FIRST = 0.1
"""Standard deviation of the scores by meaning that is assumed before there are vectors."""

_FEW = 10
"""Number of vectors at which their mean cosine counts half: the mean of few says little about all texts."""


class Agreement(msgspec.Struct, frozen=True):
    """The scores of all rows, from 0 to 1. ``total`` is 0 for rows that do not pass the filter or do not match.

    ``looked_for`` maps the query's terms to its words that they were derived from, ``terms`` has their rows, and
    ``rarity`` how rare they are among the rows that pass; ``found`` is the share of their rarity that these have.
    ``timely`` are the rows of any of the ``periods`` that the query names. ``spread`` is the standard deviation of
    ``meaning``; None without vectors.
    """

    passing: Mask
    terms: QueriedTerms
    looked_for: dict[str, str]
    rarity: dict[str, float]
    found: float
    periods: tuple[Period, ...]
    words: Scores
    meaning: Scores
    timely: Mask
    spread: float | None
    total: Scores


def agreement_of(holdings: Holdings, query: Query, weights: Weights) -> Agreement:
    """Return the scores of all rows for a query."""
    passing = holdings.table.passing(query.filter)
    phrases = time_phrases_in(query.text, query.now)
    sought = sought_in(query.text, holdings.terms.languages)
    queried = QueriedTerms(holdings.terms, sought, passing, query.strange_words)
    there = {term: each.word for term, each in sought.items() if queried.is_looked_for(term)}
    terms = _without_phrases(there, phrases)
    words = WordScorer(queried, holdings.conversations, holdings.calendar, weights.words).scores_of(terms, passing)
    has_meaning, cosines = holdings.cosines_of(query.vector, query.identity, passing)
    meaning = _meaning_of(cosines, has_meaning)
    share = np.float32(weights.meaning * query.meaning_known)
    total: Scores = words + (meaning - words) * (share * has_meaning.astype(np.float32))
    total *= (words > 0.0) | (meaning >= MEANING_MIN)
    total *= _substance(holdings, weights, len(passing))
    times, mentions = holdings.table.occur_times.values[: len(passing)], holdings.calendar.mentions
    periods = tuple(period_of(phrase, times, mentions, passing) for phrase in phrases)
    timely = _any_of(periods, len(passing))
    total[timely] += np.float32(weights.period) * (np.float32(1.0) - total[timely])
    rarity, found = rarity_of(queried, terms, passing)
    spread = _spread_of(meaning, has_meaning)
    return Agreement(passing, queried, terms, rarity, found, periods, words, meaning, timely, spread, total)


def _without_phrases(terms: dict[str, str], phrases: tuple[TimePhrase, ...]) -> dict[str, str]:
    """Return the terms without those that name a time only today: a memory of last week does not say "last week"."""
    relative: set[str] = set()
    for phrase in phrases:
        relative.update(set(terms_of(phrase.text)) - set(terms_of(" ".join(phrase.names))))
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


def _any_of(periods: tuple[Period, ...], rows: int) -> Mask:
    timely: Mask = np.zeros(rows, np.bool_)
    for period in periods:
        timely |= period.rows
    return timely
