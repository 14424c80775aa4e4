"""The terms of a query in an index: each with the rows that have it in any of its forms."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.column import Column, Mask, Rows
from memoryd_server.retrieval.postings import Postings
from memoryd_server.retrieval.term_index import TermIndex
from memoryd_server.retrieval.text.sought import Sought

_DENIED_SHARE = 0.7
"""Share of a term's occurrences that count in a memory that denies it."""


class MergedPostings:
    """The rows that have a term in any of several forms, each once, with the counts of the form that counts most.

    Rows of ``denials`` count less. It is read as ``Postings`` are.
    """

    __slots__ = ("counts", "rows", "speakers")

    def __init__(self, forms: list[tuple[Postings, float]], denials: list[Postings]) -> None:
        parts = [(postings.rows, weight, postings) for postings, weight in forms]
        size = 1 + max(int(rows.max()) for rows, _, _ in parts)
        counts = np.zeros(size, np.float32)
        speakers = np.zeros(size, np.float32)
        for rows, weight, postings in parts:
            counts[rows] = np.maximum(counts[rows], postings.counts * np.float32(weight))
            speakers[rows] = np.maximum(speakers[rows], postings.speakers * np.float32(weight))
        for postings in denials:
            rows = postings.rows
            counts[rows[rows < size]] *= np.float32(_DENIED_SHARE)
        self.rows: Rows = np.flatnonzero((counts > 0.0) | (speakers > 0.0))
        self.counts: NDArray[np.float32] = counts[self.rows]
        self.speakers: NDArray[np.float32] = speakers[self.rows]

    def __len__(self) -> int:
        return len(self.rows)


class QueriedTerms:
    """The terms of an index, as a query looks for them. It is read as ``TermIndex`` is, for the terms of the query."""

    def __init__(self, terms: TermIndex, sought: Mapping[str, Sought]) -> None:
        self._terms = terms
        self._sought = sought
        self._found: dict[str, Postings | MergedPostings | None] = {}

    @property
    def lengths(self) -> Column[np.int32]:
        """Each row's number of terms."""
        return self._terms.lengths

    @property
    def questions(self) -> Column[np.bool_]:
        """The rows that end with a question mark."""
        return self._terms.questions

    def find(self, term: str) -> Postings | MergedPostings | None:
        """Return the postings of a term of the query, in any of its forms; None if no row has it."""
        if term not in self._found:
            self._found[term] = self._merged(self._sought[term])
        return self._found[term]

    def is_looked_for(self, term: str, passing: Mask) -> bool:
        """Return False for an optional term that no passing row has."""
        if not self._sought[term].is_optional:
            return True
        postings = self.find(term)
        return postings is not None and bool(passing[postings.rows].any())

    def has(self, row: int, term: str, *, with_speaker: bool = True) -> bool:
        """Return True if a row has a term of the query. Without ``with_speaker``, names and labels are ignored."""
        return any(self._terms.has(row, form, with_speaker=with_speaker) for form in self._sought[term].forms)

    def _merged(self, sought: Sought) -> Postings | MergedPostings | None:
        there = [(postings, weight) for form, weight in sought.forms.items() if (postings := self._terms.find(form))]
        denials = [postings for form in sought.denials if (postings := self._terms.find(form))]
        if len(there) == 1 and there[0][1] == 1.0 and not denials:
            return there[0][0]
        return MergedPostings(there, denials) if there else None
