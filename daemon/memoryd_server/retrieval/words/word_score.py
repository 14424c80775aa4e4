"""The scores of memories by their words, and by those of their neighbours.

A term counts once, where its value is highest: in the memory itself, in its neighbours in the conversation, or in its
date. It counts the more the fewer memories have it (BM25's idf), and the more often it occurs, up to a limit (BM25's
saturation). The sum over the terms is multiplied by the share of the query's terms that were found.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.column import ROW_NONE, Mask, Rows, Scores
from memoryd_server.retrieval.conversation import Conversations
from memoryd_server.retrieval.time.calendar import Calendar
from memoryd_server.retrieval.words.queried_terms import QueriedTerms

_NOTHING: Mapping[str, Scores] = {}


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
        self._reached: dict[str, Mask] = {}
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
        terms, count = list(self._idf), len(self._passing)
        sums: Scores = np.zeros(count, np.float32)
        covered: Scores = np.zeros(count, np.float32)
        together = max(_TOGETHER // count, 1)
        for first in range(0, len(terms), together):
            some = terms[first : first + together]
            # One term after the other, as scores_at adds them: sums of floating point depend on their order.
            for term, nearest in zip(some, self._nearest(some), strict=True):
                idf = self._idf[term]
                covered += (nearest > 0.0) * idf
                nearest *= idf
                sums += nearest
        return self.of_sums(sums, covered) * self._passing

    def _nearest(self, terms: Sequence[str]) -> Scores:
        """Return the values of terms for all rows: a row for each term."""
        count = len(self._passing)
        nearest: Scores = np.zeros((len(terms), count), np.float32)
        for place, term in enumerate(terms):
            dated = self.dated(term)
            if dated is not None:
                nearest[place, dated] = self._weights.date
        flat = nearest.ravel()
        for rows, places, values in self.occurrences(terms):
            np.maximum.at(flat, places * count + rows, values)
        nearest[:, ROW_NONE] = 0.0
        return nearest

    def scores_at(self, rows: Rows, known: Mapping[str, Scores] = _NOTHING) -> Scores:
        """Return the scores of these rows, which must pass, as ``scores`` does. It is fastest if they are in order.

        ``known`` are the values of some terms in these rows.
        """
        sums: Scores = np.zeros(len(rows), np.float32)
        covered: Scores = np.zeros(len(rows), np.float32)
        for term, idf in self._idf.items():
            there = known[term] if term in known else self.values_at(term, rows)
            sums += there * idf
            covered += (there > 0.0) * idf
        return self.of_sums(sums, covered)

    def values_at(self, term: str, rows: Rows) -> Scores:
        """Return the value of a term for each of these rows. It is fastest if they are in order."""
        reached = self._reached.get(term)
        if reached is None:
            return self._nearest_at(term, self._around(rows))
        values: Scores = np.zeros(len(rows), np.float32)
        places = np.flatnonzero(reached[rows])
        values[places] = self._nearest_at(term, self._around(rows[places]))
        return values

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

    def reached(self, term: str) -> Mask:
        """Return a mask of the rows for which a term has a value, and perhaps others: it may be said next to them."""
        reached = self._reached.get(term)
        if reached is None:
            reached = self._reached[term] = np.zeros(len(self._passing), np.bool_)
            queried, dated = self._terms.find(term), self.dated(term)
            if queried is not None:
                queried.mark(reached)
                said = queried.said_rows
                following, preceding = self._conversations.next.values, self._conversations.previous.values
                for neighbours, steps in ((following, self._weights.before), (preceding, self._weights.after)):
                    near = said
                    for _ in steps:
                        near = neighbours[near]
                        reached[near] = True
            if dated is not None:
                reached |= dated
            reached[ROW_NONE] = False
        return reached

    @property
    def date_value(self) -> float:
        """The value of a term for the rows that have it as their date."""
        return self._weights.date

    def dated(self, term: str) -> Mask | None:
        """Return a mask of the rows that have a date which a term may name; None if it names none."""
        if term not in self._dated:
            self._dated[term] = self._calendar.rows_of(term, len(self._passing))
        return self._dated[term]

    def idf_of(self, term: str) -> np.float32:
        """Return the idf of a term of the query."""
        return self._idf[term]

    def occurrences(self, terms: Sequence[str]) -> Iterator[tuple[Rows, NDArray[np.intp], Scores]]:
        """Yield rows that have terms themselves or next to them, with the terms' places and values, some repeatedly."""
        weights = self._weights
        there = [
            (place, *queried.postings.read())
            for place, term in enumerate(terms)
            if (queried := self._terms.find(term)) is not None
        ]
        if not there:
            return
        rows: Rows = np.concatenate([rows for _, rows, _, _ in there])
        counts: Scores = np.concatenate([counts for _, _, counts, _ in there])
        speakers: Scores = np.concatenate([speakers for _, _, _, speakers in there])
        places = np.repeat([place for place, _, _, _ in there], [len(rows) for _, rows, _, _ in there])
        said: Scores = counts / self._norms(rows)
        yield rows, places, self._saturated(said + speakers * np.float32(weights.speaker))
        # A speaker's name does not count for the neighbours. It may be in half of all rows.
        is_said = np.flatnonzero(said > 0.0)
        rows, places, here = rows[is_said], places[is_said], self._saturated(said[is_said])
        asked = np.where(self._terms.questions.values[rows], here * np.float32(weights.asked), here)
        following, preceding = self._conversations.next.values, self._conversations.previous.values
        for neighbours, values, steps in ((following, asked, weights.before), (preceding, here, weights.after)):
            near = rows
            for weight in steps:
                near = neighbours[near]
                yield near, places, values * np.float32(weight)

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
        said: Scores = counts.reshape(around.rows.shape) / around.norms
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


_TOGETHER = 1 << 21
"""Number of values of terms in rows that are computed at a time, for the sake of memory."""


def _idf(having: int, of: int) -> np.float32:
    return np.float32(np.log1p((of - having + 0.5) / (having + 0.5)))
