"""The index of one agent's memories."""

from collections.abc import Iterable, Mapping, Sequence
from typing import BinaryIO

import numpy as np

from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.domain.values.record_filter import RecordFilter
from memoryd_server.ports.retrieval import IndexedMemory, Query, Ranking, Similar, UnusableIndex
from memoryd_server.retrieval.column import ROW_NONE, Mask, Rows
from memoryd_server.retrieval.holdings import Holdings
from memoryd_server.retrieval.ranking import Ranker, SalienceOf
from memoryd_server.retrieval.reranking.feature import Features
from memoryd_server.retrieval.reranking.reranker import Reranker
from memoryd_server.retrieval.resemblance import resembling
from memoryd_server.retrieval.saved.content_digest import digests_of
from memoryd_server.retrieval.saved.table import Table, packed_texts, read_table, texts_of, write_table
from memoryd_server.retrieval.saved.version import reading_version
from memoryd_server.retrieval.weight import DEFAULT_WEIGHTS, Weights


class Index:
    """Implements ``MemoryIndex`` in NumPy arrays. Without a reranker, the scores are no probabilities."""

    def __init__(
        self, salience_of: SalienceOf, weights: Weights = DEFAULT_WEIGHTS, reranker: Reranker | None = None
    ) -> None:
        self._holdings = Holdings(reads_times=weights.period > 0)
        self._ranker = Ranker(self._holdings, salience_of, weights, reranker)

    def __len__(self) -> int:
        return len(self._holdings.table)

    @property
    def size_bytes(self) -> int:
        """The estimated size of the index in memory, without the memories themselves."""
        return self._holdings.size_bytes

    def put(self, memories: Iterable[IndexedMemory]) -> None:
        """Add memories, replacing those with the same ids."""
        self._holdings.put(memories)

    def remove(self, memory_ids: Iterable[str]) -> None:
        """Remove memories. An id that is not in the index is ignored."""
        for memory_id in memory_ids:
            self._holdings.remove(memory_id)

    def save(self, file: BinaryIO) -> None:
        """Write what took long to compute, with checksums. Raises OSError."""
        write_table(file, {**packed_texts("version", [self._version]), **self._holdings.saved()})

    def load(self, file: BinaryIO, memories: Iterable[IndexedMemory]) -> int:
        """Add memories to an empty index, and take what was saved of those that have not changed since.

        Return the number of memories that differ from those that were saved: new, changed or gone ones. Raises
        UnusableIndex, and OSError: the index must not be used then.
        """
        table = read_table(file)
        try:
            if texts_of(table, "version") != [self._version]:
                raise UnusableIndex("saved by another version")
            saved = {memory_id: row for row, memory_id in enumerate(texts_of(table, "ids")) if memory_id}
            rows, kept, left = _divided(table, saved, list(memories))
            self._holdings.load(table, rows, kept)
        except (LookupError, TypeError, ValueError) as error:
            # The names of arrays, unlike the arrays themselves, have no checksums.
            raise UnusableIndex(f"damaged: {error!r}") from error
        self._holdings.put(left)
        # The memories that are neither kept nor changed are gone.
        changed = sum(each.memory.memory_id in saved for each in left)
        return len(left) + len(saved) - len(kept) - changed

    def search(self, query: Query) -> Ranking:
        """Return the memories that match best."""
        return self._ranker.rank(query)

    def candidates(self, query: Query) -> tuple[Sequence[str], Features]:
        """Return the ids of the candidates of the second stage, and their features, to fit its model."""
        rows, features = self._ranker.candidates(query)
        return [self._holdings.table.memory_at(row).memory_id for row in rows.tolist()], features

    def similar(
        self, text: str, vector: bytes | None, identity: EmbeddingIdentity | None, chosen: RecordFilter, limit: int
    ) -> Sequence[Similar]:
        """Return the memories that resemble a text most, by words and by meaning together."""
        return resembling(self._holdings, text, vector, identity, chosen, limit)

    @property
    def _version(self) -> str:
        """The version of what is saved: of what reads contents, and of what is read of them."""
        return f"{reading_version()} {self._holdings.reads_times}"


def _divided(
    table: Table, saved: Mapping[str, int], memories: Sequence[IndexedMemory]
) -> tuple[Rows, list[IndexedMemory], list[IndexedMemory]]:
    """Return the memories of which all that was read is saved, with their rows in order, and the others."""
    rows = np.fromiter((saved.get(each.memory.memory_id, ROW_NONE) for each in memories), np.intp, len(memories))
    is_kept: Mask = (rows != ROW_NONE) & (table["digests"][rows] == digests_of(memories))
    places = np.flatnonzero(is_kept)
    ordered = places[np.argsort(rows[places])]
    left = [memories[place] for place in np.flatnonzero(~is_kept).tolist()]
    return rows[ordered], [memories[place] for place in ordered.tolist()], left
