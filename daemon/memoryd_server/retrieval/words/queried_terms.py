"""The terms of a query in an index: each with the rows that have it in any of its forms."""

from collections.abc import Iterable, Mapping, Set

import numpy as np

from memoryd_server.retrieval.column import Column, Mask, Rows, Scores
from memoryd_server.retrieval.text.sought import Sought
from memoryd_server.retrieval.text.statement import ALIAS, TAG
from memoryd_server.retrieval.words.misspelling import corrected
from memoryd_server.retrieval.words.postings import Postings
from memoryd_server.retrieval.words.term_index import TermIndex

_TAG_SHARE = 0.25
"""Weight of a tag, as a share of that of an alias."""

_DENIED_SHARE = 0.7
"""Share of a term's occurrences that count in a memory that denies it."""


CORRECTIONS_MAX = 8
"""Maximum number of words of a query that are taken for misspelled ones: each is compared with the whole vocabulary."""


class MergedPostings:
    """The rows that have a term in any of several forms, each once, with the counts of the form that counts most.

    Rows of ``denials`` count less. It is read as ``Postings`` are.
    """

    __slots__ = ("counts", "rows", "speakers")

    def __init__(self, forms: list[tuple[Postings, float]], denials: list[Postings]) -> None:
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
            self.counts[is_denied[self.rows]] *= np.float32(_DENIED_SHARE)

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


class QueriedTerms:
    """The terms of an index, as a query looks for them. It is read as ``TermIndex`` is, for the terms of the query.

    A word that no passing row has is looked for as those terms of passing rows that are spelled nearly like it, if it
    is one of ``strange_words``; any word may be misspelled if these are None.
    """

    def __init__(
        self,
        terms: TermIndex,
        sought: Mapping[str, Sought],
        passing: Mask,
        strange_words: Set[str] | None,
    ) -> None:
        self._terms = terms
        self._passing = passing
        self._sought = sought
        self._forms: dict[str, dict[str, float]] = {}
        self._found: dict[str, Postings | MergedPostings | None] = {}
        corrections = 0
        for term, each in sought.items():
            forms = self._with_labels(each.forms)
            found = self._merged(forms, each.denials)
            is_strange = strange_words is None or each.word in strange_words
            if is_strange and each.languages and corrections < CORRECTIONS_MAX and not self._passes(found):
                corrections += 1
                forms = corrected(each, terms, passing)
                found = self._merged(forms, ())
            self._forms[term], self._found[term] = forms, found

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
        return self._found[term]

    def numbers_of(self, term: str) -> list[int]:
        """Return the numbers of the terms that are forms of a term of the query, as far as any row has them."""
        found = (self._terms.find(form) for form in self._forms[term])
        return [postings.number for postings in found if postings is not None]

    def is_looked_for(self, term: str) -> bool:
        """Return False for an optional term that no passing row has."""
        return not self._sought[term].is_optional or self._passes(self._found[term])

    def has(self, row: int, term: str, *, with_speaker: bool = True) -> bool:
        """Return True if a row has a term of the query. Without ``with_speaker``, names and labels are ignored."""
        return any(self._terms.has(row, form, with_speaker=with_speaker) for form in self._forms[term])

    def _with_labels(self, forms: Mapping[str, float]) -> dict[str, float]:
        """Return forms with those of aliases and tags."""
        marks, labelled = self._terms.vocabulary.marks, dict(forms)
        for mark, share in ((ALIAS, 1.0), (TAG, _TAG_SHARE)):
            if marks[mark]:
                labelled.update((form + mark, weight * share) for form, weight in forms.items())
        return labelled

    def _passes(self, postings: Postings | MergedPostings | None) -> bool:
        return postings is not None and bool(self._passing[postings.rows].any())

    def _merged(self, forms: Mapping[str, float], denials: Iterable[str]) -> Postings | MergedPostings | None:
        there = [(postings, weight) for form, weight in forms.items() if (postings := self._terms.find(form))]
        denying = [postings for form in denials if (postings := self._terms.find(form))]
        if len(there) == 1 and there[0][1] == 1.0 and not denying:
            return there[0][0]
        return MergedPostings(there, denying) if there else None
