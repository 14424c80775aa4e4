"""The vocabulary: vectors of single words, by which the words of a query are compared with those of a memory."""

import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain

import numpy as np
import simsimd
from numpy.typing import NDArray

from memoryd_server.ports.retrieval import EmbedderUnavailable, WordTable, WordVectors
from memoryd_server.retrieval.column import Scores
from memoryd_server.retrieval.text.language import ENGLISH
from memoryd_server.retrieval.text.stop_word import stop_words
from memoryd_server.retrieval.text.term import LANGUAGE_MARK, STEMMED, terms_of_all
from memoryd_server.retrieval.text.word import plain
from memoryd_server.retrieval.vector_index import Vector
from memoryd_server.retrieval.words.term_index import TermIndex

UNKNOWN = -1
"""The place of a term without a vector."""

OTHER_BEGINNINGS = frozenset({"ar", "id", "nl", "tr"})
"""The languages of which some words have a stem that begins with another letter."""

Places = NDArray[np.int32]


class Vocabulary:
    """The vectors of terms. Thread-safe. The table is loaded at the first use; if it cannot be, every term is unknown.

    Of the words with one term the most frequent gives the term its vector, so that it depends on the table alone.
    """

    def __init__(self, word_vectors: WordVectors) -> None:
        self._word_vectors = word_vectors
        self._lock = threading.Lock()
        self._table: _Table | None = None

    @property
    def common(self) -> Vector:
        """The mean of all words' vectors: what all texts have in common."""
        return self._loaded().common

    def places_of(self, terms: Sequence[str]) -> Places:
        """Return the places of terms in the vocabulary, UNKNOWN for those that it lacks."""
        table = self._loaded()
        return np.fromiter(map(table.place_of, terms), np.int32, len(terms))

    def places_in(self, index: TermIndex, numbers: NDArray[np.uint32]) -> Places:
        """Return the places of the terms that have these numbers in an index, which notes them."""
        places = index.noted.values[numbers]
        if not places.all():
            new = np.unique(numbers[places == 0])
            found = self.places_of([index.term_of(number) for number in new.tolist()])
            index.noted.values[new] = found - UNKNOWN + 1
            places = index.noted.values[numbers]
        return places + (UNKNOWN - 1)

    def cosines_of(self, places: Places, others: Places) -> Scores:
        """Return the cosines of the vectors at places with those at others, a row for each place; 0 with an UNKNOWN.

        Sums of products of whole numbers are exact, so that the result does not depend on their order.
        """
        table = self._loaded()
        products = simsimd.cdist(table.components[places], table.components[others], metric="inner")
        cosines: Scores = np.asarray(products).astype(np.float32)
        cosines *= table.scales[others]
        cosines *= table.scales[places][:, np.newaxis]
        return cosines

    def _loaded(self) -> "_Table":
        with self._lock:
            if self._table is None:
                try:
                    self._table = _Table(self._word_vectors())
                except EmbedderUnavailable:
                    self._table = _Table(_NO_WORDS)
            return self._table


_NO_WORDS = WordTable(("",), memoryview(b"\0"))


class _Table:
    """The loaded table. The last row, which has the place UNKNOWN, is zero.

    A term of another language than English is that of an equivalent, by its stem in that language. So is a term of a
    query, which is an English stem whatever its language, and a pair of Chinese characters.
    """

    def __init__(self, table: WordTable) -> None:
        components = np.frombuffer(table.components, np.int8).reshape(len(table.words), -1)
        self.components = np.vstack((components, np.zeros_like(components[:1])))
        lengths = np.sqrt(np.einsum("ij,ij->i", self.components, self.components, dtype=np.float32))
        self.scales: Scores = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        words = np.ones(len(table.words)) + np.bincount([*table.equivalents.values()], minlength=len(table.words))
        self.common = _rounded(np.einsum("ij,i->j", self.components[:-1], words * self.scales[:-1]))
        self._equivalents = table.equivalents
        self._by_beginning: dict[tuple[str, str], Mapping[str, int]] = {}
        # Of words with the same term, the most frequent one comes first, and is put last.
        equivalents = [*table.equivalents][::-1]
        forms = chain.from_iterable(zip(equivalents, terms_of_all(equivalents), strict=True))
        self.places: dict[str, int] = dict(
            zip(forms, np.repeat([*table.equivalents.values()][::-1], 2).tolist(), strict=True)
        )
        said = {word.lower(): place for place, word in reversed([*enumerate(table.words)]) if _is_said(word)}
        self.places.update(zip(terms_of_all(said), said.values(), strict=True))

    def place_of(self, term: str) -> int:
        """Return the place of a term, UNKNOWN if it has none."""
        stem, _, language = term.partition(LANGUAGE_MARK)
        if language not in STEMMED or language == ENGLISH:
            return self.places.get(term, UNKNOWN)
        beginning = (language, "" if language in OTHER_BEGINNINGS else stem[:1])
        known = self._by_beginning.get(beginning)
        if known is None:
            known = self._by_beginning[beginning] = self._places_in(*beginning)
        return known.get(term, self.places.get(stem, UNKNOWN))

    def _places_in(self, language: str, letter: str) -> Mapping[str, int]:
        """Return the places of equivalents by their terms in a language, the most frequent word of each.

        All are of words with one first letter, or with any if that is empty: to stem all words takes a tenth of a
        second. Those that ``place_of`` finds without them are left out: of sixty thousand words, most.
        """
        words = self._by_letter.get(letter, {}) if letter else self._equivalents
        places: dict[str, int] = {}
        for term, place in zip(terms_of_all(words, language), words.values(), strict=True):
            places.setdefault(term, place)
        return {
            term: place for term, place in places.items() if self.places.get(term.partition(LANGUAGE_MARK)[0]) != place
        }

    @cached_property
    def _by_letter(self) -> Mapping[str, Mapping[str, int]]:
        """The equivalents by their first letters, without accents."""
        groups: dict[str, dict[str, int]] = {}
        for word, place in self._equivalents.items():
            groups.setdefault(plain(word[:1]), {})[word] = place
        return groups


def _is_said(word: str) -> bool:
    """Return True for a word of English letters that says something."""
    return len(word) > 1 and word.isascii() and word.isalpha() and word.lower() not in stop_words(ENGLISH)


def _rounded(vector: NDArray[np.float64]) -> Vector:
    """Return a vector in whole numbers, at the scale by which its greatest component is a byte's greatest value."""
    greatest = float(np.abs(vector).max(initial=0.0))
    rounded: Vector = np.rint(vector * (127.0 / greatest if greatest else 0.0)).astype(np.int8)
    return rounded
