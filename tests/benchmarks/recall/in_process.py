"""The daemon's index within this process: conversations as the daemon would index them, without a daemon."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from tests.conversation import TIME_FORMAT, Conversation

from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories.embedding import Embedding, EmbeddingIdentity
from memoryd_server.domain.memories.memory import Confidence, Memory, MemoryType, Provenance
from memoryd_server.domain.memories.salience import SaliencePolicy
from memoryd_server.models.embedding.static import DEFAULT_TABLE, StaticEmbedder
from memoryd_server.ops.wiring.models import NewIndexes
from memoryd_server.ports.retrieval import IndexedMemory, Query
from memoryd_server.retrieval.index import Index

if TYPE_CHECKING:
    from model2vec import StaticModel

NOW = int(datetime(2026, 11, 23, 12, tzinfo=UTC).timestamp()) * SECOND_NS
"""The time at which everything is stored and asked."""

IDENTITY = EmbeddingIdentity("table", "1", 256)


@cache
def _model() -> "StaticModel":
    from model2vec import StaticModel

    return StaticModel.from_pretrained(DEFAULT_TABLE)


@cache
def _embedder() -> StaticEmbedder:
    """Return the daemon's embedder with its table loaded: until then, it takes all words for known."""
    embedder = StaticEmbedder()
    embedder.word_table()
    return embedder


@cache
def _new_indexes(reranks: bool) -> NewIndexes:
    return NewIndexes(_embedder(), reranks=reranks)


def new_index(*, reranks: bool = True) -> Index:
    """Return an empty index as the daemon's."""
    index = _new_indexes(reranks).of_memories(SaliencePolicy())()
    assert isinstance(index, Index)
    return index


def vectors_of(texts: Sequence[str]) -> Sequence[bytes]:
    """Return the vectors of texts by the daemon's own table."""
    means = _model().encode(list(texts), max_length=None, use_multiprocessing=False)
    return [row.tobytes() for row in np.asarray(means, "<f4")]


def indexed_memories(conversation: Conversation, *, with_vectors: bool = True) -> Sequence[IndexedMemory]:
    """Return the memories of a conversation's turns, as ``memory_drafts`` would have them stored."""
    vectors = vectors_of([turn.content for turn in conversation.turns]) if with_vectors else ()
    indexed = []
    sessions = groupby(conversation.turns, key=lambda each: each.session)
    placed = [(position, turn) for _, turns in sessions for position, turn in enumerate(turns, 1)]
    for number, (position, turn) in enumerate(placed):
        time = int(datetime.strptime(turn.time, TIME_FORMAT).replace(tzinfo=UTC).timestamp()) * SECOND_NS
        memory = Memory(
            turn.id,
            number + 1,
            MemoryType.EPISODIC,
            turn.content,
            conversation.name,
            "",
            Provenance(conversation_id=f"session-{turn.session}", position=position),
            (),
            "",
            0.5,
            NOW,
            NOW,
            time,
            1,
            len(turn.content),
            (Confidence(NOW, 0.5),),
            last_access_time=NOW,
        )
        embedding = Embedding(turn.id, IDENTITY, vectors[number]) if with_vectors else None
        indexed.append(IndexedMemory(memory, embedding))
    return indexed


def query_of(text: str, limit: int = 20, *, with_vector: bool = True) -> Query:
    """Return a query as the daemon would search for it."""
    if not with_vector:
        return Query(text, NOW, limit)
    familiarity = _embedder().familiarity_of(text)
    return Query(
        text,
        NOW,
        limit,
        vectors_of((text,))[0],
        IDENTITY,
        meaning_known=familiarity.share,
        strange_words=familiarity.strange,
    )
