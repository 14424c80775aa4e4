"""Use cases of documents: create and change them from texts, files and URLs, and search their chunks."""

import asyncio
import itertools
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition, check_record
from memoryd_server.domain.agent.result import RecordPut
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.documents.document import (
    DOCUMENT,
    DOCUMENT_SHAPE,
    PDF,
    PLAIN_TEXT,
    Document,
    DocumentChunk,
    DocumentContent,
    DocumentDraft,
)
from memoryd_server.domain.documents.document_change import CreateDocument, DocumentPatch, UpdateDocument
from memoryd_server.domain.documents.document_title import name_in, title_of
from memoryd_server.domain.error import DocumentUnreadable, RecordNotFound, TooLarge, UrlNotAllowed
from memoryd_server.domain.limit import PAGE_BYTES_MAX, Limits
from memoryd_server.domain.validation import size_bytes
from memoryd_server.domain.values.record_filter import EVERY_RECORD, Matcher, RecordFilter
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.consistency import CURRENT, Consistency
from memoryd_server.engine.agents.offload import offload
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.documents.document_text import DocumentTexts
from memoryd_server.engine.documents.uploads import Uploads
from memoryd_server.engine.indexes.chunk_indexes import ChunkIndexes, documents_of
from memoryd_server.engine.indexes.vectors import Vector, Vectors
from memoryd_server.ports.extraction import ExtractedText, Extractor, FileDescription
from memoryd_server.ports.fetching import Fetcher
from memoryd_server.ports.retrieval import Familiarity, Match, MemoryIndex, Query, Ranking
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
    """A document to create, and who creates it."""

    draft: DocumentDraft
    write: Write = UNCONDITIONAL


class Amendment(msgspec.Struct, frozen=True):
    """A change of a document, and who makes it.

    ``media_type`` and ``charset`` are those of the new content; if they are empty, they are derived from it. An empty
    title in the patch is derived from the content, too.
    """

    document_id: str
    patch: DocumentPatch = DocumentPatch()
    media_type: str = ""
    charset: str = ""
    precondition: Precondition | None = None
    write: Write = UNCONDITIONAL


class _Reading(msgspec.Struct, frozen=True):
    """The description of a content to read, for the document with this id."""

    document_id: str
    source: str
    media_type: str
    charset: str


class SearchRequest(msgspec.Struct, frozen=True):
    """A search of documents; see SearchDocumentsRequest of the wire contract. ``vector`` is set if the caller has one.

    Only the chunks of documents that pass ``filter`` are searched.
    """

    text: str
    limit: int
    filter: RecordFilter = EVERY_RECORD
    min_score: float | None = None
    vector: Vector | None = None


class FoundChunk(msgspec.Struct, frozen=True):
    """A matching chunk, its document, and the agent that both belong to."""

    match: Match
    chunk: DocumentChunk
    document: Document
    agent_id: str = ""


class SearchedDocuments(msgspec.Struct, frozen=True):
    """The matching chunks, best first. ``total`` is the number of all matches.

    ``further_revisions`` are those of the further agents, in their order.
    """

    found: Sequence[FoundChunk]
    total: int
    uses_meaning: bool
    revision: int
    further_revisions: Sequence[int] = ()


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

    async def require(self, agent_id: str, write: Write) -> None:
        """Raise FeatureNotInTier unless the agent's tier has what a write uses."""
        await self._agents.require(agent_id, write.features, write.new_tier)

    async def create(self, agent_id: str, addition: Addition, content: Content) -> RecordPut[Document]:
        """Create a document. Raises DocumentUnreadable, UrlNotAllowed, UrlUnreachable, TooLarge."""
        remembered = await self._remembered(agent_id, addition.write)
        if remembered is not None:
            return remembered
        command = await self.create_command(addition.draft, content)
        done = await self._agents.submit(agent_id, command, addition.write)
        self.note_change(agent_id, command, done)
        return done

    async def create_command(self, draft: DocumentDraft, content: Content) -> CreateDocument:
        """Return the command that creates a document. Raises what ``create`` raises."""
        if isinstance(content, Url) and not draft.source:
            draft = draft.with_source(content.url)
        read = await self._read(content, _Reading(draft.document_id, draft.source, draft.media_type, draft.charset))
        titled = msgspec.structs.replace(draft, title=draft.title or read.title)
        return CreateDocument(titled, await self._content_of(read))

    async def update(self, agent_id: str, change: Amendment, content: Content | None) -> RecordPut[Document]:
        """Change a document, and unless ``content`` is None its content.

        Raises RecordNotFound, RevisionMismatch, DocumentUnreadable, UrlNotAllowed, UrlUnreachable, TooLarge.
        """
        remembered = await self._remembered(agent_id, change.write)
        if remembered is not None:
            return remembered
        command = await self.update_command(agent_id, change, content)
        done = await self._agents.submit(agent_id, command, change.write)
        self.note_change(agent_id, command, done)
        return done

    async def update_command(
        self, agent_id: str, change: Amendment, content: Content | None, *, must_exist: bool = True
    ) -> UpdateDocument:
        """Return the command that changes a document. Raises what ``update`` raises.

        If ``must_exist`` is false, an earlier write of the same commit may create or change the document.
        """
        document_id, patch = change.document_id, change.patch
        if content is None:
            return UpdateDocument(document_id, patch, None, change.precondition)
        # For the name of the file, and so that nothing is read in vain: deciding the command checks again.
        known = (await self._agents.current(agent_id)).state.part(DOCUMENT).find("", document_id)
        if must_exist:
            if known is None:
                raise RecordNotFound(agent_id, DOCUMENT.name, document_id)
            check_record(change.precondition, agent_id, DOCUMENT.name, document_id, known.revision)
        if isinstance(content, Url) and patch.source is msgspec.UNSET:
            patch = msgspec.structs.replace(patch, source=content.url)
        source = patch.source if known is None else patch.applied_to(known).source
        read = await self._read(content, _Reading(document_id, source or "", change.media_type, change.charset))
        if patch.title == "":
            patch = msgspec.structs.replace(patch, title=read.title)
        return UpdateDocument(document_id, patch, await self._content_of(read), change.precondition)

    def note_change(self, agent_id: str, command: Command, result: RecordPut[Document]) -> None:
        """Log the result of a command."""
        operation = "document created" if isinstance(command, CreateDocument) else "document updated"
        log.debug(operation, extra={"agent_id": agent_id, "document_id": result.record.document_id})

    async def search(
        self,
        agent_id: str,
        request: SearchRequest,
        consistency: Consistency = CURRENT,
        further_agent_ids: Sequence[str] = (),
    ) -> SearchedDocuments:
        """Return the chunks that match best, of the agent and of further ones together.

        The result stays the same as long as the agents do not change. ``consistency`` is that of the first agent.
        """
        agents = [(agent_id, consistency), *((each, CURRENT) for each in further_agent_ids)]
        if further_agent_ids and request.vector is None:
            request = msgspec.structs.replace(request, vector=await self._vectors.of_query(request.text))
        searched = await asyncio.gather(*(self._searched(name, request, level) for name, level in agents))
        if not further_agent_ids:
            return searched[0]
        # Sorting is stable: of equal scores, the agents keep their order, and so do the chunks of each.
        ranked = sorted((chunk for each in searched for chunk in each.found), key=lambda each: -each.match.score)
        sizes = itertools.accumulate((each.chunk.size_bytes for each in ranked), initial=0)
        found = [each for each, before in zip(ranked[: request.limit], sizes, strict=False) if before < PAGE_BYTES_MAX]
        total, uses_meaning = sum(each.total for each in searched), any(each.uses_meaning for each in searched)
        revision, *further = (each.revision for each in searched)
        return SearchedDocuments(found, total, uses_meaning, revision, further)

    async def _searched(self, agent_id: str, request: SearchRequest, consistency: Consistency) -> SearchedDocuments:
        state = (await self._agents.current(agent_id, consistency)).state
        if not await _selected(request.filter, state):
            return SearchedDocuments((), 0, uses_meaning=False, revision=state.revision)
        vector = request.vector
        if vector is None:
            vector = await self._vectors.of_query(request.text)
            # Embedding took time, and the agent may have been evicted: load it again.
            state = (await self._agents.current(agent_id, consistency)).state
        ranking, state = await self._ranked(state, request, vector)
        part, found, answer_bytes = documents_of(state), list[FoundChunk](), 0
        for match in ranking.matches:
            there = part.chunk(match.memory_id)
            if there is None or answer_bytes >= PAGE_BYTES_MAX:
                break
            document, chunk = there
            answer_bytes += chunk.size_bytes
            found.append(FoundChunk(match, chunk, document, agent_id))
        return SearchedDocuments(found, ranking.total, ranking.uses_meaning, state.revision)

    async def _ranked(
        self, state: AgentState, request: SearchRequest, vector: Vector | None
    ) -> tuple[Ranking, AgentState]:
        """Return the ranking of the selected documents' chunks, and the state that it is of: the given one or later."""
        while True:
            selected = await _selected(request.filter, state)
            if not selected:
                return Ranking((), 0), state
            document_ids = frozenset[str]() if len(selected) == len(state.part(DOCUMENT)) else selected
            familiarity = self._vectors.familiarity_of(request.text, vector)
            searching = _searching(request, document_ids, vector, familiarity, state.update_time)
            ranking, searched = await self._indexes.use(state, searching)
            # The index may be of a later state, in which the filter selects other documents.
            if searched is state or await _selected(request.filter, searched) == selected:
                return ranking, searched
            state = searched

    async def _remembered(self, agent_id: str, write: Write) -> RecordPut[Document] | None:
        """Return the result of a repeated request, which does not need the source: it may be gone by now."""
        if write.request is None:
            return None
        return cast("RecordPut[Document] | None", await self._agents.remembered(agent_id, write.request))

    async def _content_of(self, read: ExtractedText) -> DocumentContent:
        text_bytes = size_bytes(read.text)
        if text_bytes > self._limits.document_text_bytes:
            raise TooLarge("document_text_bytes", self._limits.document_text_bytes)
        cut = await self._texts.cut(read.text, has_pages=read.media_type == PDF)
        return DocumentContent(read.media_type, text_bytes, cut.token_count, cut.chunks, read.charset)

    async def _read(self, content: Content, reading: _Reading) -> ExtractedText:
        """Return the text of a content, always with a title."""
        if isinstance(content, str):
            title = title_of(reading.document_id, content)
            return ExtractedText(content, title, reading.media_type or PLAIN_TEXT)
        file = FileDescription(name_in(reading.source), reading.media_type, reading.charset)
        if not isinstance(content, Url):
            return await self._extracted(content, reading.document_id, file)
        if self._fetcher is None:
            raise UrlNotAllowed("this server does not fetch documents: set document_url_hosts")
        async with self.uploads.receive() as received:
            fetched = await self._fetcher.fetch(content.url, received.write)
            await received.finish()
            described = FileDescription(
                fetched.name, file.media_type or fetched.media_type, file.charset, fetched.charset
            )
            return await self._extracted(received.path, reading.document_id, described)

    async def _extracted(self, data: bytes | Path, document_id: str, file: FileDescription) -> ExtractedText:
        if isinstance(data, bytes) and len(data) > self._limits.document_file_bytes:
            raise TooLarge("document_file_bytes", self._limits.document_file_bytes)
        read = await self._extractor.extract(data, file)
        if not read.text.strip():
            raise DocumentUnreadable("has no text")
        return msgspec.structs.replace(read, title=title_of(document_id, read.text, read.title, file.name))


async def _selected(chosen: RecordFilter, state: AgentState) -> frozenset[str]:
    """Return the ids of the documents that a filter keeps."""
    documents = state.part(DOCUMENT)
    keeps = Matcher(chosen, DOCUMENT_SHAPE).keeps
    return await offload(len(documents), lambda: frozenset(each.document_id for each in documents if keeps(each)))


def _searching(
    request: SearchRequest,
    document_ids: frozenset[str],
    vector: Vector | None,
    familiarity: Familiarity,
    now: int,
) -> Callable[[MemoryIndex], Ranking]:
    identity, data = (None, None) if vector is None else vector
    # A chunk has its document in the place of the conversation.
    of_documents = RecordFilter(conversation_ids=document_ids)
    query = Query(
        request.text,
        now,
        request.limit,
        data,
        identity,
        of_documents,
        request.min_score,
        follow_links=False,
        meaning_known=familiarity.share,
        strange_words=familiarity.strange,
    )
    return lambda index: index.search(query)
