"""Indexes of the chunks of agents' documents. The index takes each chunk as if it were a memory.

The document takes the place of the memory's conversation: neighbouring chunks raise each other's scores.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence

import msgspec

from memoryd_server.domain.agent.collection import Collection
from memoryd_server.domain.agent.part import Changes
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.documents.document import DOCUMENT, DOCUMENT_CHUNK, Document, DocumentChunk
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.memory import (
    CONFIDENCE_AT_FIRST,
    Confidence,
    Memory,
    MemoryType,
    Provenance,
)
from memoryd_server.engine.indexes.saved_agent_indexes import SavedAgentIndexes
from memoryd_server.ports.retrieval import IndexedMemory, MemoryIndex
from memoryd_server.ports.saved_indexes import SavedIndexes

_NUMBER_BITS = 24
_DIGEST_BYTES = 4


class DocumentPart(msgspec.Struct, frozen=True):
    """An agent's documents and their chunks."""

    documents: Collection[Document]
    chunks: Collection[DocumentChunk]

    def chunk(self, chunk_id: str) -> tuple[Document, DocumentChunk] | None:
        """Return the chunk that has this id in the index, with its document; None if it does not exist."""
        document_id, _, key = chunk_id.rpartition("/")
        document, chunk = self.documents.find("", document_id), self.chunks.find(document_id, key)
        return None if document is None or chunk is None else (document, chunk)


class ChunkIndexes(SavedAgentIndexes[DocumentPart]):
    """The indexes of agents' documents."""

    def __init__(self, new_index: Callable[[], MemoryIndex], saved: SavedIndexes | None = None) -> None:
        super().__init__(new_index, _Chunks(), saved)


class _Chunks:
    """Implements ``IndexedPart``. The index has nothing of a document but its chunks: searches name the documents."""

    def of(self, state: AgentState) -> DocumentPart:
        return documents_of(state)

    def ids_of(self, changes: Changes) -> Iterable[str]:
        return (change.key for change in changes if change.kind == DOCUMENT_CHUNK.name)

    def all_changed(self, known: DocumentPart, latest: DocumentPart) -> set[str]:
        changed: set[str] = set()
        for document_id in {*known.chunks.groups, *latest.chunks.groups}:
            before, after = known.chunks.group(document_id), latest.chunks.group(document_id)
            if before is not after:
                keys = (key for key in {*before, *after} if before.get(key) is not after.get(key))
                changed.update(f"{document_id}/{key}" for key in keys)
        return changed

    def indexed(self, part: DocumentPart, ids: set[str] | None) -> Sequence[IndexedMemory]:
        if ids is None:
            ids = {f"{document_id}/{key}" for document_id, keys in part.chunks.groups.items() for key in keys}
        found = ((chunk_id, part.chunk(chunk_id)) for chunk_id in sorted(ids))
        return [_indexed(chunk_id, there[1]) for chunk_id, there in found if there is not None]


def documents_of(state: AgentState) -> DocumentPart:
    """Return the documents of a state and their chunks."""
    return DocumentPart(state.part(DOCUMENT), state.part(DOCUMENT_CHUNK))


def _indexed(chunk_id: str, chunk: DocumentChunk) -> IndexedMemory:
    embedding = None if chunk.identity is None else Embedding(chunk_id, chunk.identity, chunk.vector)
    memory = Memory(
        chunk_id,
        _sequence_of(chunk),
        MemoryType.SEMANTIC,
        chunk.found_by,
        "",
        "",
        Provenance(chunk.document_id, position=chunk.number),
        (),
        "",
        0.0,
        chunk.create_time,
        chunk.create_time,
        chunk.create_time,
        chunk.revision,
        chunk.size_bytes,
        (Confidence(chunk.create_time, CONFIDENCE_AT_FIRST),),
    )
    return IndexedMemory(memory, embedding)


def _sequence_of(chunk: DocumentChunk) -> int:
    """Return the number that ranks equal matches: the greater is first, so of one document the earlier chunk.

    It depends only on the document's id and the chunk's number: the order is the same in every daemon.
    """
    digest = hashlib.blake2b(chunk.document_id.encode(), digest_size=_DIGEST_BYTES).digest()
    return ((int.from_bytes(digest) + 1) << _NUMBER_BITS) - chunk.number
