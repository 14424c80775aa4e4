"""Commands that add, replace and delete documents."""

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.documents.document import DOCUMENT, DOCUMENT_CHUNK, ChunkDraft, Document, chunks_of_document
from memoryd_server.domain.error import LimitExceeded, RecordExists
from memoryd_server.domain.validation import size_bytes


class AddDocument(Command[RecordPut[Document]], frozen=True):
    """Store a document with its chunks, as a new one or in place of the revision that the precondition names."""

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

    def decide(self, transition: Transition) -> RecordPut[Document]:
        """Store a document. Raises RecordExists, RecordNotFound, RevisionMismatch, LimitExceeded."""
        before = _replaced(self, transition)
        documents_max = transition.limits.documents_per_agent
        if before is None and len(transition.open(DOCUMENT).records) >= documents_max:
            raise LimitExceeded("documents_per_agent", documents_max)
        now, revision = transition.now, transition.revision
        texts = (self.document_id, self.title, self.description, self.source, *self.tags)
        document = Document(
            self.document_id,
            self.title,
            self.description,
            self.tags,
            self.source,
            self.media_type,
            self.text_bytes,
            self.token_count,
            len(self.chunks),
            now if before is None else before.create_time,
            now,
            revision,
            sum(map(size_bytes, texts)),
        )
        chunks = chunks_of_document(self.document_id, self.chunks, now, revision)
        transition.open(DOCUMENT_CHUNK).put_group(self.document_id, chunks)
        transition.open(DOCUMENT).put(document)
        return RecordPut(document, changed=True, revision=revision)


class DeleteDocument(Command[RecordRemoved], frozen=True):
    """Delete a document with its chunks, if it exists."""

    document_id: str
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> RecordRemoved:
        """Delete a document with its chunks, if it exists. Raises RevisionMismatch."""
        if transition.open(DOCUMENT).records.find("", self.document_id) is None:
            return RecordRemoved(0, transition.result_revision)
        document = transition.open(DOCUMENT).existing("", self.document_id, self.precondition)
        transition.open(DOCUMENT_CHUNK).drop_group(self.document_id)
        transition.open(DOCUMENT).remove(document)
        return RecordRemoved(1, transition.revision)


def _replaced(command: AddDocument, transition: Transition) -> Document | None:
    """Return the document to replace, None if the command adds a new one."""
    document_id, precondition = command.document_id, command.precondition
    there = transition.open(DOCUMENT).records.find("", document_id)
    if precondition is None or precondition.expected_revision is None:
        if there is not None:
            raise RecordExists(DOCUMENT.name, document_id)
        return None
    return transition.open(DOCUMENT).existing("", document_id, precondition)
