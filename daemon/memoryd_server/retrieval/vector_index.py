"""The vectors of rows, and their cosines with another vector.

A component is stored in one byte. Sums of integer products are exact, so the result does not depend on the order of
addition, which the processor chooses. Bytes are compared three times as fast as floats, and take a quarter of the
memory. The signs of the components, a bit each, choose which of very many vectors are compared.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import simsimd
from numpy.typing import NDArray

from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.retrieval.column import Column, Mask, Rows, Scores, size_of

_GREATEST = 127
"""The value that the component furthest from zero is scaled to. The others are rounded at the same scale."""

_TOGETHER = 1 << 15
"""Number of rows that are compared in one pass, so that its arrays stay in the cache."""

_WORD_BITS = 64

_IN_BYTES_MAX = 256
"""Maximum number of signs whose differences are counted in a byte, where all of them count as 255."""

Vector = NDArray[np.int8]


def vector_of(encoded: bytes) -> Vector | None:
    """Convert a vector from little-endian float32; None for a zero vector, which is similar to nothing."""
    vector: Vector = vectors_of([encoded])[0]
    return vector if vector.any() else None


def vectors_of(encoded: Sequence[bytes]) -> Vector:
    """Convert vectors of the same size from little-endian float32, one in each row. A zero vector remains one."""
    raw = np.frombuffer(b"".join(encoded), "<f4").astype(np.float64).reshape(len(encoded), -1)
    greatest = np.abs(raw).max(axis=1, initial=0.0, keepdims=True)
    scales = np.divide(_GREATEST, greatest, out=np.zeros_like(greatest), where=greatest > 0.0)
    vectors: Vector = np.rint(raw * scales).astype(np.int8)
    return vectors


def _lengths_of(vectors: Vector) -> Scores:
    whole = vectors.astype(np.int32)
    lengths: Scores = np.sqrt((whole * whole).sum(axis=-1, dtype=np.int64)).astype(np.float32)
    return lengths


class VectorIndex:
    """The vectors of one identity, each at the place of its row."""

    def __init__(self, identity: EmbeddingIdentity) -> None:
        self._vectors: Vector = np.zeros((0, identity.dimensions), np.int8)
        self._signs: NDArray[np.uint64] = np.zeros((-(-identity.dimensions // _WORD_BITS), 0), np.uint64)
        self._lengths = Column(np.float32)
        self._has = Column(np.bool_)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def size_bytes(self) -> int:
        """The size of the vectors in memory."""
        return self._vectors.nbytes + self._signs.nbytes + size_of((self._lengths, self._has))

    def add(self, rows: Rows, vectors: Vector) -> None:
        """Add vectors of different rows that have none yet."""
        for column in (self._lengths, self._has):
            column.reserve(int(rows.max(initial=0)) + 1)
        room = len(self._lengths.values)
        if room > len(self._vectors):
            grown: Vector = np.zeros((room, self._vectors.shape[1]), np.int8)
            grown[: len(self._vectors)] = self._vectors
            signs = np.zeros((len(self._signs), room), np.uint64)
            signs[:, : len(self._vectors)] = self._signs
            self._vectors, self._signs = grown, signs
        self._vectors[rows] = vectors
        self._signs[:, rows] = _signs_of(vectors).T
        self._lengths.values[rows] = _lengths_of(vectors)
        self._has.values[rows] = True
        self._count += len(rows)

    def saved(self, name: str, rows: int) -> dict[str, NDArray[Any]]:
        """Return the vectors of the first rows in the form of a saved index, under a name."""
        return {
            name: self._vectors[:rows],
            f"{name}.sign": self._signs[:, :rows],
            f"{name}.length": self._lengths.values[:rows],
        }

    def load(self, table: Mapping[str, NDArray[Any]], name: str, kept: Mask) -> Rows:
        """Take over the vectors of those rows of a saved index that a mask keeps. Return the rows."""
        self._vectors, self._signs = table[name], table[f"{name}.sign"]
        there = len(self._vectors)
        lengths = np.where(kept[:there], table[f"{name}.length"][:there], np.float32(0.0))
        self._vectors[lengths == 0.0] = 0
        # Columns of no more rows than there are vectors: ``add`` makes room in all of them together.
        self._lengths.values, self._has.values = lengths, lengths > 0.0
        rows = np.flatnonzero(lengths)
        self._count = len(rows)
        return rows

    def remove(self, row: int) -> None:
        """Remove the vector of a row, which must have one."""
        self._vectors[row] = 0
        self._lengths.values[row] = 0.0
        self._has.values[row] = False
        self._count -= 1

    def has(self, row_count: int) -> Mask:
        """Return a mask of the first ``row_count`` rows: those that have a vector."""
        has: Mask = np.zeros(row_count, np.bool_)
        there = self._has.values[:row_count]
        has[: len(there)] = there
        return has

    def cosines_of(self, vector: Vector, row_count: int) -> Scores:
        """Return the cosines of the first ``row_count`` rows with a vector; 0 for those without one."""
        cosines: Scores = np.zeros(row_count, np.float32)
        there = min(row_count, len(self._vectors))
        cosines[:there] = _cosines(vector, self._vectors[:there], self._lengths.values[:there])
        return cosines

    def cosines_at(self, vector: Vector, rows: Rows) -> Scores:
        """Return the cosines of these rows with a vector, the same as ``cosines_of`` returns."""
        cosines: Scores = np.zeros(len(rows), np.float32)
        for first in range(0, len(rows), _TOGETHER):
            some = rows[first : first + _TOGETHER]
            is_there = some < len(self._vectors)
            there = np.where(is_there, some, 0)
            cosines[first : first + len(some)] = is_there * _cosines(
                vector, self._vectors[there], self._lengths.values[there]
            )
        return cosines

    def probably_nearest(self, vector: Vector, among: Mask, count: int) -> Rows:
        """Return rows of a mask whose components have most often the signs of a vector's, in order: at least ``count``.

        All of them must have a vector. Those with as many differing signs as the last one are all returned, so that the
        result does not depend on the order of the rows. If the mask has fewer, all are returned of which not all signs
        differ.
        """
        (signs,) = _signs_of(vector[np.newaxis])
        differing = self._differing(signs, len(among))
        greatest = int(np.iinfo(differing.dtype).max)
        if not among.all():
            differing[~among] = greatest
        lower, upper = 0, min(_WORD_BITS * len(signs), greatest - 1)
        while lower < upper:
            middle = (lower + upper) // 2
            if int(np.count_nonzero(differing <= middle)) >= count:
                upper = middle
            else:
                lower = middle + 1
        return np.flatnonzero(differing <= lower)

    def _differing(self, signs: NDArray[np.uint64], row_count: int) -> NDArray[np.uint8] | NDArray[np.uint16]:
        """Return for each of the first rows the number of signs that differ; of those without a vector, any number."""
        is_small = _WORD_BITS * len(signs) <= _IN_BYTES_MAX
        differing: NDArray[np.uint8] | NDArray[np.uint16] = np.zeros(row_count, np.uint16)
        if is_small:
            differing = np.zeros(row_count, np.uint8)
        unlike, counted = np.empty(_TOGETHER, np.uint64), np.empty(_TOGETHER, np.uint8)
        there = min(row_count, len(self._vectors))
        for first in range(0, there, _TOGETHER):
            last = min(first + _TOGETHER, there)
            words, bits, part = unlike[: last - first], counted[: last - first], differing[first:last]
            for place, sign in enumerate(signs, 1):
                np.bitwise_count(np.bitwise_xor(self._signs[place - 1, first:last], sign, out=words), out=bits)
                if is_small and _WORD_BITS * place == _IN_BYTES_MAX:
                    np.minimum(bits, 255 - part, out=bits)
                part += bits
        return differing


def _cosines(vector: Vector, others: Vector, lengths: Scores) -> Scores:
    products = np.asarray(simsimd.cdist(vector[np.newaxis], others, metric="inner"))
    cosines: Scores = products[0].astype(np.float32)
    with np.errstate(invalid="ignore"):
        cosines /= lengths * _lengths_of(vector)
    cosines[lengths == 0.0] = 0.0
    return np.clip(cosines, -1.0, 1.0, out=cosines)


def _signs_of(vectors: Vector) -> NDArray[np.uint64]:
    """Return a bit for each component, which is set if that is above zero, in words of 64 bits."""
    bits = np.packbits(vectors > 0, axis=1)
    words = np.zeros((len(vectors), -(-vectors.shape[1] // _WORD_BITS) * 8), np.uint8)
    words[:, : bits.shape[1]] = bits
    return words.view(np.uint64)
