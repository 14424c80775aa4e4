"""The vocabulary: vectors of single words, by which the words of a query are compared with those of a memory."""

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memoryd_server.ports.retrieval import EmbedderUnavailable, WordTable, WordVectors
from memoryd_server.retrieval.column import Scores
from memoryd_server.retrieval.text.term import terms_of

UNKNOWN = -1
"""The place of a term without a vector."""

Places = NDArray[np.intp]


class Vocabulary:
    """The vectors of terms. Thread-safe. The table is loaded at the first use; if it cannot be, every term is unknown.

    Of the words with one term the most frequent gives the term its vector, so that it depends on the table alone.
    """

    def __init__(self, word_vectors: WordVectors) -> None:
        self._word_vectors = word_vectors
        self._lock = threading.Lock()
        self._table: _Table | None = None

    def places_of(self, terms: Sequence[str]) -> Places:
        """Return the places of terms in the vocabulary, UNKNOWN for those that it lacks."""
        places = self._loaded().places
        return np.fromiter((places.get(term, UNKNOWN) for term in terms), np.intp, len(terms))

    def cosines_of(self, places: Places, others: Places) -> Scores:
        """Return the cosines of the vectors at places with those at others; 0 with an UNKNOWN one.

        Sums of integer products below 2^24 are exact in float32, so that the result does not depend on their order.
        """
        table = self._loaded()
        products = table.components[places].astype(np.float32) @ table.components[others].astype(np.float32).T
        cosines: Scores = products * table.scales[places][:, np.newaxis] * table.scales[others]
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
    """The loaded table. The last row, which has the place UNKNOWN, is zero."""

    def __init__(self, table: WordTable) -> None:
        components = np.frombuffer(table.components, np.int8).reshape(len(table.words), -1)
        self.components = np.vstack((components, np.zeros_like(components[:1])))
        lengths = np.sqrt(np.einsum("ij,ij->i", self.components, self.components, dtype=np.float32))
        self.scales: Scores = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        self.places: dict[str, int] = {}
        for place, word in enumerate(table.words):
            if len(word) > 1 and word.isascii() and word.isalpha():
                for term in terms_of(word):
                    self.places.setdefault(term, place)
