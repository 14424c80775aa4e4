"""The vectors of rows, and their cosines with another vector. Every vector is compared, so the search is exact.

A component is stored in one byte. Sums of integer products are exact, so the result does not depend on the order of
addition, which the processor chooses. Bytes are compared three times as fast as floats, and take a quarter of the
memory.
"""

import math

import numpy as np
import simsimd
from numpy.typing import NDArray

from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.retrieval.column import Column, Rows, Scores

_GREATEST = 127
"""The value that the component furthest from zero is scaled to. The others are rounded at the same scale."""

_ENTRY_BYTES = 120
"""Estimated size of a vector without its components."""

Vector = NDArray[np.int8]


def vector_of(encoded: bytes) -> Vector | None:
    """Convert a vector from little-endian float32; None for a zero vector, which is similar to nothing."""
    raw = np.frombuffer(encoded, "<f4").astype(np.float64)
    greatest = float(np.max(np.abs(raw), initial=0.0))
    if not greatest:
        return None
    return np.rint(raw * (_GREATEST / greatest)).astype(np.int8)


def _length_of(vector: Vector) -> np.float32:
    whole = vector.astype(np.int64)
    return np.float32(math.sqrt(int(whole @ whole)))


class VectorIndex:
    """The vectors of one identity."""

    def __init__(self, identity: EmbeddingIdentity) -> None:
        self._vectors: Vector = np.zeros((0, identity.dimensions), np.int8)
        self._lengths = Column(np.float32)
        self._rows = Column(np.intp)
        self._places: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._places)

    @property
    def size_bytes(self) -> int:
        """The estimated size of the vectors in memory."""
        columns = self._rows.values.nbytes + self._lengths.values.nbytes
        return self._vectors.nbytes + columns + _ENTRY_BYTES * len(self._places)

    def add(self, row: int, vector: Vector) -> None:
        """Add the vector of a row that has none yet."""
        place = len(self._places)
        self._rows.reserve(place + 1)
        self._lengths.reserve(place + 1)
        if place == len(self._vectors):
            grown: Vector = np.zeros((len(self._rows.values), self._vectors.shape[1]), np.int8)
            grown[:place] = self._vectors
            self._vectors = grown
        self._vectors[place] = vector
        self._lengths.values[place] = _length_of(vector)
        self._rows.values[place] = row
        self._places[row] = place

    def remove(self, row: int) -> None:
        """Remove the vector of a row, which must have one. The last vector takes its place."""
        place, last = self._places.pop(row), len(self._places)
        if place != last:
            self._vectors[place] = self._vectors[last]
            self._lengths.values[place] = self._lengths.values[last]
            self._rows.values[place] = self._rows.values[last]
            self._places[int(self._rows.values[place])] = place

    def cosines_of(self, vector: Vector) -> tuple[Rows, Scores]:
        """Return the rows that have a vector, and their cosines with this one."""
        count = len(self._places)
        products = np.asarray(simsimd.cdist(vector[np.newaxis], self._vectors[:count], metric="inner"))
        cosines: Scores = products[0].astype(np.float32)
        cosines /= self._lengths.values[:count] * _length_of(vector)
        return self._rows.values[:count], np.clip(cosines, -1.0, 1.0, out=cosines)
