"""Commands that create, change and delete documents."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.agent.trace import RecordPath
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.documents.document import (
    DOCUMENT,
    DOCUMENT_CHUNK,
    ChunkDraft,
    Document,
    DocumentChunk,
    DocumentContent,
    DocumentDraft,
    chunks_of_document,
)
from memoryd_server.domain.error import QuotaExceeded, RecordExists
from memoryd_server.domain.validation import size_bytes


class DocumentPatch(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fields to change of a document, apart from its content. A field that is UNSET keeps its value."""

    title: str | msgspec.UnsetType = msgspec.UNSET
    description: str | msgspec.UnsetType = msgspec.UNSET
    user_id: str | msgspec.UnsetType = msgspec.UNSET
    tags: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    metadata_json: str | msgspec.UnsetType = msgspec.UNSET
    source: str | msgspec.UnsetType = msgspec.UNSET

    def applied_to(self, document: Document) -> Document:
        """Return the document with the fields that are set."""
        fields = {name: value for name, value in msgspec.structs.asdict(self).items() if value is not msgspec.UNSET}
        return msgspec.structs.replace(document, **fields)


class CreateDocument(Command[RecordPut[Document]], frozen=True):
    """Create a document with its chunks. The id of ``draft`` must not exist; its ``title`` is that of the document."""

    draft: DocumentDraft
    content: DocumentContent

    def decide(self, transition: Transition) -> RecordPut[Document]:
        """Create a document with its chunks. Raises RecordExists, QuotaExceeded."""
        draft, content, documents = self.draft, self.content, transition.open(DOCUMENT).records
        there = documents.find("", draft.document_id)
        if there is not None:
            raise RecordExists(DOCUMENT.name, draft.document_id, there.revision)
        if len(documents) >= transition.limits.documents_per_agent:
            raise QuotaExceeded("documents_per_agent", transition.limits.documents_per_agent)
        now = transition.now
        document = Document(
            draft.document_id,
            draft.title,
            draft.description,
            draft.user_id,
            draft.tags,
            draft.metadata_json,
            draft.source,
            content.media_type,
            content.text_bytes,
            content.token_count,
            len(content.chunks),
            now,
            now,
            transition.revision,
            0,
            content.charset,
        )
        return _put(document, content, transition)


class UpdateDocument(Command[RecordPut[Document]], frozen=True):
    """Change the given fields of a document. Unless ``content`` is None, it replaces the chunks."""

    document_id: str
    patch: DocumentPatch
    content: DocumentContent | None = None
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> RecordPut[Document]:
        """Change a document. Raises RecordNotFound, RevisionMismatch, RecordExists, QuotaExceeded."""
        before = transition.open(DOCUMENT).existing("", self.document_id, self.precondition)
        after, content = self.patch.applied_to(before), self.content
        if content is not None:
            after = msgspec.structs.replace(
                after,
                media_type=content.media_type,
                text_bytes=content.text_bytes,
                token_count=content.token_count,
                chunk_count=len(content.chunks),
                charset=content.charset,
            )
            stored = transition.open(DOCUMENT_CHUNK).records.group(self.document_id)
            if _has(stored, content.chunks):
                content = None
        if after == before and content is None:
            return RecordPut(before, changed=False, revision=transition.result_revision)
        after = msgspec.structs.replace(after, update_time=transition.now, revision=transition.revision)
        return _put(after, content, transition)


class DeleteDocument(Command[RecordRemoved], frozen=True):
    """Delete a document with its chunks, if it exists."""

    document_id: str
    precondition: Precondition | None = None

    def removed_paths(self, result: Any) -> tuple[RecordPath, ...]:
        """Return the document, and its chunks."""
        return (("document", "", self.document_id), ("document_chunk", self.document_id))

    def decide(self, transition: Transition) -> RecordRemoved:
        """Delete a document with its chunks, if it exists. Raises RevisionMismatch, RecordNotFound, RecordExists."""
        document = transition.open(DOCUMENT).found("", self.document_id, self.precondition)
        if document is None:
            return RecordRemoved(0, transition.result_revision)
        transition.open(DOCUMENT_CHUNK).drop_group(self.document_id)
        transition.open(DOCUMENT).remove(document)
        return RecordRemoved(1, transition.revision)


def _put(document: Document, content: DocumentContent | None, transition: Transition) -> RecordPut[Document]:
    """Put a document, and the chunks of its content unless that is None."""
    names = (document.document_id, document.title, document.description, document.user_id, document.source)
    size = sum(map(size_bytes, (*names, document.metadata_json, *document.tags)))
    document = msgspec.structs.replace(document, size_bytes=size)
    if content is not None:
        chunks = chunks_of_document(document.document_id, content.chunks, transition.now, transition.revision)
        transition.open(DOCUMENT_CHUNK).put_group(document.document_id, chunks)
    transition.open(DOCUMENT).put(document)
    return RecordPut(document, changed=True, revision=transition.revision)


def _has(stored: Mapping[str, DocumentChunk], drafts: Sequence[ChunkDraft]) -> bool:
    """Return True if these are the stored chunks. A chunk that was not embedded this time keeps its vector."""
    chunks = [stored[key] for key in sorted(stored)]
    return len(chunks) == len(drafts) and all(
        (chunk.heading, chunk.text, chunk.overlap, chunk.page, chunk.last_page)
        == (draft.heading, draft.text, draft.overlap, draft.page, draft.last_page)
        and (draft.identity is None or (chunk.identity, chunk.vector) == (draft.identity, draft.vector))
        for chunk, draft in zip(chunks, drafts, strict=True)
    )
