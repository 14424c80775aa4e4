"""Documents of two daemons on one store: a change that one acknowledged is visible at the other."""

from typing import Any

import grpc
import pytest
from tests.integration.shared.pair import Pair
from tests.integration.wire import Memory, refused

from memoryd.v1 import document_service_pb2 as pb
from memoryd.v1.precondition_pb2 import Precondition

LARGE = "".join(
    f"## Chapter {n}\n\n" + f"Paragraph {n} is about the topic{n % 97}. " * 40 + "\n\n" for n in range(2_900)
)


def create(agent: Memory, text: str, **fields: Any) -> int:
    """Create the document, and return its revision."""
    request = pb.CreateDocumentRequest(agent_id=agent.id, draft={"document_id": "d"}, text=text, **fields)
    return agent.wire.documents.CreateDocument(request).document.revision


def update(agent: Memory, text: str, expected_revision: int) -> None:
    """Change the text of the document."""
    precondition = Precondition(expected_revision=expected_revision)
    request = pb.UpdateDocumentRequest(agent_id=agent.id, document_id="d", text=text, precondition=precondition)
    assert agent.wire.documents.UpdateDocument(request).changed


def text_of(agent: Memory) -> str:
    texts, token = [], ""
    while token or not texts:
        request = pb.ListDocumentChunksRequest(agent_id=agent.id, document_id="d", page_size=1_000, page_token=token)
        page = agent.wire.documents.ListDocumentChunks(request)
        texts += [chunk.text for chunk in page.chunks]
        token = page.next_page_token
    return "".join(texts)


def found(agent: Memory, query: str) -> list[str]:
    """Return the texts of the chunks that have a word of the query."""
    request = pb.SearchDocumentsRequest(agent_id=agent.id, query=query)
    return [each.chunk.text for each in agent.wire.documents.SearchDocuments(request).chunks if each.matched_words]


@pytest.mark.whole
def test_a_created_updated_or_deleted_document_is_found_so_at_the_other_daemon(pair: Pair) -> None:
    here, there = pair.agents()
    for number in range(4):
        revision = create(here, f"The fox n{number}")
        assert found(there, f"n{number}") == [f"The fox n{number}"]
        update(there, f"The hen m{number}", revision)
        assert found(here, f"m{number}") == [f"The hen m{number}"]
        refusal = refused(lambda here=here: create(here, "late"))  # type: ignore[misc]
        assert refusal.code is grpc.StatusCode.ALREADY_EXISTS
        here.wire.documents.DeleteDocument(pb.DeleteDocumentRequest(agent_id=here.id, document_id="d"))
        assert found(there, f"m{number}") == []
        here, there = there, here


@pytest.mark.whole
def test_the_largest_document_is_read_and_updated_whole_at_the_other_daemon(pair: Pair) -> None:
    here, there = pair.agents()
    large = LARGE[: 4 * 1024 * 1024]
    assert len(large) == 4 * 1024 * 1024
    there.set("k")
    revision = create(here, large)
    assert text_of(there) == large
    assert found(there, "chapter topic7")
    shorter = large[:1_000]
    update(there, shorter, revision)
    assert text_of(here) == shorter


def test_a_repeated_request_has_the_same_response_at_the_other_daemon(pair: Pair) -> None:
    here, there = pair.agents()
    first = create(here, "text", request_id="r")
    assert create(there, "text", request_id="r") == first
