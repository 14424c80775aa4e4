"""The tools that let a model use documents."""

from collections.abc import Sequence
from typing import Annotated, Any

from memoryd.errors import RecordNotFound
from memoryd.model.document import Document, DocumentChunk, DocumentSearch, ScoredDocumentChunk
from memoryd.protocol import document as calls
from memoryd.protocol.current_conversation import CurrentConversation, shared_with
from memoryd.protocol.document import DocumentOptions, SearchOptions
from memoryd.protocol.record_filter import RecordFilter
from memoryd.protocol.tool import Flow, changes_of, first_items, tool
from memoryd.protocol.tool_schema import BadArguments, Between

DocumentId = Annotated[str, "The document's id, as list_documents and search_documents return it."]
Tags = Annotated[Sequence[str], "Only documents that have all of these labels."]
CHUNK_NUMBER_MAX = 1_000_000


@tool(read_only=True)
def list_documents(
    here: CurrentConversation,
    limit: Annotated[int, "Maximum number of documents to return.", Between(1, 100)] = 50,
    tags: Tags = (),
) -> Flow:
    """List the documents that you can search and read, without their texts."""
    listed = calls.list_documents(here.agent_id, {"all_tags": tags, "filter": {"user_ids": shared_with(here.user_id)}})
    return {"documents": [_rendered(document) for document in (yield from first_items(listed, limit))]}


@tool(read_only=True)
def search_documents(
    here: CurrentConversation,
    query: Annotated[str, "What to look for, in words."],
    limit: Annotated[int, "Maximum number of passages to return.", Between(1, 50)] = 5,
    document_ids: Annotated[Sequence[str], "Only passages of these documents."] = (),
    tags: Tags = (),
) -> Flow:
    """Find passages of documents: the best matches first, each with the document's title and the number of its part."""
    chosen: RecordFilter = {"user_ids": shared_with(here.user_id)}
    options = SearchOptions(limit=limit, document_ids=document_ids or None, all_tags=tags, filter=chosen)
    found: DocumentSearch = yield calls.search_documents(here.agent_id, query, options)
    return {"passages": [_passage(each) for each in found.chunks], "match_count": found.match_count}


@tool(read_only=True)
def read_document(
    here: CurrentConversation,
    document_id: DocumentId,
    from_part: Annotated[int, "The first part to read.", Between(1, CHUNK_NUMBER_MAX)] = 1,
    parts: Annotated[int, "How many parts to read.", Between(1, 50)] = 10,
) -> Flow:
    """Read a document part by part, such as those around a passage that was found."""
    document: Document = yield from _usable(here, document_id)
    if from_part > document.chunk_count:
        raise BadArguments(f"'from_part' must be at most {document.chunk_count}, the number of the document's parts")
    listed = calls.list_chunks(here.agent_id, document_id, from_part)
    read: list[DocumentChunk] = yield from first_items(listed, parts)
    text = "".join(chunk.text for chunk in read)
    return {**_rendered(document), "parts_read": [chunk.number for chunk in read], "text": text}


@tool()
def create_document(
    here: CurrentConversation,
    text: Annotated[str, "The whole text; Markdown's headings are understood."],
    title: Annotated[str, "What the text is about, in one line; by default its first line."] = "",
    description: Annotated[str, "More about the content of the text."] = "",
    tags: Annotated[Sequence[str], "Labels."] = (),
) -> Flow:
    """Store a longer text, to be searched and read later."""
    options = DocumentOptions(title=title, description=description, tags=tags, user_id=here.user_id)
    return _rendered((yield calls.Creation(here.agent_id, options).call({"text": text})))


@tool(destructive=True)
def update_document(
    here: CurrentConversation,
    document_id: DocumentId,
    text: Annotated[str, "The whole new text, which replaces the document's."] | None = None,
    title: Annotated[str, "The new title."] | None = None,
    description: Annotated[str, "The new description."] | None = None,
    tags: Annotated[Sequence[str], "The new labels, which replace all labels."] | None = None,
) -> Flow:
    """Change a document. Arguments that are left out stay unchanged."""
    yield from _usable(here, document_id)
    changes = changes_of(text=text, title=title, description=description, tags=tags)
    content = calls.content_of(changes.pop("text", None), None, None)
    return _rendered((yield calls.Update(here.agent_id, document_id, changes, None).call(content)))


@tool(destructive=True)
def delete_document(here: CurrentConversation, document_id: DocumentId) -> Flow:
    """Delete a document permanently."""
    try:
        yield from _usable(here, document_id)
    except RecordNotFound:
        return {"deleted": False}
    return {"deleted": (yield calls.delete_document(here.agent_id, document_id, None))}


DOCUMENT_TOOLS = (list_documents, search_documents, read_document, create_document, update_document, delete_document)


def _usable(here: CurrentConversation, document_id: str) -> Flow:
    """Return a document of the conversation's user, or of no user. Raises RecordNotFound for another user's."""
    document: Document = yield calls.get_document(here.agent_id, document_id)
    if document.user_id not in shared_with(here.user_id):
        raise RecordNotFound(f"agent {here.agent_id!r} has no document {document_id!r}")
    return document


def _rendered(document: Document) -> dict[str, Any]:
    return {
        "document_id": document.document_id,
        "title": document.title,
        "description": document.description,
        "tags": list(document.tags),
        "source": document.source,
        "part_count": document.chunk_count,
        "token_count": document.token_count,
    }


def _passage(match: ScoredDocumentChunk) -> dict[str, Any]:
    chunk = match.chunk
    return {
        "document_id": chunk.document_id,
        "title": match.title,
        "heading": chunk.heading,
        "part": chunk.number,
        "text": f"{chunk.overlap} {chunk.text}" if chunk.overlap else chunk.text,
        "score": round(match.score, 3),
    }
