"""Preparation of a document's text: cut into chunks, with token counts and vectors."""

import asyncio

import msgspec

from memoryd_server.domain.documents.chunking import chunks_of
from memoryd_server.domain.documents.document import ChunkDraft
from memoryd_server.domain.values.token_estimate import estimated_tokens
from memoryd_server.engine.indexes.vectors import Vectors
from memoryd_server.engine.limit import DOCUMENT_VECTORS_WAIT_S, DOCUMENTS_READ_TOGETHER_MAX


class CutText(msgspec.Struct, frozen=True):
    """A text as chunks, with its number of tokens."""

    chunks: tuple[ChunkDraft, ...]
    token_count: int


class DocumentTexts:
    """Cuts texts into chunks, at most two texts at a time."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self._turns = asyncio.Semaphore(DOCUMENTS_READ_TOGETHER_MAX)

    async def cut(self, text: str) -> CutText:
        """Return the chunks of a text. Those that cannot be embedded in time have no vector."""
        async with self._turns:
            cut = await asyncio.to_thread(_cut, text)
            texts = [each.found_by for each in cut.chunks]
            identity, vectors = await self._vectors.of_texts(texts, DOCUMENT_VECTORS_WAIT_S)
        found = (
            msgspec.structs.replace(chunk, identity=identity, vector=vector)
            for chunk, vector in zip(cut.chunks, vectors, strict=False)
        )
        return CutText((*found, *cut.chunks[len(vectors) :]), cut.token_count)


def _cut(text: str) -> CutText:
    drafts, token_count = [], 0
    for chunk in chunks_of(text):
        tokens = estimated_tokens(chunk.text)
        token_count += tokens
        drafts.append(ChunkDraft(chunk.heading, chunk.text, chunk.overlap, tokens + estimated_tokens(chunk.overlap)))
    return CutText(tuple(drafts), token_count)
