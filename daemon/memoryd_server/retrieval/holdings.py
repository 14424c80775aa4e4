"""The content of the index: one row per memory, one column per property, updated incrementally."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from memoryd_server.domain.memories.embedding import Embedding, EmbeddingIdentity
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.ports.retrieval import IndexedMemory
from memoryd_server.retrieval.column import Column, Mask, Rows, Scores
from memoryd_server.retrieval.conversation import Conversations
from memoryd_server.retrieval.saved.content_digest import digests_of
from memoryd_server.retrieval.saved.table import Table, packed_texts, texts_of
from memoryd_server.retrieval.table.memory_table import MemoryTable
from memoryd_server.retrieval.text.statement import Statement, statement_of
from memoryd_server.retrieval.time.calendar import Calendar
from memoryd_server.retrieval.time.mention import Mention, mentions_in
from memoryd_server.retrieval.vector_index import VectorIndex, vector_of, vectors_of
from memoryd_server.retrieval.words.term_index import TermIndex

_TOGETHER = 1_024
"""Number of memories whose vectors are added in one pass."""


class Holdings:
    """The indexed memories: their table, terms, conversations, dates and vectors. A memory has one row in all parts.

    If ``reads_times`` is false, the times that contents mention are not looked for. ``digests`` has those of what was
    read of each row's memory.
    """

    def __init__(self, *, reads_times: bool = True) -> None:
        self.reads_times = reads_times
        self.digests = Column(np.uint64)
        self.table = MemoryTable()
        self.terms = TermIndex()
        self.conversations = Conversations()
        self.calendar = Calendar()
        self._vectors: dict[EmbeddingIdentity, VectorIndex] = {}
        self._identities: dict[int, EmbeddingIdentity] = {}

    @property
    def size_bytes(self) -> int:
        """The estimated size of all parts in memory, without the memories themselves."""
        vectors = sum(vectors.size_bytes for vectors in self._vectors.values())
        terms, conversations = self.terms.size_bytes, self.conversations.size_bytes
        rest = self.calendar.size_bytes + self.digests.values.nbytes
        return self.table.size_bytes + terms + conversations + vectors + rest

    def saved(self) -> dict[str, NDArray[Any]]:
        """Return what is read of the memories in the form of a saved index. What is quickly found again is left out."""
        rows = self.table.row_count
        saved = {
            **packed_texts("ids", self.table.memory_ids()),
            "digests": self.digests.values[:rows],
            **self.terms.saved(rows),
            **self.calendar.saved(rows),
        }
        for number, vectors in enumerate(self._vectors.values()):
            saved.update(vectors.saved(f"vectors.{number}", rows))
        identities = [msgspec.json.encode(identity).decode() for identity in self._vectors]
        return {**saved, **packed_texts("identities", identities)}

    def load(self, table: Table, rows: Rows, kept: Sequence[IndexedMemory]) -> None:
        """Fill empty holdings with some rows of saved ones, in order: those of these memories."""
        is_kept: Mask = np.zeros(len(table["digests"]), np.bool_)
        is_kept[rows] = True
        self.digests.load(table["digests"])
        self.terms.load(table, is_kept)
        self.calendar.load(table, is_kept)
        for number, identity in enumerate(texts_of(table, "identities")):
            decoded = msgspec.json.decode(identity, type=EmbeddingIdentity)
            vectors = VectorIndex(decoded)
            there = vectors.load(table, f"vectors.{number}", is_kept)
            if vectors:
                self._vectors[decoded] = vectors
                self._identities.update(dict.fromkeys(there.tolist(), decoded))
        self.table.load(rows, kept, len(is_kept))
        self.conversations.load(rows, [each.memory for each in kept], len(is_kept))

    def put(self, memories: Iterable[IndexedMemory]) -> None:
        """Add memories, or replace those with the same ids."""
        left = iter(memories)
        while some := list(itertools.islice(left, _TOGETHER)):
            embeddings: dict[int, Embedding] = {}
            for indexed, digest in zip(some, digests_of(some).tolist(), strict=True):
                row = self._put(indexed, digest)
                embeddings.pop(row, None)
                if indexed.embedding is not None:
                    embeddings[row] = indexed.embedding
            self._add_vectors(embeddings)

    def _put(self, indexed: IndexedMemory, digest: int) -> int:
        """Add a memory without its vector, or replace the one with the same id. Return its row."""
        memory = indexed.memory
        row, known = self.table.rows.get(memory.memory_id), None
        if row is None:
            row = self.table.add(indexed)
            self.terms.add(row, _statement_of(memory))
        else:
            known = self.table.memory_at(row)
            self.conversations.remove(row, known)
            self._remove_vector(row)
            self.table.replace(row, indexed)
            if _texts_of(memory) != _texts_of(known):
                self.terms.remove(row)
                self.terms.add(row, _statement_of(memory))
        self.digests.reserve(row + 1)
        self.digests.values[row] = digest
        self.conversations.add(row, memory)
        if known is None or (memory.content, memory.occur_time) != (known.content, known.occur_time):
            self.calendar.add(row, memory.occur_time, self._mentions_of(memory))
        return row

    def remove(self, memory_id: str) -> None:
        """Remove a memory, if it is there."""
        row = self.table.rows.get(memory_id)
        if row is not None:
            self.conversations.remove(row, self.table.memory_at(row))
            self.terms.remove(row)
            self.calendar.remove(row)
            self._remove_vector(row)
            self.table.remove(row)

    def _mentions_of(self, memory: Memory) -> list[Mention]:
        return mentions_in(memory.content, memory.occur_time) if self.reads_times else []

    def cosines_of(
        self, vector: bytes | None, identity: EmbeddingIdentity | None, passing: Mask
    ) -> tuple[Mask, Scores]:
        """Return a mask of the passing rows that have a vector of this identity, and their cosines with ``vector``."""
        has: Mask = np.zeros(len(passing), np.bool_)
        cosines: Scores = np.zeros(len(passing), np.float32)
        looked_for = vector_of(vector) if vector is not None else None
        vectors = self.vectors_of(identity)
        if looked_for is not None and vectors is not None:
            has = vectors.has(len(passing)) & passing
            cosines = vectors.cosines_of(looked_for, len(passing)) * has
        return has, cosines

    def vectors_of(self, identity: EmbeddingIdentity | None) -> VectorIndex | None:
        """Return the vectors of an identity; None if there are none."""
        return self._vectors.get(identity) if identity is not None else None

    def _add_vectors(self, embeddings: Mapping[int, Embedding]) -> None:
        """Add the vectors of rows that have none yet. Zero vectors are ignored: they are similar to nothing."""
        for identity in {each.identity for each in embeddings.values()}:
            rows = [row for row, each in embeddings.items() if each.identity == identity]
            vectors = vectors_of([embeddings[row].vector for row in rows])
            is_there = vectors.any(axis=1)
            if not is_there.any():
                continue
            if identity not in self._vectors:
                self._vectors[identity] = VectorIndex(identity)
            there = np.array(rows, np.intp)[is_there]
            self._vectors[identity].add(there, vectors[is_there])
            self._identities.update(dict.fromkeys(there.tolist(), identity))

    def _remove_vector(self, row: int) -> None:
        identity = self._identities.pop(row, None)
        if identity is not None:
            vectors = self._vectors[identity]
            vectors.remove(row)
            if not vectors:
                del self._vectors[identity]


def _texts_of(memory: Memory) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    return memory.content, memory.aliases, memory.tags


def _statement_of(memory: Memory) -> Statement:
    return statement_of(*_texts_of(memory))
