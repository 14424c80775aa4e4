"""The vocabulary of an index: the terms whose spelling is near that of a word.

Each term has a signature: a bit for each letter that it has. An edit changes at most two bits, so that one pass over
the signatures leaves few terms whose distance must be computed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA
from rapidfuzz.process import extract_iter

from memoryd_server.retrieval.column import Column, size_of

_MARK = "|"
_LENGTH_MAX = 127

TAIL_MIN = 4
"""Minimum length of a word that is the last part of a compound."""

_TEXTS_BYTES = 16
"""Size of the references to a term and to its stem."""


class Vocabulary:
    """The ``terms`` of an index by number, with their spellings without marks. A free number has an empty term.

    ``marks`` counts the terms of each mark.
    """

    def __init__(self) -> None:
        self.marks = Counter[str]()
        self._signatures = Column(np.uint32)
        self._lengths = Column(np.int8)
        self._firsts = Column(np.uint32)
        self._stems: list[str] = []
        self.terms: list[str] = []

    @property
    def size_bytes(self) -> int:
        """The size of the columns in memory."""
        return size_of((self._signatures, self._lengths, self._firsts)) + _TEXTS_BYTES * len(self.terms)

    def put(self, number: int, term: str) -> None:
        """Set the term of a number."""
        for column in (self._signatures, self._lengths, self._firsts):
            column.reserve(number + 1)
        stem = stem_of(term)
        self.marks[mark_of(term)] += 1
        self._firsts.values[number] = ord(stem[0])
        self._signatures.values[number] = _signature(stem)
        self._lengths.values[number] = min(len(stem), _LENGTH_MAX)
        for texts, text in ((self.terms, term), (self._stems, stem)):
            texts.extend([""] * (number + 1 - len(texts)))
            texts[number] = text

    def saved(self) -> dict[str, NDArray[Any]]:
        """Return the columns of the terms as a saved index has them, without the terms."""
        count = len(self.terms)
        return {name: column.values[:count] for name, column in self._named_columns()}

    def load(self, table: Mapping[str, NDArray[Any]], terms: Sequence[str]) -> None:
        """Fill an empty vocabulary with the terms of a saved one, by number. A free number has an empty term."""
        for name, column in self._named_columns():
            column.load(table[name])
        self.terms, self._stems = list(terms), list(map(stem_of, terms))
        self._lengths.values[: len(terms)][[not term for term in terms]] = 0
        self.marks = Counter(mark_of(term) for term in terms if term)

    def remove(self, number: int) -> None:
        """Remove the term of a number."""
        self._lengths.values[number] = 0
        self.marks[mark_of(self.terms[number])] -= 1
        self.terms[number] = self._stems[number] = ""

    def near(self, stem: str, distance: int) -> list[str]:
        """Return the terms within ``distance`` edits of a stem, of which a transposition is one.

        With two edits, the first letter must be right: it is rarely the wrong one.
        """
        lengths, signatures = self._columns
        length = min(len(stem), _LENGTH_MAX)
        near = (lengths >= max(length - distance, 1)) & (lengths <= length + distance)
        near &= np.bitwise_count(signatures ^ np.uint32(_signature(stem))) <= 2 * distance
        if distance > 1:
            near &= self._firsts.values[: len(near)] == ord(stem[0])
        numbers = np.flatnonzero(near).tolist()
        stems = [self._stems[number] for number in numbers]
        found = extract_iter(stem, stems, scorer=OSA.distance, score_cutoff=distance)
        return [self.terms[numbers[place]] for _, _, place in found]

    def beginning(self, word: str, ending: int) -> list[str]:
        """Return the terms that may be stems of a word with one edit in its last ``ending`` letters."""
        lengths, signatures = self._columns
        length, same = min(len(word), _LENGTH_MAX), word[: max(len(word) - ending, 1)]
        near = (lengths > max(length - ending - 2, 1)) & (lengths <= length + 1)
        near &= self._firsts.values[: len(near)] == ord(word[0])
        near &= np.bitwise_count(signatures & ~np.uint32(_signature(word))) <= 1
        numbers = np.flatnonzero(near).tolist()
        return [self.terms[number] for number in numbers if same.startswith(self._stems[number][: len(same)])]

    def ending(self, stem: str, head: int) -> list[str]:
        """Return the terms that end with a stem, or that it ends with, the longer one by at least ``head`` letters."""
        lengths, signatures = self._columns
        signature, length = np.uint32(_signature(stem)), min(len(stem), _LENGTH_MAX)
        longer = (lengths >= length + head) & (signatures & signature == signature)
        shorter = (lengths >= TAIL_MIN) & (lengths <= length - head) & (signatures & ~signature == 0)
        numbers = np.flatnonzero(longer | shorter).tolist()
        found = ((self.terms[number], self._stems[number]) for number in numbers)
        return [term for term, other in found if other.endswith(stem) or stem.endswith(other)]

    def _named_columns(self) -> Iterator[tuple[str, Column[Any]]]:
        yield "terms.signature", self._signatures
        yield "terms.length", self._lengths
        yield "terms.first", self._firsts

    @property
    def _columns(self) -> tuple[NDArray[np.int8], NDArray[np.uint32]]:
        count = len(self.terms)
        return self._lengths.values[:count], self._signatures.values[:count]


def stem_of(term: str) -> str:
    """Return a term without its marks."""
    return term.partition(_MARK)[0]


def mark_of(term: str) -> str:
    """Return the last mark of a term; empty if it has none."""
    place = term.rfind(_MARK)
    return term[place:] if place > 0 else ""


def _signature(stem: str) -> int:
    bits = 0
    for letter in stem:
        bits |= 1 << (ord(letter) & 31)
    return bits
