"""The terms of a query in an index: each with the rows that have it in any of its forms."""

from collections.abc import Iterable, Mapping, Set
from functools import cached_property

import numpy as np

from memoryd_server.retrieval.column import Column, Mask
from memoryd_server.retrieval.text.sought import Sought
from memoryd_server.retrieval.text.statement import ALIAS, TAG
from memoryd_server.retrieval.words.misspelling import corrected
from memoryd_server.retrieval.words.queried_term import QueriedTerm
from memoryd_server.retrieval.words.term_index import TermIndex

_TAG_SHARE = 0.25
"""Weight of a tag, as a share of that of an alias."""

CORRECTIONS_MAX = 8
"""Maximum number of words of a query that are taken for misspelled ones: each is compared with the whole vocabulary."""


class QueriedTerms:
    """The terms of an index, as a query looks for them. It is read as ``TermIndex`` is, for the terms of the query.

    A word that no passing row has is looked for as those terms of passing rows that are spelled nearly like it, if it
    is one of ``strange_words``; any word may be misspelled if these are None. ``passing_count`` is the number of
    passing rows.
    """

    def __init__(
        self,
        terms: TermIndex,
        sought: Mapping[str, Sought],
        passing: Mask,
        strange_words: Set[str] | None,
    ) -> None:
        self.passing_count = int(np.count_nonzero(passing))
        self._terms = terms
        self._passing = None if self.passing_count == terms.row_count else passing
        self._sought = sought
        self._numbers: dict[str, list[int]] = {}
        self._found: dict[str, QueriedTerm | None] = {}
        self._counts: dict[str, int] = {}
        corrections = 0
        for term, each in sought.items():
            forms = self._with_labels(each.forms)
            self._set(term, forms, each.denials)
            is_strange = strange_words is None or each.word in strange_words
            if is_strange and each.languages and corrections < CORRECTIONS_MAX and not self._counts[term]:
                corrections += 1
                self._set(term, corrected(each, terms, passing), ())

    @property
    def lengths(self) -> Column[np.int32]:
        """Each row's number of terms."""
        return self._terms.lengths

    @property
    def passing_length(self) -> int:
        """The number of terms of all passing rows."""
        if self._passing is None:
            return self._terms.length
        return int(self._terms.lengths.values[: len(self._passing)].sum(where=self._passing, dtype=np.int64))

    @property
    def questions(self) -> Column[np.bool_]:
        """The rows that end with a question mark."""
        return self._terms.questions

    def find(self, term: str) -> QueriedTerm | None:
        """Return the postings of a term of the query, in all of its forms; None if no row has it."""
        return self._found[term]

    def count_of(self, term: str) -> int:
        """Return the number of passing rows that have a term of the query."""
        return self._counts[term]

    def numbers_of(self, term: str) -> list[int]:
        """Return the numbers of the terms that are forms of a term of the query, as far as any row has them."""
        return self._numbers[term]

    def is_looked_for(self, term: str) -> bool:
        """Return False for an optional term that no passing row has."""
        return not self._sought[term].is_optional or bool(self._counts[term])

    def terms_at(self, row: int, *, with_speaker: bool = True) -> Set[str]:
        """Return the terms of the query that a row has. Without ``with_speaker``, names and labels are ignored."""
        said, all_ = self._items
        found = (all_ if with_speaker else said).keys() & self._terms.items_at(row)
        return {term for item in found for term in all_[item]}

    @cached_property
    def _items(self) -> tuple[Mapping[int, list[str]], Mapping[int, list[str]]]:
        """The terms of the query by the items of rows that have them, without those of speakers' names, and all."""
        said: dict[int, list[str]] = {}
        named: dict[int, list[str]] = {}
        for term, numbers in self._numbers.items():
            for number in numbers:
                for items, only_speaker in ((said, False), (named, True)):
                    items.setdefault(self._terms.item_of(number, only_speaker=only_speaker), []).append(term)
        return said, said | named

    def _set(self, term: str, forms: dict[str, float], denials: Iterable[str]) -> None:
        there = [(postings, weight) for form, weight in forms.items() if (postings := self._terms.find(form))]
        denying = [postings for form in denials if (postings := self._terms.find(form))]
        found = QueriedTerm(there, denying) if there else None
        self._numbers[term], self._found[term] = [postings.number for postings, _ in there], found
        self._counts[term] = 0 if found is None else found.count_in(self._passing)

    def _with_labels(self, forms: Mapping[str, float]) -> dict[str, float]:
        """Return forms with those of aliases and tags."""
        marks, labelled = self._terms.vocabulary.marks, dict(forms)
        for mark, share in ((ALIAS, 1.0), (TAG, _TAG_SHARE)):
            if marks[mark]:
                labelled.update((form + mark, weight * share) for form, weight in forms.items())
        return labelled
