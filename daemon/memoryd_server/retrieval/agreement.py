"""The relevance of memories to a query: words, meaning and time, combined in one score.

Of many memories, only those that may be among the best are scored: a memory with common words of the query alone, or
with no near vector, cannot be.
"""

import msgspec
import numpy as np

from memoryd_server.ports.retrieval import Query
from memoryd_server.retrieval.best import best_of
from memoryd_server.retrieval.column import Mask, Rows, Scores, distinct
from memoryd_server.retrieval.contender import contenders
from memoryd_server.retrieval.currency.wish import Wish, wish_of
from memoryd_server.retrieval.holdings import Holdings
from memoryd_server.retrieval.meaning import Meaning
from memoryd_server.retrieval.relevance import Relevance
from memoryd_server.retrieval.text.name import names_in
from memoryd_server.retrieval.text.sought import sought_in
from memoryd_server.retrieval.text.term import terms_of
from memoryd_server.retrieval.time.period import Period, period_of
from memoryd_server.retrieval.time.phrase import TimePhrase, time_phrases_in
from memoryd_server.retrieval.weight import Weights
from memoryd_server.retrieval.words.looked_up import LookedUpTerms
from memoryd_server.retrieval.words.queried_terms import QueriedTerms
from memoryd_server.retrieval.words.word_score import WordScorer

ALL_MAX = 200_000
"""Maximum number of rows that are all scored: finding out which need not be would take longer."""

NEAR_MIN = 0.1
"""Minimum score by meaning of a candidate that shares no word with the query."""


class Agreement(msgspec.Struct, frozen=True):
    """The scores of rows, from 0 to 1. ``total`` is 0 for rows that do not pass the filter or do not match.

    The scores of ``rows`` are known: of all, or of those among which are the best ``wanted`` by ``total`` and those
    that are ``near`` by meaning. ``look_at`` adds others. ``total_count`` is the number of rows that match.

    ``looked_for`` maps the query's terms to its words that they were derived from, ``terms`` has their rows, and
    ``rarity`` how rare they are among the rows that pass; ``found`` is the share of their rarity that these have, and
    ``unknown_names`` the number of words in capitals that none of these has.
    ``timely`` are the rows of any of the ``periods`` that the query names, and ``wish`` is the time that it asks for.
    ``spread`` is the standard deviation of ``meaning``; None without vectors.
    """

    passing: Mask
    terms: QueriedTerms
    looked_for: dict[str, str]
    rarity: dict[str, float]
    found: float
    unknown_names: int
    periods: tuple[Period, ...]
    wish: Wish
    words: Scores
    meaning: Scores
    timely: Mask
    spread: float | None
    total: Scores
    total_count: int
    wanted: int
    rows: Rows | None
    near: Rows
    relevance: Relevance
    looked_up: LookedUpTerms

    def look_at(self, rows: Rows) -> None:
        """Make the scores of rows known."""
        if self.rows is not None:
            ordered = distinct(rows)
            known = self.relevance.at(ordered, self.looked_up.values_at(ordered))
            self.words[ordered], self.meaning[ordered], self.total[ordered] = known

    def look_around(self, rows: Rows) -> None:
        """Make the scores by meaning of the neighbours of rows known."""
        if not self.relevance.meaning.is_complete:
            conversations = self.relevance.holdings.conversations
            previous, following = conversations.previous.values, conversations.next.values
            before, after = previous[rows], following[rows]
            around = distinct(before, previous[before], after, following[after])
            self.meaning[around] = self.relevance.meaning.at(around)


def agreement_of(
    holdings: Holdings, query: Query, weights: Weights, wanted: int, near_count: int, all_max: int = ALL_MAX
) -> Agreement:
    """Return the scores of the rows among which are the ``wanted`` best for a query, and the nearest by meaning.

    Of at most ``all_max`` rows, those of all are returned.
    """
    passing = holdings.table.passing(query.filter)
    phrases = time_phrases_in(query.text, query.now)
    wish = wish_of(query.text, query.now, phrases)
    sought = sought_in(wish.text, holdings.terms.languages)
    queried = QueriedTerms(holdings.terms, sought, passing, query.strange_words)
    there = {term: each.word for term, each in sought.items() if queried.is_looked_for(term)}
    terms = _without_phrases(there, phrases)
    named = names_in(query.text)
    words = WordScorer(queried, terms, passing, holdings.conversations, holdings.calendar, weights.words)
    meaning = Meaning(holdings, query.vector, query.identity, passing)
    times, mentions = holdings.table.occur_times.values[: len(passing)], holdings.calendar.mentions
    periods = tuple(period_of(phrase, times, mentions, passing) for phrase in phrases)
    timely = _any_of(periods)
    share = np.float32(weights.meaning * query.meaning_known)
    relevance = Relevance(holdings, weights, share, passing, words, meaning, timely)
    sequences = holdings.table.sequences.values
    near = best_of(meaning.scores, sequences, near_count, meaning.nearest(near_count, NEAR_MIN))
    rows, looked_up = None, LookedUpTerms(words)
    if len(passing) <= all_max and meaning.is_complete:
        scores, total = relevance.all()
        count, wanted = int(np.count_nonzero(total)), len(passing)
    else:
        best, looked_up = contenders(relevance, wanted, sequences)
        rows = distinct(best, near)
        scores, total = np.zeros(len(passing), np.float32), np.zeros(len(passing), np.float32)
        count = relevance.matching_count(looked_up)
    found = Agreement(
        passing,
        queried,
        terms,
        words.rarity,
        words.found,
        sum(not queried.count_of(term) for term, word in terms.items() if word in named),
        periods,
        wish,
        scores,
        meaning.scores,
        timely if timely is not None else np.zeros(len(passing), np.bool_),
        meaning.spread,
        total,
        count,
        wanted,
        rows,
        near,
        relevance,
        looked_up,
    )
    if rows is not None:
        found.look_at(rows)
    return found


def _without_phrases(terms: dict[str, str], phrases: tuple[TimePhrase, ...]) -> dict[str, str]:
    """Return the terms without those that name a time only today: a memory of last week does not say "last week"."""
    relative: set[str] = set()
    for phrase in phrases:
        relative.update(set(terms_of(phrase.text)) - set(terms_of(" ".join(phrase.names))))
    return {term: word for term, word in terms.items() if term not in relative}


def _any_of(periods: tuple[Period, ...]) -> Mask | None:
    return np.logical_or.reduce([period.rows for period in periods]) if periods else None
