"""Use cases of documents: add them from texts, files and URLs, and search their chunks."""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import msgspec

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import RecordPut
from memoryd_server.domain.documents.document import PLAIN_TEXT, Document, DocumentChunk, DocumentDraft
from memoryd_server.domain.documents.document_change import AddDocument
from memoryd_server.domain.documents.document_title import name_in, title_of
from memoryd_server.domain.error import DocumentUnreadable, LimitExceeded, UrlNotAllowed
from memoryd_server.domain.limit import PAGE_BYTES_MAX, Limits
from memoryd_server.domain.validation import size_bytes
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.request_window import RequestKey
from memoryd_server.engine.documents.document_text import DocumentTexts
from memoryd_server.engine.documents.uploads import Uploads
from memoryd_server.engine.indexes.chunk_indexes import ChunkIndexes, documents_of
from memoryd_server.engine.indexes.vectors import Vector, Vectors
from memoryd_server.ports.extraction import ExtractedText, Extractor
from memoryd_server.ports.fetching import Fetcher
from memoryd_server.ports.retrieval import Criteria, Match, MemoryIndex, Query, Ranking
from memoryd_server.ports.upload import UploadRepository

log = logging.getLogger("memoryd.documents")


class DocumentSources(msgspec.Struct, frozen=True):
    """The sources of documents. Without a fetcher, no document is fetched from a URL."""

    uploads: UploadRepository
    extractor: Extractor
    fetcher: Fetcher | None = None

    async def close(self) -> None:
        """Close the extractor and the fetcher."""
        await self.extractor.close()
        if self.fetcher is not None:
            await self.fetcher.close()


class Url(msgspec.Struct, frozen=True):
    """The URL from which a document is fetched."""

    url: str


Content = str | bytes | Path | Url
"""The content of a document: its text, a file's bytes, the path of a file, or a URL."""


class Addition(msgspec.Struct, frozen=True):
    """A document to add. With ``request``, repeating the addition returns its first result."""

    draft: DocumentDraft
    precondition: Precondition | None = None
    origin: str = ""
    request: RequestKey | None = None


class SearchRequest(msgspec.Struct, frozen=True):
    """A search of documents; see SearchDocumentsRequest of the wire contract."""

    text: str
    limit: int
    document_ids: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    min_score: float = 0.0


class FoundChunk(msgspec.Struct, frozen=True):
    """A matching chunk, and its document."""

    match: Match
    chunk: DocumentChunk
    document: Document


class SearchedDocuments(msgspec.Struct, frozen=True):
    """The matching chunks, best first. ``total`` is the number of all matches."""

    found: Sequence[FoundChunk]
    total: int
    uses_meaning: bool
    revision: int


class Documents:
    """The documents of all agents. Every method raises what the domain and the store raise."""

    def __init__(
        self,
        agents: AgentCache,
        limits: Limits,
        *,
        indexes: ChunkIndexes,
        vectors: Vectors,
        sources: DocumentSources,
    ) -> None:
        self.uploads = Uploads(sources.uploads, limits.document_file_bytes)
        self._agents = agents
        self._limits = limits
        self._indexes = indexes
        self._vectors = vectors
        self._texts = DocumentTexts(vectors)
        self._extractor = sources.extractor
        self._fetcher = sources.fetcher

    async def add(self, agent_id: str, addition: Addition, content: Content) -> RecordPut[Document]:
        """Add a document. Raises DocumentUnreadable, UrlNotAllowed, LimitExceeded."""
        if addition.request is not None:
            # Before fetching or reading: a repeated request does not need the source, which may be gone by now.
            remembered = await self._agents.remembered(agent_id, addition.request)
            if remembered is not None:
                return cast("RecordPut[Document]", remembered)
        draft = addition.draft
        read = await self._read(draft, content)
        text_bytes = size_bytes(read.text)
        if text_bytes > self._limits.document_text_bytes:
            raise LimitExceeded("document_text_bytes", self._limits.document_text_bytes)
        cut = await self._texts.cut(read.text)
        command = AddDocument(
            draft.document_id,
            draft.title or read.title,
            draft.description,
            draft.tags,
            draft.source,
            read.media_type,
            text_bytes,
            cut.token_count,
            cut.chunks,
            addition.precondition,
        )
        done = await self._agents.submit(agent_id, command, addition.origin, addition.request)
        log.debug("document added", extra={"agent_id": agent_id, "document_id": draft.document_id})
        return done

    async def search(self, agent_id: str, request: SearchRequest, max_staleness_ns: int = 0) -> SearchedDocuments:
        """Return the chunks that match best. The result stays the same as long as the agent does not change."""
        state = (await self._agents.current(agent_id, max_staleness_ns)).state
        vector, ranking = None, Ranking((), 0)
        if documents_of(state).chunks:
            vector = await self._vectors.of_query(request.text)
            # Embedding took time, and the agent may have been evicted: load it again.
            state = (await self._agents.current(agent_id, max_staleness_ns)).state
            ranking, state = await self._indexes.use(state, _searching(request, vector, state.update_time))
        part, found, answer_bytes = documents_of(state), [], 0
        for match in ranking.matches:
            there = part.chunk(match.memory_id)
            if there is None or answer_bytes >= PAGE_BYTES_MAX:
                break
            document, chunk = there
            answer_bytes += chunk.size_bytes
            found.append(FoundChunk(match, chunk, document))
        return SearchedDocuments(found, ranking.total, vector is not None, state.revision)

    async def _read(self, draft: DocumentDraft, content: Content) -> ExtractedText:
        """Return the text of a content, always with a title."""
        if isinstance(content, str):
            title = title_of(draft.document_id, content)
            return ExtractedText(content, title, draft.media_type or PLAIN_TEXT)
        if isinstance(content, Url):
            return await self._fetched(draft, content.url)
        return await self._extracted(draft, content, name_in(draft.source), draft.media_type)

    async def _fetched(self, draft: DocumentDraft, url: str) -> ExtractedText:
        if self._fetcher is None:
            raise UrlNotAllowed("this server does not fetch documents: set document_url_hosts")
        async with self.uploads.receive() as file:
            fetched = await self._fetcher.fetch(url, file.write)
            await file.finish()
            return await self._extracted(draft, file.path, fetched.name, draft.media_type or fetched.media_type)

    async def _extracted(self, draft: DocumentDraft, file: bytes | Path, name: str, media_type: str) -> ExtractedText:
        if isinstance(file, bytes) and len(file) > self._limits.document_file_bytes:
            raise LimitExceeded("document_file_bytes", self._limits.document_file_bytes)
        read = await self._extractor.extract(file, name, media_type)
        if not read.text.strip():
            raise DocumentUnreadable("has no text")
        title = title_of(draft.document_id, read.text, read.title, name)
        return msgspec.structs.replace(read, title=title)


def _searching(request: SearchRequest, vector: Vector | None, now: int) -> Callable[[MemoryIndex], Ranking]:
    identity, data = (None, None) if vector is None else vector
    criteria = Criteria(tags=request.tags, conversation_ids=request.document_ids)
    query = Query(request.text, now, request.limit, data, identity, criteria, request.min_score, follow_links=False)
    return lambda index: index.search(query)
