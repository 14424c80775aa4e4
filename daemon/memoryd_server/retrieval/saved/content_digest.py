"""Digests of what an index reads of memories."""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memoryd_server.ports.retrieval import IndexedMemory

_DIGEST_BYTES = 8
_TOGETHER = 1_024
"""Number of memories whose vectors are read in one pass: they stay in the processor's cache."""

Digests = NDArray[np.uint64]


def digests_of(memories: Sequence[IndexedMemory]) -> Digests:
    """Return a digest of each memory's texts, time and vector: what is saved of it depends on nothing else."""
    parts = (memories[first : first + _TOGETHER] for first in range(0, len(memories), _TOGETHER))
    return np.concatenate([np.zeros(0, np.uint64), *map(_digests_together, parts)])


def _digests_together(memories: Sequence[IndexedMemory]) -> Digests:
    digests = np.frombuffer(b"".join(map(_digest_of_texts, memories)), np.uint64).copy()
    vectors = [b"" if each.embedding is None else each.embedding.vector for each in memories]
    sizes = np.fromiter(map(len, vectors), np.intp, len(vectors))
    for size in set(sizes.tolist()) - {0}:
        places = np.flatnonzero(sizes == size)
        joined = b"".join([vectors[place] for place in places.tolist()])
        # A sum of products modulo 2**64 is a universal hash, and reads a vector in a tenth of the time of BLAKE2.
        numbers = np.frombuffer(joined, np.uint32).reshape(len(places), -1)
        digests[places] ^= np.einsum("ij,j->i", numbers, _factors(numbers.shape[1]), dtype=np.uint64)
    return digests


def _digest_of_texts(indexed: IndexedMemory) -> bytes:
    memory, embedding = indexed.memory, indexed.embedding
    labels = repr((memory.aliases, memory.tags)) if memory.aliases or memory.tags else ""
    model = "" if embedding is None else f"{embedding.identity.model}\0{embedding.identity.version}"
    texts = f"{memory.occur_time} {len(memory.content)} {memory.content}{labels}\0{model}"
    return hashlib.blake2b(texts.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()


def _factors(count: int) -> Digests:
    """Return odd factors that look random, the same in every process."""
    return np.random.Generator(np.random.PCG64(count)).integers(0, 1 << 64, count, np.uint64) | np.uint64(1)
