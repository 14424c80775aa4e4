"""Memories and queries for tests of the index."""

from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec
import numpy as np
from tests.unit.record_filters import of_memories

from memoryd_server.domain.memories.embedding import Embedding, EmbeddingIdentity
from memoryd_server.domain.memories.memory import Confidence, Memory, MemoryStatus, MemoryType, Provenance
from memoryd_server.domain.values.record_filter import RecordFilter
from memoryd_server.ports.retrieval import IndexedMemory, Match, Query
from memoryd_server.retrieval.index import Index
from memoryd_server.retrieval.reranking.reranker import Reranker

IDENTITY = EmbeddingIdentity("sample", "1", 4)


def moment(year: int, month: int, day: int) -> int:
    return int(datetime(year, month, day, 12, tzinfo=UTC).timestamp()) * 10**9


NOW = moment(2023, 5, 17)
"""A Wednesday."""


def memory(content: str, number: int = 1, conversation_id: str = "", position: int = 0, **fields: object) -> Memory:
    made = Memory(
        f"m{number}",
        number,
        MemoryType.SEMANTIC,
        content,
        "",
        "",
        Provenance(conversation_id=conversation_id, position=position),
        (),
        "",
        0.5,
        NOW,
        NOW,
        NOW,
        1,
        len(content),
        (Confidence(NOW, 0.5),),
        MemoryStatus.ACTIVE,
    )
    return msgspec.structs.replace(made, **fields)


def vector(*numbers: float) -> bytes:
    return np.array(numbers, "<f4").tobytes()


def embedding(memory_id: str, *numbers: float) -> Embedding:
    return Embedding(memory_id, IDENTITY, vector(*numbers))


def salience_of(memory: Memory, link_weight: float, now: int) -> float:
    return min(memory.importance + 0.1 * link_weight, 1.0)


def index_of(memories: Iterable[Memory | IndexedMemory], reranker: Reranker | None = None) -> Index:
    index = Index(salience_of, reranker=reranker)
    index.put(made if isinstance(made, IndexedMemory) else IndexedMemory(made) for made in memories)
    return index


def talk(*contents: str, conversation_id: str = "c", **fields: object) -> list[Memory]:
    """Return the memories of one conversation, in order."""
    return [memory(content, number, conversation_id, number, **fields) for number, content in enumerate(contents, 1)]


def query(text: str, criteria: RecordFilter = of_memories(), limit: int = 10, **fields: object) -> Query:  # noqa: B008
    return msgspec.structs.replace(Query(text, NOW, limit, filter=criteria), **fields)


def search(index: Index, text: str, criteria: RecordFilter = of_memories(), **fields: object) -> list[Match]:  # noqa: B008
    return list(index.search(query(text, criteria, **fields)).matches)


def found(index: Index, text: str, criteria: RecordFilter = of_memories(), **fields: object) -> list[str]:  # noqa: B008
    return [match.memory_id for match in search(index, text, criteria, **fields)]
