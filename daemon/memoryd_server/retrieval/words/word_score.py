"""The scores of memories by their words, and by those of their neighbours.

A term counts once, where its value is highest: in the memory itself, in its neighbours in the conversation, or in its
date. It counts the more the fewer memories have it (BM25's idf), and the more often it occurs, up to a limit (BM25's
saturation). The sum over the terms is multiplied by the share of the query's terms that were found.
"""

from collections.abc import Iterable

import msgspec
import numpy as np

from memoryd_server.retrieval.column import ROW_NONE, Mask, Rows, Scores
from memoryd_server.retrieval.conversation import Conversations
from memoryd_server.retrieval.time.calendar import Calendar
from memoryd_server.retrieval.words.postings import Postings
from memoryd_server.retrieval.words.queried_terms import MergedPostings, QueriedTerms


class WordWeights(msgspec.Struct, frozen=True):
    """The weights of words. Measured on dialogue (docs/recall.md); all are at flat optima.

    ``saturation`` and ``length_share`` are BM25's k1 and b. A term in the speaker's name counts as ``speaker``
    occurrences. ``before`` and ``after`` weigh the words of the preceding and following memories of the conversation,
    the nearest first; ``asked`` multiplies ``before`` if the preceding memory is a question, which the next one
    probably answers. ``date`` weighs the words of the date.
    """

    saturation: float = 1.0
    length_share: float = 0.75
    speaker: float = 2.0
    before: tuple[float, ...] = (0.7, 0.5)
    after: tuple[float, ...] = (0.2, 0.1)
    asked: float = 1.2
    date: float = 0.5


class WordScorer:
    """Scores the rows of an index by words. A term's rarity and the mean length are computed from passing rows only."""

    def __init__(
        self, terms: QueriedTerms, conversations: Conversations, calendar: Calendar, weights: WordWeights
    ) -> None:
        self._terms = terms
        self._conversations = conversations
        self._calendar = calendar
        self._weights = weights

    def scores_of(self, looked_for: Iterable[str], passing: Mask) -> Scores:
        """Return the scores of all rows, from 0 to 1; 0 for those that do not pass."""
        row_count = len(passing)
        score: Scores = np.zeros(row_count, np.float32)
        covered: Scores = np.zeros(row_count, np.float32)
        nearest: Scores = np.zeros(row_count, np.float32)
        passing_count = int(np.count_nonzero(passing))
        if not passing_count:
            return score
        norms = self._norms(passing, passing_count)
        worth = np.float32(0.0)
        for term in looked_for:
            postings = self._terms.find(term)
            rows = postings.rows if postings is not None else _NO_ROWS
            idf = _idf(int(np.count_nonzero(passing[rows])), passing_count)
            worth += idf
            noted = [*self._note_date(term, nearest), *self._note_said(postings, rows, norms, nearest)]
            nearest[ROW_NONE] = 0.0
            # A row that occurs repeatedly gets the same value each time: fancy assignment does not accumulate.
            is_rare = sum(map(len, noted)) * _DENSE_FACTOR < row_count
            where = np.concatenate((_NO_ROWS, *noted)) if is_rare else slice(None)
            there = nearest[where]
            score[where] += there * idf
            covered[where] += (there > 0.0) * idf
            nearest[where] = 0.0
        if worth:
            score *= covered
            score *= passing
            score /= worth * worth
        return score

    def _norms(self, passing: Mask, passing_count: int) -> Scores:
        """Return BM25's length normalisation of each row, relative to the mean length of the passing rows."""
        lengths = self._terms.lengths.values[: len(passing)]
        mean = max(int(lengths.sum(where=passing, dtype=np.int64)) / passing_count, 1.0)
        share = self._weights.length_share
        return lengths.astype(np.float32) * np.float32(share / mean) + np.float32(1.0 - share)

    def _note_date(self, term: str, nearest: Scores) -> list[Rows]:
        """Set ``nearest`` for the rows with the term in their date. Return these rows."""
        dated = self._calendar.rows_of(term, len(nearest))
        if dated is None:
            return []
        rows = np.flatnonzero(dated)
        nearest[rows] = self._weights.date
        return [rows]

    def _note_said(
        self, postings: Postings | MergedPostings | None, rows: Rows, norms: Scores, nearest: Scores
    ) -> list[Rows]:
        """Raise ``nearest`` for the rows with the term and for their neighbours. Return these rows, some repeatedly."""
        if postings is None:
            return []
        weights = self._weights
        said = postings.counts / norms[rows]
        speakers = postings.speakers * np.float32(weights.speaker)
        np.maximum.at(nearest, rows, self._saturated(said + speakers))
        # A speaker's name does not count for the neighbours. It may be in half of all rows.
        is_said = said > 0.0
        rows_said, here = rows[is_said], self._saturated(said[is_said])
        asked = np.where(self._terms.questions.values[rows_said], here * np.float32(weights.asked), here)
        return [
            rows,
            *_hand_on(rows_said, asked, self._conversations.next.values, weights.before, nearest),
            *_hand_on(rows_said, here, self._conversations.previous.values, weights.after, nearest),
        ]

    def _saturated(self, occurrences: Scores) -> Scores:
        return occurrences / (occurrences + np.float32(self._weights.saturation))


def rarity_of(terms: QueriedTerms, looked_for: Iterable[str], passing: Mask) -> tuple[dict[str, float], float]:
    """Return the idf of terms among the rows that pass, and the share of its sum that is of terms which these have."""
    count = int(np.count_nonzero(passing))
    rarity, found = dict[str, float](), 0.0
    for term in looked_for:
        postings = terms.find(term)
        having = int(np.count_nonzero(passing[postings.rows])) if postings is not None else 0
        rarity[term] = float(_idf(having, count))
        found += rarity[term] if having else 0.0
    return rarity, found / max(sum(rarity.values()), 1e-9)


_NO_ROWS: Rows = np.zeros(0, np.intp)

_DENSE_FACTOR = 4
"""Cost of accessing a row by its number, as a multiple of its cost in a pass over all rows: measured."""


def _idf(having: int, of: int) -> np.float32:
    return np.float32(np.log1p((of - having + 0.5) / (having + 0.5)))


def _hand_on(rows: Rows, values: Scores, neighbours: Rows, weights: tuple[float, ...], nearest: Scores) -> list[Rows]:
    """Raise ``nearest`` to the weighted values for the neighbours of rows, one step per weight. Return these rows."""
    noted = []
    for weight in weights:
        rows = neighbours[rows]
        np.maximum.at(nearest, rows, values * np.float32(weight))
        noted.append(rows)
    return noted
