"""The vectors of rows, and how near they are to another one: exact, whatever the order in which they came."""

import numpy as np
from numpy.typing import NDArray

from memoryd_server.domain.embedding import EmbeddingIdentity
from memoryd_server.retrieval.column import Column, Rows, Scores

_LENGTH = 4_000
"""Vectors are rounded to whole numbers at this length: fine enough, and short enough that all sums of products are
whole numbers below 2**24, which float32 holds exactly. So the order of adding, which is up to the BLAS library, changes
nothing."""

_ENTRY_BYTES = 120
"""What a vector takes beside its numbers: measured."""

Vector = NDArray[np.float32]


def vector_of(encoded: bytes) -> Vector | None:
    """A vector from little-endian float32, as it is compared; None for a zero vector, which is like nothing."""
    raw = np.frombuffer(encoded, "<f4").astype(np.float64)
    greatest = float(np.max(np.abs(raw), initial=0.0))
    if not greatest:
        return None
    raw /= greatest
    return np.rint(raw * (_LENGTH / np.linalg.norm(raw))).astype(np.float32)


class VectorIndex:
    """The vectors of one identity."""

    def __init__(self, identity: EmbeddingIdentity) -> None:
        self._vectors: Vector = np.zeros((0, identity.dimensions), np.float32)
        self._rows = Column(np.intp)
        self._places: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._places)

    @property
    def size_bytes(self) -> int:
        """What the vectors take, estimated."""
        return self._vectors.nbytes + self._rows.values.nbytes + _ENTRY_BYTES * len(self._places)

    def add(self, row: int, vector: Vector) -> None:
        """Add the vector of a row that has none."""
        place = len(self._places)
        self._rows.reserve(place + 1)
        if place == len(self._vectors):
            grown: Vector = np.zeros((len(self._rows.values), self._vectors.shape[1]), np.float32)
            grown[:place] = self._vectors
            self._vectors = grown
        self._vectors[place] = vector
        self._rows.values[place] = row
        self._places[row] = place

    def remove(self, row: int) -> None:
        """Remove the vector of a row that has one; the last one takes its place."""
        place, last = self._places.pop(row), len(self._places)
        if place != last:
            self._vectors[place] = self._vectors[last]
            self._rows.values[place] = self._rows.values[last]
            self._places[int(self._rows.values[place])] = place

    def cosines_of(self, vector: Vector) -> tuple[Rows, Scores]:
        """The rows that have a vector, and its cosine with this one."""
        count = len(self._places)
        cosines = self._vectors[:count] @ vector
        cosines /= np.float32(_LENGTH * _LENGTH)
        return self._rows.values[:count], np.clip(cosines, -1.0, 1.0, out=cosines)
