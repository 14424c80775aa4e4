"""The scores of memories by their words, and by those of their neighbours.

A term counts once, where its value is highest: in the memory itself, in its neighbours in the conversation, or in its
date. It counts the more the fewer memories have it (BM25's idf), and the more often it occurs, up to a limit (BM25's
saturation). The sum over the terms is multiplied by the share of the query's terms that were found.
"""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
import numpy as np

from memoryd_server.retrieval.column import ROW_NONE, Mask, Rows, Scores
from memoryd_server.retrieval.conversation import Conversations
from memoryd_server.retrieval.time.calendar import Calendar
from memoryd_server.retrieval.words.queried_terms import QueriedTerms


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
    """Scores the rows of an index by the words of a query.

    A term's rarity and the mean length are computed from passing rows only. ``rarity`` has the idf of each term, and
    ``found`` is the share of its sum that is of terms which passing rows have. ``worth`` is its sum.
    """

    def __init__(
        self,
        terms: QueriedTerms,
        looked_for: Iterable[str],
        passing: Mask,
        conversations: Conversations,
        calendar: Calendar,
        weights: WordWeights,
    ) -> None:
        self.worth = np.float32(0.0)
        self._terms = terms
        self._passing = passing
        self._conversations = conversations
        self._calendar = calendar
        self._weights = weights
        self._dated: dict[str, Mask | None] = {}
        count = terms.passing_count
        self._idf = {term: _idf(terms.count_of(term), count) for term in looked_for}
        for idf in self._idf.values():
            self.worth += idf
        self.rarity = {term: float(idf) for term, idf in self._idf.items()}
        found = sum(idf for term, idf in self.rarity.items() if terms.count_of(term))
        self.found = found / max(sum(self.rarity.values()), 1e-9)
        self._mean_length = max(terms.passing_length / count, 1.0) if count else 1.0

    def scores(self) -> Scores:
        """Return the scores of all rows, from 0 to 1; 0 for those that do not pass."""
        partial = self.partial()
        for term in self._idf:
            partial.add(term)
        return self.of_sums(partial.sums, partial.covered) * self._passing

    def scores_at(self, rows: Rows) -> Scores:
        """Return the scores of these rows, which must pass, as ``scores`` does. It is fastest if they are in order."""
        sums: Scores = np.zeros(len(rows), np.float32)
        covered: Scores = np.zeros(len(rows), np.float32)
        around = self._around(rows)
        for term, idf in self._idf.items():
            there = self._nearest_at(term, around)
            sums += there * idf
            covered += (there > 0.0) * idf
        return self.of_sums(sums, covered)

    def partial(self) -> "PartialWords":
        """Return the sums of no term yet."""
        return PartialWords(self, len(self._passing))

    def of_sums(self, sums: Scores, covered: Scores) -> Scores:
        """Return scores of the sums of the terms' values and of the idf of those that were found."""
        scores: Scores = sums * covered
        if self.worth:
            scores /= self.worth * self.worth
        return scores

    def rarest_first(self) -> list["TermCost"]:
        """Return the terms that rows may have, with their cost, the rarest first."""
        there = [TermCost(term, idf, self._cost_of(term)) for term, idf in self._idf.items()]
        return sorted((each for each in there if each.cost), key=lambda each: -each.idf)

    def matching(self) -> Mask:
        """Return a mask of the rows with a score above zero, and perhaps of others that do not pass."""
        own: Mask = np.zeros(len(self._passing), np.bool_)
        said: Mask = np.zeros(len(self._passing), np.bool_)
        for term in self._idf:
            queried = self._terms.find(term)
            if queried is not None:
                queried.mark(own, said)
            dated = self.dated(term)
            if dated is not None:
                own |= dated
        rows = np.flatnonzero(said)
        following, preceding = self._conversations.next.values, self._conversations.previous.values
        for neighbours, weights in ((following, self._weights.before), (preceding, self._weights.after)):
            near = rows
            for _ in weights:
                near = neighbours[near]
                own[near] = True
        own[ROW_NONE] = False
        return own

    def note(self, term: str, nearest: Scores) -> list[Rows]:
        """Raise ``nearest`` to the value of a term for the rows that have it. Return these, some repeatedly."""
        noted = []
        dated = self.dated(term)
        if dated is not None:
            noted.append(np.flatnonzero(dated))
            nearest[noted[0]] = self._weights.date
        queried = self._terms.find(term)
        if queried is not None:
            postings = queried.postings
            noted += self._note_said(postings.rows, postings.counts, postings.speakers, nearest)
        nearest[ROW_NONE] = 0.0
        return noted

    def dated(self, term: str) -> Mask | None:
        """Return a mask of the rows that have a date which a term may name; None if it names none."""
        if term not in self._dated:
            self._dated[term] = self._calendar.rows_of(term, len(self._passing))
        return self._dated[term]

    def idf_of(self, term: str) -> np.float32:
        """Return the idf of a term of the query."""
        return self._idf[term]

    def _note_said(self, rows: Rows, counts: Scores, speakers: Scores | Mask, nearest: Scores) -> list[Rows]:
        weights = self._weights
        said = counts / self._norms(rows)
        np.maximum.at(nearest, rows, self._saturated(said + speakers * np.float32(weights.speaker)))
        # A speaker's name does not count for the neighbours. It may be in half of all rows.
        is_said = said > 0.0
        rows_said, here = rows[is_said], self._saturated(said[is_said])
        asked = self._asked(rows_said, here)
        following, preceding = self._conversations.next.values, self._conversations.previous.values
        return [
            rows,
            *_hand_on(rows_said, asked, following, weights.before, nearest),
            *_hand_on(rows_said, here, preceding, weights.after, nearest),
        ]

    def _nearest_at(self, term: str, around: "_Around") -> Scores:
        """Return the value of a term for each row."""
        rows = around.rows[0]
        nearest: Scores = np.zeros(len(rows), np.float32)
        dated = self.dated(term)
        if dated is not None:
            nearest[dated[rows]] = self._weights.date
        queried = self._terms.find(term)
        if queried is None:
            return nearest
        counts, speakers = queried.at(around.flat)
        said = counts.reshape(around.rows.shape) / around.norms
        own = self._saturated(said[0] + speakers[: len(rows)] * np.float32(self._weights.speaker))
        here = self._saturated(said[1:])
        here[around.is_asked] *= np.float32(self._weights.asked)
        here *= around.weights
        np.maximum(nearest, own, out=nearest)
        np.maximum(nearest, here.max(axis=0, initial=0.0), out=nearest)
        return nearest

    def _around(self, rows: Rows) -> "_Around":
        """Return rows with the neighbours whose words count for them."""
        places, weights = [rows], self._weights
        following, preceding = self._conversations.next.values, self._conversations.previous.values
        for neighbours, steps in ((preceding, weights.before), (following, weights.after)):
            near = rows
            for _ in steps:
                near = neighbours[near]
                places.append(near)
        around = np.stack(places)
        is_asked = self._terms.questions.values[around[1:]]
        is_asked[len(weights.before) :] = False
        factors = np.array((*weights.before, *weights.after), np.float32)[:, np.newaxis]
        return _Around(around, around.ravel(), self._norms(around), is_asked, factors)

    def _cost_of(self, term: str) -> int:
        queried = self._terms.find(term)
        dated = self.dated(term)
        return (0 if queried is None else len(queried)) + (0 if dated is None else int(np.count_nonzero(dated)))

    def _asked(self, rows: Rows, values: Scores) -> Scores:
        return np.where(self._terms.questions.values[rows], values * np.float32(self._weights.asked), values)

    def _norms(self, rows: Rows) -> Scores:
        """Return BM25's length normalisation of rows, relative to the mean length of the passing rows."""
        share = self._weights.length_share
        lengths = self._terms.lengths.values[rows].astype(np.float32)
        return lengths * np.float32(share / self._mean_length) + np.float32(1.0 - share)

    def _saturated(self, occurrences: Scores) -> Scores:
        return occurrences / (occurrences + np.float32(self._weights.saturation))


class _Around(NamedTuple):
    """Rows, each with its neighbours below it; all of them in one dimension; and what their words count for them.

    ``is_asked`` is a mask of the neighbours that ask what the row may answer.
    """

    rows: Rows
    flat: Rows
    norms: Scores
    is_asked: Mask
    weights: Scores


class TermCost(NamedTuple):
    """A term of a query with its idf, and the number of rows that must be looked at to add it."""

    term: str
    idf: np.float32
    cost: int


class PartialWords:
    """The sums of some of a query's terms, for all rows: of their values, and of the idf of those that were found."""

    def __init__(self, scorer: WordScorer, row_count: int) -> None:
        self.sums: Scores = np.zeros(row_count, np.float32)
        self.covered: Scores = np.zeros(row_count, np.float32)
        self._scorer = scorer
        self._nearest: Scores = np.zeros(row_count, np.float32)

    def add(self, term: str) -> None:
        """Add a term."""
        nearest, idf = self._nearest, self._scorer.idf_of(term)
        noted = self._scorer.note(term, nearest)
        # A row that occurs repeatedly gets the same value each time: fancy assignment does not accumulate.
        is_rare = sum(map(len, noted)) * _DENSE_FACTOR < len(nearest)
        where = np.concatenate((_NO_ROWS, *noted)) if is_rare else slice(None)
        there = nearest[where]
        self.sums[where] += there * idf
        self.covered[where] += (there > 0.0) * idf
        nearest[where] = 0.0


_NO_ROWS: Rows = np.zeros(0, np.intp)

_DENSE_FACTOR = 16
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
