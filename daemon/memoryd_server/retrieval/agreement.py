"""How well each memory agrees with a query: words, meaning and time, made one score."""

import msgspec
import numpy as np

from memoryd_server.ports.retrieval import Query
from memoryd_server.retrieval.calendar import names_date
from memoryd_server.retrieval.column import Mask, Scores
from memoryd_server.retrieval.holdings import Holdings
from memoryd_server.retrieval.term import looked_for, terms_of
from memoryd_server.retrieval.time_phrase import TimePhrase, time_phrase_in
from memoryd_server.retrieval.weight import Weights
from memoryd_server.retrieval.word_score import WordScorer

MEANING_MIN = 0.3
"""A memory without any word of the query matches from this meaning on."""

_FEW = 10
"""The mean cosine of so few vectors tells little of what is common to all: it counts half."""


class Agreement(msgspec.Struct, frozen=True):
    """The scores of all rows, from 0 to 1. ``total`` is 0 for rows that do not pass or do not match.

    ``looked_for`` has the terms of the query with the words that they come of.
    """

    passing: Mask
    looked_for: dict[str, str]
    phrase: TimePhrase | None
    words: Scores
    meaning: Scores
    timely: Mask
    total: Scores


def agreement_of(holdings: Holdings, query: Query, weights: Weights) -> Agreement:
    """The scores of all rows for a query."""
    passing = holdings.table.passing(query.criteria)
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
    return Agreement(passing, terms, phrase, words, meaning, timely, total)


def _without_phrase(terms: dict[str, str], phrase: TimePhrase | None) -> dict[str, str]:
    """The terms without those of a phrase that tell a time from now: what was "last week" does not say so."""
    relative = {term for term in terms_of(phrase.text) if not names_date(term)} if phrase is not None else set()
    return {term: word for term, word in terms.items() if term not in relative}


def _meaning_of(cosines: Scores, has: Mask) -> Scores:
    """Cosines as scores: what they are above the mean of all, as a share of what they could be.

    Embedders differ in how near the most different texts are to each other. The mean is taken over whole numbers, so
    that the order of adding changes nothing.
    """
    count = int(np.count_nonzero(has))
    mean = int(np.rint(cosines * np.float32(2**20)).sum(dtype=np.int64)) / 2**20 / (count + _FEW)
    mean = min(max(mean, 0.0), 0.99)
    scores: Scores = np.clip((cosines - np.float32(mean)) / np.float32(1.0 - mean), 0.0, 1.0)
    scores *= has
    return scores


def _substance(holdings: Holdings, weights: Weights, rows: int) -> Scores:
    """How much a memory can answer at all."""
    lengths = holdings.terms.lengths.values[:rows].astype(np.float32)
    substance: Scores = lengths / (lengths + np.float32(weights.substance_terms))
    substance *= np.float32(1.0) - np.float32(weights.question) * holdings.terms.questions.values[:rows]
    return substance


def _timely(holdings: Holdings, phrase: TimePhrase | None, passing: Mask) -> Mask:
    """Which rows are of the time that the query names."""
    if phrase is None:
        return np.zeros(len(passing), np.bool_)
    times = holdings.table.occur_times.values[: len(passing)]
    return passing & (times >= phrase.start) & (times < phrase.end)
