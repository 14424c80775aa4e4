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

    __slots__ = ("counts", "rows", "speakers")

    def __init__(self, forms: Sequence[tuple[Postings, float]], denials: Sequence[Postings]) -> None:
        parts = [
            (each.rows, each.counts * np.float32(weight), each.speakers * np.float32(weight)) for each, weight in forms
        ]
        size = 1 + max(int(rows.max()) for rows, _, _ in parts)
        if _are_disjoint([rows for rows, _, _ in parts], size):
            self.rows: Rows = np.concatenate([rows for rows, _, _ in parts])
            self.counts: Scores = np.concatenate([counts for _, counts, _ in parts])
            self.speakers: Scores = np.concatenate([speakers for _, _, speakers in parts])
        else:
            self._take_greatest(parts, size)
        for postings in denials:
            is_denied = np.zeros(size, np.bool_)
            rows = postings.rows
            is_denied[rows[rows < size]] = True
            self.counts[is_denied[self.rows]] *= _DENIED_SHARE

    def _take_greatest(self, parts: list[tuple[Rows, Scores, Scores]], size: int) -> None:
        counts: Scores = np.zeros(size, np.float32)
        speakers: Scores = np.zeros(size, np.float32)
        for rows, counts_there, speakers_there in parts:
            counts[rows] = np.maximum(counts[rows], counts_there)
            speakers[rows] = np.maximum(speakers[rows], speakers_there)
        self.rows = np.flatnonzero((counts > 0.0) | (speakers > 0.0))
        self.counts, self.speakers = counts[self.rows], speakers[self.rows]

    def __len__(self) -> int:
        return len(self.rows)


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
                is_new &= ~other.at(rows)[2]
            count += int(np.count_nonzero(is_new)) if len(rows) else len(postings)
            counted.append(postings)
        return count

    def mark(self, own: Mask, said: Mask) -> None:
        """Set the rows that have the term, and of these the rows where not only the speaker's name has it."""
        for postings, _ in self._forms:
            rows = postings.rows
            own[rows] = True
            said[postings.said_rows] = True

    def at(self, rows: Rows) -> tuple[Scores, Scores]:
        """Return the occurrences in each of these rows, and in its speaker's name, as ``postings`` has them."""
        counts: Scores = np.zeros(len(rows), np.float32)
        speakers: Scores = np.zeros(len(rows), np.float32)
        for postings, weight in self._forms:
            counts_there, speakers_there, _ = postings.at(rows)
            np.maximum(counts, counts_there * np.float32(weight), out=counts)
            np.maximum(speakers, speakers_there * np.float32(weight), out=speakers)
        for postings in self._denials:
            counts[postings.at(rows)[2]] *= _DENIED_SHARE
        return counts, speakers


def _are_disjoint(parts: list[Rows], size: int) -> bool:
    """Return True if no row is in two parts."""
    if len(parts) == 1:
        return True
    seen = np.zeros(size, np.bool_)
    for rows in parts:
        if seen[rows].any():
            return False
        seen[rows] = True
    return True
