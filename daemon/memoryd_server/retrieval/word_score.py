"""How well the words of memories, and those around them, agree with what is looked for.

A term counts where it is nearest: in the memory itself, in what was said just before or after, or in its date. It
counts the more the fewer memories have it (BM25's idf), and the more often it is there, up to a limit (BM25's
saturation). What the terms bring together is multiplied by how much of the query is there at all.
"""

from collections.abc import Iterable

import msgspec
import numpy as np

from memoryd_server.retrieval.calendar import Calendar
from memoryd_server.retrieval.column import ROW_NONE, Mask, Rows, Scores
from memoryd_server.retrieval.conversation import Conversations
from memoryd_server.retrieval.postings import Postings
from memoryd_server.retrieval.term_index import TermIndex


class WordWeights(msgspec.Struct, frozen=True):
    """What words count for. Measured on dialogue: docs/recall.md; all are on flat optima.

    ``saturation`` and ``length_share`` are BM25's k1 and b. ``speaker`` is what a name before the colon counts for, in
    occurrences. ``before`` and ``after`` are for the words of the neighbours in the conversation, the nearest first;
    ``asked`` multiplies that of a preceding question: what follows it answers it. ``date`` is for words of the date.
    """

    saturation: float = 1.0
    length_share: float = 0.75
    speaker: float = 2.0
    before: tuple[float, ...] = (0.7, 0.5)
    after: tuple[float, ...] = (0.2, 0.1)
    asked: float = 1.2
    date: float = 0.5


class WordScorer:
    """Scores the rows of an index by words. Only rows that pass count for how rare a term is and how long a text."""

    def __init__(
        self, terms: TermIndex, conversations: Conversations, calendar: Calendar, weights: WordWeights
    ) -> None:
        self._terms = terms
        self._conversations = conversations
        self._calendar = calendar
        self._weights = weights

    def scores_of(self, looked_for: Iterable[str], passing: Mask) -> Scores:
        """The scores of all rows, from 0 to 1; 0 for those that do not pass."""
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
            # A row that was noted repeatedly is given the same sum each time.
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
        """How much longer each row is than the mean of those that pass, as far as that counts."""
        lengths = self._terms.lengths.values[: len(passing)]
        mean = max(int(lengths.sum(where=passing, dtype=np.int64)) / passing_count, 1.0)
        share = self._weights.length_share
        return lengths.astype(np.float32) * np.float32(share / mean) + np.float32(1.0 - share)

    def _note_date(self, term: str, nearest: Scores) -> list[Rows]:
        """Note which rows have the term in their date. Answers them."""
        dated = self._calendar.rows_of(term, len(nearest))
        if dated is None:
            return []
        rows = np.flatnonzero(dated)
        nearest[rows] = self._weights.date
        return [rows]

    def _note_said(self, postings: Postings | None, rows: Rows, norms: Scores, nearest: Scores) -> list[Rows]:
        """Note how near the rows that have the term and those around them have it. Answers them, some repeatedly."""
        if postings is None:
            return []
        weights = self._weights
        said = postings.counts / norms[rows]
        speakers = postings.speakers * np.float32(weights.speaker)
        np.maximum.at(nearest, rows, self._saturated(said + speakers))
        # What only names who speaks is not handed on, and may be half of all rows.
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


_NO_ROWS: Rows = np.zeros(0, np.intp)

_DENSE_FACTOR = 4
"""To reach a row by its number costs so many times what it costs in the sequence of all: measured."""


def _idf(having: int, of: int) -> np.float32:
    return np.float32(np.log1p((of - having + 0.5) / (having + 0.5)))


def _hand_on(rows: Rows, values: Scores, neighbours: Rows, weights: tuple[float, ...], nearest: Scores) -> list[Rows]:
    """Note the values at the neighbours of rows, and at theirs, as far as there are weights. Answers these."""
    noted = []
    for weight in weights:
        rows = neighbours[rows]
        np.maximum.at(nearest, rows, values * np.float32(weight))
        noted.append(rows)
    return noted
