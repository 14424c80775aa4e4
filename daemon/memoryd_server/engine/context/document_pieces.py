"""Documents as a section of a context: matching chunks, or whole texts."""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from memoryd_server.domain.agent.collection import in_order
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.context.context_section import Cut, Piece, TextSection
from memoryd_server.domain.documents.document import DOCUMENT, DOCUMENT_CHUNK, DOCUMENT_SHAPE, Document, DocumentChunk
from memoryd_server.domain.values.prompt_text import one_line
from memoryd_server.domain.values.record_filter import Matcher, RecordFilter
from memoryd_server.engine.context.context_source import Part
from memoryd_server.engine.limit import COMPOSED_BYTES_MAX, COMPOSED_RECORDS_MAX

HEADER = "[DOCUMENTS]"
FOOTER = "\n[END_DOCUMENTS]\n"


def found_chunks(part: Part, found: Sequence[tuple[Document, DocumentChunk]]) -> TextSection:
    """Return a section of chunks, given best first: rendered by document, in the order of the text.

    The overlap of a chunk with the one before it is rendered only if that one is not in the section.
    """
    places: dict[str, int] = {}
    for document, _ in found:
        places.setdefault(document.document_id, len(places))
    headings = _headings([document for document, _ in found])
    names = {(document.document_id, chunk.number) for document, chunk in found}
    ranked = sorted(enumerate(found), key=lambda each: (places[each[1][0].document_id], each[1][1].number))
    pieces = []
    for rank, (document, chunk) in ranked:
        follows = (document.document_id, chunk.number - 1) in names
        text = f"\n{(chunk.text if follows else chunk.rendered).strip()}"
        pieces.append(_piece(chunk, text, rank, headings[document.document_id] + _pages(chunk)))
    return _section(part, pieces, Cut.ALONE)


def whole_documents(
    part: Part, chosen: RecordFilter, state: AgentState, chunks_max: int = COMPOSED_RECORDS_MAX
) -> TextSection:
    """Return a section of whole documents, oldest first, up to the budget, of at most ``chunks_max`` chunks."""
    documents = list(filter(Matcher(chosen, DOCUMENT_SHAPE).keeps, in_order(state.part(DOCUMENT))))
    headings = _headings(documents)
    pieces: list[Piece] = []
    size_bytes = 0
    for document, chunk in itertools.islice(_chunks_of(documents, state), chunks_max):
        size_bytes += chunk.size_bytes
        if size_bytes > COMPOSED_BYTES_MAX and pieces:
            break
        text = chunk.text.rstrip() if chunk.number == document.chunk_count else chunk.text
        heading = headings[document.document_id]
        pieces.append(_piece(chunk, f"\n{text}" if chunk.number == 1 else text, len(pieces), heading))
    skipped = sum(document.chunk_count for document in documents) - len(pieces)
    return _section(part, pieces, Cut.LAST, skipped_count=skipped)


def _chunks_of(documents: Sequence[Document], state: AgentState) -> Iterator[tuple[Document, DocumentChunk]]:
    for document in documents:
        chunks = state.part(DOCUMENT_CHUNK).group(document.document_id)
        for key in sorted(chunks):
            yield document, chunks[key]


def _headings(documents: Iterable[Document]) -> dict[str, str]:
    """Return the headings of documents by id: the title, and the id if several have the same title."""
    titles = {document.document_id: one_line(document.title) for document in documents}
    counts = Counter(titles.values())
    return {
        document_id: f"\n# {title}" if counts[title] == 1 else f"\n# {title} ({document_id})"
        for document_id, title in titles.items()
    }


def _piece(chunk: DocumentChunk, text: str, rank: int, heading: str) -> Piece:
    return Piece("document_chunk", (chunk.document_id, str(chunk.number)), text, rank, heading)


def _pages(chunk: DocumentChunk) -> str:
    """Return the pages of a chunk as they stand behind the title; empty if the document has none."""
    if not chunk.page:
        return ""
    return f", page {chunk.page}" if chunk.last_page == chunk.page else f", pages {chunk.page}-{chunk.last_page}"


def _section(part: Part, pieces: Sequence[Piece], cut: Cut, *, skipped_count: int = 0) -> TextSection:
    return TextSection(
        part.name,
        tuple(pieces),
        part.tokens_max,
        part.priority,
        part.role,
        HEADER,
        FOOTER,
        fills_gaps=cut is not Cut.LAST,
        skipped_count=skipped_count,
        owner=part.agent_id,
        cut=cut,
    )
