"""A term of a query, with the postings of all the forms in which memories may have it."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from memoryd_server.retrieval.column import Mask, Rows, Scores
from memoryd_server.retrieval.words.postings import Postings

_DENIED_SHARE = np.float32(0.7)
"""Share of a term's occurrences that count in a memory that denies it."""

_NO_ROWS: Rows = np.zeros(0, np.intp)


class MergedPostings:
    """The rows that have a term in any of several forms, each once, with the counts of the form that counts most.

    Rows of ``denials`` count less. It is read as ``Postings`` are.
    """

    def __init__(self, forms: Sequence[tuple[Postings, float]], denials: Sequence[Postings]) -> None:
        every = [_weighted(postings, weight, denials) for postings, weight in forms]
        self._rows: Rows = np.concatenate([rows for rows, _, _ in every])
        self._counts: Scores = np.concatenate([counts for _, counts, _ in every])
        self._speakers: Scores = np.concatenate([speakers for _, _, speakers in every])
        if not _are_disjoint([postings for postings, _ in forms]):
            self._take_greatest()

    def read(self) -> tuple[Rows, Scores, Scores]:
        """Return the rows, the occurrences in each of them, and those in the speaker's name."""
        return self._rows, self._counts, self._speakers

    def _take_greatest(self) -> None:
        rows, where = np.unique(self._rows, return_inverse=True)
        counts: Scores = np.zeros(len(rows), np.float32)
        speakers: Scores = np.zeros(len(rows), np.float32)
        np.maximum.at(counts, where, self._counts)
        np.maximum.at(speakers, where, self._speakers)
        self._rows, self._counts, self._speakers = rows, counts, speakers


class QueriedTerm:
    """The postings of the forms of a term, each with its weight, of which there is one at least, and of its denials."""

    def __init__(self, forms: Sequence[tuple[Postings, float]], denials: Sequence[Postings]) -> None:
        self._forms = forms
        self._denials = denials

    def __len__(self) -> int:
        """Return the number of postings of all forms: at least that of the rows."""
        return sum(len(postings) for postings, _ in self._forms)

    @cached_property
    def postings(self) -> Postings | MergedPostings:
        """The postings of all forms together."""
        (first, weight), *others = self._forms
        if not others and not self._denials and weight == 1.0:
            return first
        return MergedPostings(self._forms, self._denials)

    def count_in(self, passing: Mask | None) -> int:
        """Return the number of passing rows that have the term; None if all rows pass."""
        count, counted = 0, list[Postings]()
        for postings in sorted((each for each, _ in self._forms), key=len, reverse=True):
            rows = postings.rows if passing is not None or counted else _NO_ROWS
            is_new = np.ones(len(rows), np.bool_) if passing is None else passing[rows]
            for other in counted:
                is_new &= ~other.holds(rows)
            count += int(np.count_nonzero(is_new)) if len(rows) else len(postings)
            counted.append(postings)
        return count

    @property
    def said_rows(self) -> Rows:
        """The rows where not only the speaker's name has the term, some repeatedly."""
        return np.concatenate([postings.said_rows for postings, _ in self._forms])

    def mark(self, own: Mask) -> None:
        """Set the rows that have the term."""
        for postings, _ in self._forms:
            postings.mark(own)

    def at(self, rows: Rows) -> tuple[Scores, Scores]:
        """Return the occurrences in each of these rows, and in its speaker's name, as ``postings`` has them."""
        counts: Scores = np.zeros(len(rows), np.float32)
        speakers: Scores = np.zeros(len(rows), np.float32)
        for postings, weight in self._forms:
            counts_there, speakers_there, _ = postings.at(rows)
            np.maximum(counts, counts_there * np.float32(weight), out=counts)
            np.maximum(speakers, speakers_there * np.float32(weight), out=speakers)
        for postings in self._denials:
            counts[postings.holds(rows)] *= _DENIED_SHARE
        return counts, speakers


def _weighted(postings: Postings, weight: float, denials: Sequence[Postings]) -> tuple[Rows, Scores, Scores]:
    """Return what ``Postings.read`` does, weighted. In rows that have a posting of denials, occurrences count less."""
    rows, counts, speakers = postings.read()
    counts *= np.float32(weight)
    for each in denials:
        denied = each.rows
        denied = denied[postings.holds(denied)]
        counts[np.searchsorted(rows, denied)] *= _DENIED_SHARE
    return rows, counts, speakers * np.float32(weight)


def _are_disjoint(forms: Sequence[Postings]) -> bool:
    """Return True if no row has two forms."""
    largest_first = sorted(forms, key=len, reverse=True)
    return not any(
        other.holds(each.rows).any() for place, each in enumerate(largest_first) for other in largest_first[:place]
    )
