"""The text of a document on its way to be kept: cut into chunks, its tokens counted, its vectors made."""

import asyncio

import msgspec

from memoryd_server.domain.documents.chunking import chunks_of
from memoryd_server.domain.documents.document import ChunkDraft
from memoryd_server.domain.values.token_estimate import estimated_tokens
from memoryd_server.engine.indexes.vectors import Vectors

_VECTORS_S = 30.0
"""How long the vectors of a document are waited for."""
_AT_ONCE_MAX = 2
"""More texts at a time would leave no thread for anybody else."""


class CutText(msgspec.Struct, frozen=True):
    """A text in chunks."""

    chunks: tuple[ChunkDraft, ...]
    token_count: int


class DocumentTexts:
    """Cuts texts, a few at a time."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self._turns = asyncio.Semaphore(_AT_ONCE_MAX)

    async def cut(self, text: str) -> CutText:
        """The chunks of a text, with their vectors as far as these can be made in time."""
        async with self._turns:
            cut = await asyncio.to_thread(_cut, text)
            texts = [each.found_by for each in cut.chunks]
            identity, vectors = await self._vectors.of_texts(texts, _VECTORS_S)
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
