"""Preparation of a document's text: cut into chunks, with token counts and vectors."""

import asyncio

import msgspec

from memoryd_server.domain.documents.chunking import chunks_of
from memoryd_server.domain.documents.document import ChunkDraft
from memoryd_server.domain.values.token_estimate import estimated_tokens
from memoryd_server.engine.agents.lane import TEXTS
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

    async def cut(self, text: str, *, has_pages: bool = False) -> CutText:
        """Return the chunks of a text. Those that cannot be embedded in time have no vector.

        A text with form feeds has pages in any case.
        """
        async with self._turns:
            cut = await TEXTS.run(lambda: _cut(text, has_pages=has_pages))
            texts = [each.found_by for each in cut.chunks]
            identity, vectors = await self._vectors.of_texts(texts, DOCUMENT_VECTORS_WAIT_S)
        found = (
            msgspec.structs.replace(chunk, identity=identity, vector=vector)
            for chunk, vector in zip(cut.chunks, vectors, strict=False)
        )
        return CutText((*found, *cut.chunks[len(vectors) :]), cut.token_count)


def _cut(text: str, *, has_pages: bool) -> CutText:
    drafts, token_count = [], 0
    for chunk in chunks_of(text, has_pages=has_pages):
        tokens = estimated_tokens(chunk.text)
        token_count += tokens
        size = tokens + estimated_tokens(chunk.overlap)
        draft = ChunkDraft(chunk.heading, chunk.text, chunk.overlap, size, page=chunk.page, last_page=chunk.last_page)
        drafts.append(draft)
    return CutText(tuple(drafts), token_count)
