"""The terms of a query that were looked up for all rows that have them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.column import Rows, Scores
from memoryd_server.retrieval.words.word_score import WordScorer

_PLACE_BITS = 8
_PLACE_MASK = np.uint32((1 << _PLACE_BITS) - 1)
_VALUE_BITS = np.uint64(32)

_TOGETHER = 1 << _PLACE_BITS
"""Maximum number of terms in a group: there is room for the place of each."""


class _Group(NamedTuple):
    """Some of the terms, and where they are: the number of a row with the place of a term in its lowest bits, in order
    and each once, and the value of the term in the row.
    """

    terms: list[str]
    where: NDArray[np.uint32]
    values: Scores


class LookedUpTerms:
    """The rows that have any of the terms that were looked up, in order, with two sums: of the terms' values, each
    times its idf, and of the idf of the terms that were found. The sums are subject to rounding.
    """

    def __init__(self, scorer: WordScorer) -> None:
        self.rows: Rows = np.zeros(0, np.intp)
        self.sums: Scores = np.zeros(0, np.float32)
        self.covered: Scores = np.zeros(0, np.float32)
        self._scorer = scorer
        self._groups: list[_Group] = []

    def __contains__(self, term: str) -> bool:
        """Return True if a term was looked up."""
        return any(term in group.terms for group in self._groups)

    def add(self, terms: Sequence[str]) -> None:
        """Look up terms that were not looked up yet."""
        for first in range(0, len(terms), _TOGETHER):
            self._add(terms[first : first + _TOGETHER])
        if terms:
            self._sum()

    def values_at(self, rows: Rows) -> Mapping[str, Scores]:
        """Return the values of the terms in these rows."""
        found: dict[str, Scores] = {}
        low = rows.astype(np.uint32) << np.uint32(_PLACE_BITS)
        for group in self._groups:
            first = np.searchsorted(group.where, low)
            counts = np.searchsorted(group.where, low | _PLACE_MASK, side="right") - first
            owners = np.repeat(np.arange(len(rows)), counts)
            there = np.arange(len(owners)) + np.repeat(first - np.cumsum(counts) + counts, counts)
            values: Scores = np.zeros((len(group.terms), len(rows)), np.float32)
            values[group.where[there] & _PLACE_MASK, owners] = group.values[there]
            found.update(zip(group.terms, values, strict=True))
        return found

    def _add(self, terms: Sequence[str]) -> None:
        before = self._groups.pop() if self._groups else _NOTHING
        if len(before.terms) + len(terms) > _TOGETHER:
            self._groups.append(before)
            before = _NOTHING
        keys = np.concatenate((_NO_KEYS, *_keys_of(before), *self._keys_of(terms, len(before.terms))))
        keys.sort()
        where, values = (keys >> _VALUE_BITS).astype(np.uint32), keys.astype(np.uint32).view(np.float32)
        # Of the values of a term in a row, the last one is the greatest. ROW_NONE is no row.
        is_last = np.ones(len(where), np.bool_)
        np.not_equal(where[1:], where[:-1], out=is_last[:-1])
        is_last[: np.searchsorted(where, _PLACE_MASK, side="right")] = False
        self._groups.append(_Group([*before.terms, *terms], where[is_last], values[is_last]))

    def _keys_of(self, terms: Sequence[str], first: int) -> Iterator[NDArray[np.uint64]]:
        """Yield where terms are, in the upper bits, and the bits of their values, for places that begin at a number.

        They are in no order, and some are of the same term in a row. As whole numbers, the bits of values above zero
        are in the order of the values.
        """
        for rows, places, values in self._scorer.occurrences(terms):
            yield _keys(rows.astype(np.uint32), places.astype(np.uint32) + np.uint32(first), values)
        value = np.float32(self._scorer.date_value)
        for place, term in enumerate(terms, first):
            dated = self._scorer.dated(term) if value else None
            if dated is not None:
                rows = np.flatnonzero(dated)
                yield _keys(rows.astype(np.uint32), np.uint32(place), np.full(len(rows), value))

    def _sum(self) -> None:
        rows = np.concatenate([group.where >> np.uint32(_PLACE_BITS) for group in self._groups])
        idf = np.concatenate([self._idf_in(group) for group in self._groups])
        sums = np.concatenate([group.values for group in self._groups]) * idf
        if len(self._groups) > 1:
            order = np.argsort(rows, kind="stable")
            rows, sums, idf = rows[order], sums[order], idf[order]
        is_first = np.ones(len(rows), np.bool_)
        np.not_equal(rows[1:], rows[:-1], out=is_first[1:])
        starts = np.flatnonzero(is_first)
        self.rows = rows[starts].astype(np.intp)
        if len(starts):
            self.sums, self.covered = np.add.reduceat(sums, starts), np.add.reduceat(idf, starts)

    def _idf_in(self, group: _Group) -> Scores:
        idf = np.array([self._scorer.idf_of(term) for term in group.terms], np.float32)
        found: Scores = idf[group.where & _PLACE_MASK]
        return found


_NO_KEYS: NDArray[np.uint64] = np.zeros(0, np.uint64)
_NOTHING = _Group([], np.zeros(0, np.uint32), np.zeros(0, np.float32))


def _keys_of(group: _Group) -> Iterator[NDArray[np.uint64]]:
    if len(group.where):
        keys = group.where.astype(np.uint64)
        keys <<= _VALUE_BITS
        keys |= group.values.view(np.uint32)
        yield keys


def _keys(rows: NDArray[np.uint32], places: NDArray[np.uint32] | np.uint32, values: Scores) -> NDArray[np.uint64]:
    rows <<= np.uint32(_PLACE_BITS)
    rows |= places
    keys = rows.astype(np.uint64)
    keys <<= _VALUE_BITS
    keys |= values.view(np.uint32)
    return keys
