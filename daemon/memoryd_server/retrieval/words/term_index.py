"""An inverted index from terms to rows, which is updated incrementally."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.column import ROWS_AT_FIRST, Column, Mask, Rows, size_of
from memoryd_server.retrieval.saved.loaded_arrays import NO_ARRAYS
from memoryd_server.retrieval.saved.table import (
    Table,
    arrays_of,
    owners_of,
    packed_arrays,
    packed_texts,
    texts_of,
)
from memoryd_server.retrieval.text.statement import Statement
from memoryd_server.retrieval.words.postings import Postings, rows_of
from memoryd_server.retrieval.words.vocabulary import Vocabulary

_TERM_BYTES = 300
"""Size of a term without its postings, mostly of Python's objects: measured."""

_POSTING_BYTES = 10
"""Size of a posting and of its item in the list of its row, with the spare room of both arrays."""

_ONLY_SPEAKER = 1
"""The flag in the lowest bit of an item in the list of a row: only the speaker's name has the term. The bits above are
the term's number."""

_NO_TERMS: "array[int]" = array("I")


class TermIndex:
    """The terms of the rows.

    ``lengths`` has each row's number of terms without the speaker's name, ``distinct`` that of different terms
    including it, without labels. ``questions`` is true for rows that end with a question mark. ``languages`` counts the
    rows of each language, ``vocabulary`` finds terms by their spelling, and ``length`` is the sum of the lengths.

    Of a saved index, the terms of a row and the rows of a term are unpacked when they are first read.

    ``noted`` has a value for the number of each term, which is 0 until a reader sets it, and again for another term.
    """

    def __init__(self) -> None:
        self.length = 0
        self.languages = Counter[str]()
        self.vocabulary = Vocabulary()
        self.lengths = Column(np.int32)
        self.questions = Column(np.bool_)
        self.distinct = Column(np.int32)
        self.noted = Column(np.int32)
        self._numbers: dict[str, int] = {}
        self._postings: list[Postings | None] = []
        self._loaded_postings = NO_ARRAYS
        self._free_numbers: list[int] = []
        self._languages: dict[int, str] = {}
        self._terms: list[array[int] | None] = [_NO_TERMS] * ROWS_AT_FIRST
        self._loaded_terms = NO_ARRAYS
        self._posting_count = 0

    @property
    def row_count(self) -> int:
        """The number of rows that have been added."""
        return len(self._languages)

    @property
    def size_bytes(self) -> int:
        """The estimated size of the index in memory."""
        columns = size_of((self.lengths, self.questions, self.distinct, self.noted))
        return (
            columns
            + self.vocabulary.size_bytes
            + _TERM_BYTES * len(self._numbers)
            + _POSTING_BYTES * self._posting_count
        )

    def add(self, row: int, statement: Statement) -> None:
        """Add the terms of a row that has none yet."""
        self._reserve(row + 1)
        counts, speakers = statement.counts, statement.speakers
        numbers = array("I")
        for term in counts.keys() | speakers | statement.labels:
            postings = self.find(term) or self._new_term(term)
            postings.add(row, counts.get(term, 0), is_speaker=term not in counts or term in speakers)
            numbers.append(self.item_of(postings.number, only_speaker=term not in counts))
        self._terms[row] = numbers
        self._posting_count += len(numbers)
        self.lengths.values[row] = statement.length
        self.length += statement.length
        self.questions.values[row] = statement.is_question
        self.distinct.values[row] = len(numbers) - len(statement.labels)
        self._languages[row] = statement.language
        self.languages[statement.language] += 1

    def remove(self, row: int) -> None:
        """Remove the terms of a row. A term without rows is removed entirely."""
        terms = self._terms_at(row)
        for packed in terms:
            number = packed >> 1
            postings = self._postings_of(number)
            postings.remove(row)
            if not postings:
                del self._numbers[postings.term]
                self._postings[number] = None
                self._free_numbers.append(number)
                self.vocabulary.remove(number)
        language = self._languages.pop(row)
        self.languages[language] -= 1
        if not self.languages[language]:
            del self.languages[language]
        self._posting_count -= len(terms)
        self._terms[row] = _NO_TERMS
        self.length -= int(self.lengths.values[row])
        self.lengths.values[row] = 0
        self.questions.values[row] = False
        self.distinct.values[row] = 0

    def saved(self, rows: int) -> dict[str, NDArray[Any]]:
        """Return the terms of the first rows in the form of a saved index."""
        terms, postings = self.vocabulary.terms, [None if each is None else each.packed for each in self._postings]
        for number in self._free_numbers:
            postings[number] = _NO_TERMS
        languages = sorted(self.languages)
        codes = {language: code for code, language in enumerate(languages)}
        language_codes = np.zeros(rows, np.uint8)
        language_codes[list(self._languages)] = [codes[each] for each in self._languages.values()]
        return {
            **packed_texts("terms", terms),
            **packed_arrays("postings", postings, self._loaded_postings),
            **self.vocabulary.saved(),
            **packed_arrays("rows.terms", self._terms[:rows], self._loaded_terms),
            **packed_texts("languages", languages),
            "rows.language": language_codes,
            **{name: column.values[:rows] for name, column in self._named_columns()},
        }

    def load(self, table: Table, kept: Mask) -> None:
        """Fill an empty index with the rows of a saved one that a mask keeps."""
        everything = bool(kept[1:].all())
        terms = texts_of(table, "terms")
        self._loaded_postings = arrays_of(table, "postings", None if everything else kept[rows_of(table["postings"])])
        is_kept = None if everything else kept[owners_of(table, "rows.terms")]
        self._loaded_terms = arrays_of(table, "rows.terms", is_kept)
        self._terms = [None] * len(self._loaded_terms)
        self._terms.extend([_NO_TERMS] * (ROWS_AT_FIRST - len(self._terms)))
        self._postings = [None] * len(terms)
        self.noted.reserve(len(terms))
        for number in np.flatnonzero(self._loaded_postings.sizes == 0).tolist():
            self._free_numbers.append(number)
            terms[number] = ""
        self._numbers = {term: number for number, term in enumerate(terms) if term}
        self.vocabulary.load(table, terms)
        self._posting_count = int(self._loaded_postings.sizes.sum(dtype=np.int64))
        for name, column in self._named_columns():
            column.load(np.where(kept, table[name], 0))
        self.length = int(self.lengths.values.sum(dtype=np.int64))
        languages, rows = texts_of(table, "languages"), np.flatnonzero(kept)
        codes = table["rows.language"][rows].tolist()
        self._languages = dict(zip(rows.tolist(), (languages[code] for code in codes), strict=True))
        self.languages = Counter(self._languages.values())

    def find(self, term: str) -> Postings | None:
        """Return the postings of a term; None if no row has it."""
        number = self._numbers.get(term)
        return None if number is None else self._postings_of(number)

    def terms_of(self, rows: Rows) -> tuple[NDArray[np.uint32], NDArray[np.bool_], NDArray[np.intp]]:
        """Return the numbers of the different terms of rows, one row after the other and in no order; for each of them
        True if only the speaker's name has it; and the number of terms of each row. A term has the same number in all
        rows.
        """
        numbers = rows.tolist()
        known = list(map(self._terms.__getitem__, numbers))
        parts = [self._terms_at(row) if terms is None else terms for row, terms in zip(numbers, known, strict=True)]
        packed = np.frombuffer(b"".join(parts), np.uint32)
        sizes = np.fromiter(map(len, parts), np.intp, len(parts))
        return packed >> np.uint32(1), (packed & _ONLY_SPEAKER).astype(np.bool_), sizes

    def term_of(self, number: int) -> str:
        """Return the term that has a number."""
        return self.vocabulary.terms[number]

    def items_at(self, row: int) -> Iterable[int]:
        """Return the items of a row, one for each of its terms; see ``item_of``."""
        return self._terms_at(row)

    def item_of(self, number: int, *, only_speaker: bool) -> int:
        """Return the item of a row that has a term of this number, in the text or only in the speaker's name."""
        return number << 1 | (_ONLY_SPEAKER if only_speaker else 0)

    def _new_term(self, term: str) -> Postings:
        if self._free_numbers:
            number = self._free_numbers.pop()
        else:
            number = len(self._postings)
            self._postings.append(None)
            self.noted.reserve(number + 1)
        self.noted.values[number] = 0
        self._numbers[term] = number
        postings = self._postings[number] = Postings(term, number)
        self.vocabulary.put(number, term)
        return postings

    def _postings_of(self, number: int) -> Postings:
        """Return the postings of a term that some row has."""
        postings = self._postings[number]
        if postings is None:
            term, packed = self.vocabulary.terms[number], self._loaded_postings[number]
            postings = self._postings[number] = Postings(term, number, packed)
        return postings

    def _terms_at(self, row: int) -> "array[int]":
        """Return the packed terms of a row."""
        terms = self._terms[row]
        if terms is None:
            terms = self._terms[row] = self._loaded_terms[row]
        return terms

    def _named_columns(self) -> Iterator[tuple[str, Column[Any]]]:
        yield "rows.length", self.lengths
        yield "rows.question", self.questions
        yield "rows.distinct", self.distinct

    def _reserve(self, rows: int) -> None:
        for column in (self.lengths, self.questions, self.distinct):
            column.reserve(rows)
        self._terms.extend([_NO_TERMS] * (len(self.lengths.values) - len(self._terms)))
