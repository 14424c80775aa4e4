"""The relevance of rows: the scores by words and by meaning, and the time that the query names, as one score."""

from collections.abc import Mapping

import msgspec
import numpy as np

from memoryd_server.retrieval.column import ROW_NONE, Mask, Rows, Scores
from memoryd_server.retrieval.holdings import Holdings
from memoryd_server.retrieval.meaning import Meaning
from memoryd_server.retrieval.weight import Weights
from memoryd_server.retrieval.words.looked_up import LookedUpTerms
from memoryd_server.retrieval.words.word_score import WordScorer

MEANING_MIN = 0.3
"""Minimum score by meaning with which a memory matches without any word of the query."""


class Relevance(msgspec.Struct, frozen=True):
    """The parts of the first stage's scores for a query. ``meaning_share`` is the share of the meaning in the score.

    ``timely`` is a mask of the passing rows that are of a time that the query names; None if it names none.
    """

    holdings: Holdings
    weights: Weights
    meaning_share: np.float32
    passing: Mask
    words: WordScorer
    meaning: Meaning
    timely: Mask | None

    def all(self) -> tuple[Scores, Scores]:
        """Return the scores of all rows by words, and in total."""
        words = self.words.scores()
        return words, self._combined(words, self.meaning.scores, slice(0, len(self.passing)))

    def at(self, rows: Rows, known: Mapping[str, Scores]) -> tuple[Scores, Scores, Scores]:
        """Return the scores of these rows by words, by meaning, and in total; 0 for rows that do not pass.

        ``known`` are the values of some terms in these rows.
        """
        words, meaning = self.words.scores_at(rows, known) * self.passing[rows], self.meaning.at(rows)
        return words, meaning, self._combined(words, meaning, rows)

    def reaching(self, threshold: float, rows: Rows, words: Scores, meaning: Scores) -> Rows:
        """Return the places of the rows whose total may reach a threshold, given bounds of their scores."""
        bounds = meaning - words
        np.maximum(bounds, 0.0, out=bounds)
        bounds *= self.meaning_share
        bounds += words
        if self.timely is not None:
            bounds += self.timely[rows] * np.float32(self.weights.period)
        some = np.flatnonzero(bounds >= threshold)
        return some[self._combined(words[some], meaning[some], rows[some]) >= threshold]

    def matching_count(self, looked_up: LookedUpTerms) -> int:
        """Return the number of rows with a total above zero, of which some with a near vector alone may be missing."""
        matching: Mask = np.zeros(len(self.passing), np.bool_)
        matching[looked_up.rows] = True
        for term in self.words.rarity:
            if term not in looked_up:
                matching |= self.words.reached(term)
        matching &= self.passing
        matching[self.meaning.near(MEANING_MIN)] = True
        matching &= self.holdings.terms.lengths.values[: len(self.passing)] > 0
        if self.timely is not None:
            matching |= self.timely
        return int(np.count_nonzero(matching))

    def _combined(self, words: Scores, meaning: Scores, rows: Rows | slice) -> Scores:
        total: Scores = words + (meaning - words) * (self.meaning_share * self.meaning.has[rows].astype(np.float32))
        total *= (words > 0.0) | (meaning >= MEANING_MIN)
        total *= self._substance(rows)
        if self.timely is not None:
            there = self.timely[rows]
            total[there] += np.float32(self.weights.period) * (np.float32(1.0) - total[there])
        return total

    def _substance(self, rows: Rows | slice) -> Scores:
        """Return a factor for each row, from 0 to 1: short memories and questions say less."""
        weights, conversations = self.weights, self.holdings.conversations
        lengths = self.holdings.terms.lengths.values[rows].astype(np.float32)
        is_alone = (conversations.previous.values[rows] == ROW_NONE) & (conversations.next.values[rows] == ROW_NONE)
        terms = np.where(is_alone, np.float32(weights.substance_terms_alone), np.float32(weights.substance_terms))
        substance: Scores = lengths / (lengths + terms)
        substance *= np.float32(1.0) - np.float32(weights.question) * self.holdings.terms.questions.values[rows]
        return substance
