"""The index of one agent's memories."""

from collections.abc import Iterable, Sequence
from typing import BinaryIO

from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.domain.values.record_filter import RecordFilter
from memoryd_server.ports.retrieval import IndexedMemory, Query, Ranking, Similar
from memoryd_server.retrieval.holdings import Holdings
from memoryd_server.retrieval.ranking import Ranker, SalienceOf
from memoryd_server.retrieval.reranking.feature import Features
from memoryd_server.retrieval.reranking.reranker import Reranker
from memoryd_server.retrieval.resemblance import resembling
from memoryd_server.retrieval.saved_holdings import load_holdings, save_holdings
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
        save_holdings(self._holdings, file)

    def load(self, file: BinaryIO, memories: Iterable[IndexedMemory]) -> int:
        """Add memories to an empty index, and take what was saved of those that have not changed since.

        Return the number of memories that differ from those that were saved: new, changed or gone ones. Raises
        UnusableIndex, and OSError: the index must not be used then.
        """
        return load_holdings(self._holdings, file, memories)

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
