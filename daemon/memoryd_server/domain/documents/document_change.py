"""What may be done with documents, and how it is decided."""

from memoryd_server.domain.agent.collection_transition import collection, drop_group, known, put, put_group, remove
from memoryd_server.domain.agent.command import CollectionCommand, Precondition
from memoryd_server.domain.agent.kind import DOCUMENT, DOCUMENT_CHUNK
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.documents.document import ChunkDraft, Document, chunks_of_document
from memoryd_server.domain.error import LimitExceeded, RecordExists
from memoryd_server.domain.validation import size_bytes


class AddDocument(CollectionCommand, frozen=True):
    """Write a document with its chunks. ``document_id`` must be free unless the precondition names its revision."""

    document_id: str
    title: str
    description: str
    tags: tuple[str, ...]
    source: str
    media_type: str
    text_bytes: int
    token_count: int
    chunks: tuple[ChunkDraft, ...]
    precondition: Precondition | None = None


class DeleteDocument(CollectionCommand, frozen=True):
    """Remove a document with its chunks, if it is there."""

    document_id: str
    precondition: Precondition | None = None


def add_document(command: AddDocument, transition: Transition) -> RecordPut:
    """Write a document. Raises RecordExists, RecordNotFound, RevisionMismatch, LimitExceeded."""
    before = _replaced(command, transition)
    documents_max = transition.limits.documents_per_agent
    if before is None and len(collection(transition, DOCUMENT)) >= documents_max:
        raise LimitExceeded("documents_per_agent", documents_max)
    now, revision = transition.now, transition.revision
    texts = (command.document_id, command.title, command.description, command.source, *command.tags)
    document = Document(
        command.document_id,
        command.title,
        command.description,
        command.tags,
        command.source,
        command.media_type,
        command.text_bytes,
        command.token_count,
        len(command.chunks),
        now if before is None else before.create_time,
        now,
        revision,
        sum(map(size_bytes, texts)),
    )
    chunks = chunks_of_document(command.document_id, command.chunks, now, revision)
    put_group(transition, DOCUMENT_CHUNK, command.document_id, chunks)
    put(transition, DOCUMENT, document)
    return RecordPut(document, changed=True, revision=revision)


def delete_document(command: DeleteDocument, transition: Transition) -> RecordRemoved:
    """Remove a document with its chunks, if it is there. Raises RevisionMismatch."""
    if collection(transition, DOCUMENT).find("", command.document_id) is None:
        return RecordRemoved(0, transition.result_revision)
    document = known(transition, DOCUMENT, "", command.document_id, command.precondition)
    drop_group(transition, DOCUMENT_CHUNK, command.document_id)
    remove(transition, DOCUMENT, document)
    return RecordRemoved(1, transition.revision)


def _replaced(command: AddDocument, transition: Transition) -> Document | None:
    """The document that is to be replaced, None when there is none and none is named."""
    document_id, precondition = command.document_id, command.precondition
    there = collection(transition, DOCUMENT).find("", document_id)
    if precondition is None or precondition.expected_revision is None:
        if there is not None:
            raise RecordExists(DOCUMENT.name, document_id)
        return None
    return known(transition, DOCUMENT, "", document_id, precondition)
