"""Documents over the wire, beyond what scenarios can express: HM-02 and HM-04."""

import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from docx.document import Document as DocxDocument
from tests.daemon import Daemon
from tests.in_process import AnyDaemon
from tests.integration.wire import Memory, Wire, refused
from tests.unit.extraction.file import docx_of, pdf_of
from tests.wait import WAIT_S_MAX

from memoryd.v1 import document_pb2
from memoryd.v1 import document_service_pb2 as pb

MIB = 1024 * 1024
LONG = "# Guide\n\n" + "\n\n".join(f"Paragraph {number} is about the topic{number}. " * 12 for number in range(40))
Launch = Callable[..., AnyDaemon]
Connect = Callable[[AnyDaemon], Wire]


def add(agent: Memory, document_id: str = "d", text: str = LONG, **fields: Any) -> document_pb2.Document:
    draft = document_pb2.DocumentDraft(document_id=document_id, **fields)
    request = pb.CreateDocumentRequest(agent_id=agent.id, draft=draft, text=text)
    return agent.wire.documents.CreateDocument(request).document


def header(agent: Memory, **fields: Any) -> pb.UploadDocumentRequest:
    """Return the first message of an upload; ``fields`` are the header's, except for the draft's id."""
    draft = document_pb2.DocumentDraft(document_id=fields.pop("document_id", ""), source="file.txt")
    return pb.UploadDocumentRequest(header=pb.UploadDocumentHeader(agent_id=agent.id, create=draft, **fields))


def header_of_update(agent: Memory, document_id: str, *paths: str, **fields: Any) -> pb.UploadDocumentRequest:
    """Return the first message of an upload that changes a document; ``fields`` are the draft's."""
    change = pb.DocumentUpdate(document_id=document_id, draft=fields, update_mask={"paths": paths})
    return pb.UploadDocumentRequest(header=pb.UploadDocumentHeader(agent_id=agent.id, update=change))


def part(data: bytes) -> pb.UploadDocumentRequest:
    return pb.UploadDocumentRequest(data=data)


def upload(agent: Memory, *parts: bytes, **fields: Any) -> pb.UploadDocumentResponse:
    return agent.wire.documents.UploadDocument(iter([header(agent, **fields), *map(part, parts)]))


def chunks(agent: Memory, document_id: str = "d") -> list[document_pb2.DocumentChunk]:
    request = pb.ListDocumentChunksRequest(agent_id=agent.id, document_id=document_id, page_size=1_000)
    return list(agent.wire.documents.ListDocumentChunks(request).chunks)


def search(agent: Memory, query: str) -> pb.SearchDocumentsResponse:
    return agent.wire.documents.SearchDocuments(pb.SearchDocumentsRequest(agent_id=agent.id, query=query))


def received(daemon: AnyDaemon) -> list[Path]:
    """Return the files of uploads, under way or left behind."""
    return list((daemon.data_dir / "uploads").iterdir())


@pytest.mark.whole
def test_documents_survive_a_kill_and_are_found(launch_process: Callable[..., Daemon], connect: Connect) -> None:
    daemon = launch_process()
    agent = connect(daemon).agent()
    document = add(agent, title="The guide")
    kept, found = chunks(agent), search(agent, "topic7 paragraph")
    assert "".join(chunk.text for chunk in kept) == LONG
    daemon.kill()
    daemon.start()
    again = connect(daemon).agent(agent.id)
    assert chunks(again) == kept
    assert search(again, "topic7 paragraph") == found
    get = pb.GetDocumentRequest(agent_id=agent.id, document_id="d")
    assert again.wire.documents.GetDocument(get).document == document


@pytest.mark.parametrize("durability", ["memory", "journaled"])
def test_an_upload_leaves_no_file_behind(launch: Launch, connect: Connect, durability: str) -> None:
    daemon = launch("--durability", durability)
    agent = connect(daemon).agent()
    text = (LONG * 60).encode()[: 2 * MIB]
    answer = upload(agent, text[:MIB], b"", text[MIB:], document_id="d")
    assert (answer.document.source, answer.document.text_bytes, answer.revision) == ("file.txt", len(text), 1)
    assert not received(daemon)
    refused(lambda: upload(agent, b"%PDF-1.7 noise"))
    assert not received(daemon)


def test_a_cancelled_upload_leaves_no_file_behind(launch: Launch, connect: Connect) -> None:
    daemon = launch()
    agent = connect(daemon).agent()
    arrived, go = threading.Event(), threading.Event()

    def parts() -> Iterator[pb.UploadDocumentRequest]:
        yield header(agent)
        yield part(b"x" * MIB)
        arrived.set()
        go.wait(WAIT_S_MAX)

    call = agent.wire.documents.UploadDocument.future(parts())
    assert arrived.wait(WAIT_S_MAX)
    while not received(daemon):
        agent.contains("any")
    call.cancel()
    go.set()
    while received(daemon):
        agent.contains("any")
    assert agent.revision == 0


def test_the_file_of_an_upload_that_a_kill_interrupted_is_removed_at_the_next_start(
    launch_process: Callable[..., Daemon], connect: Connect
) -> None:
    daemon = launch_process()
    agent = connect(daemon).agent()
    go = threading.Event()

    def parts() -> Iterator[pb.UploadDocumentRequest]:
        yield header(agent)
        yield part(b"x" * MIB)
        go.wait(WAIT_S_MAX)

    call = agent.wire.documents.UploadDocument.future(parts())
    while not received(daemon):
        agent.contains("any")
    daemon.kill()
    go.set()
    assert call.exception() is not None
    assert received(daemon)
    daemon.start()
    assert not received(daemon)


def test_an_upload_is_a_header_followed_by_data(agent: Memory) -> None:
    stub = agent.wire.documents
    first, chunk, large = header(agent), part(b"x"), part(bytes(MIB + 1))
    for requests, field in (
        ([], "header"),
        ([chunk], "header"),
        ([pb.UploadDocumentRequest()], "header"),
        ([first], "data"),
        ([first, part(b"")], "data"),
        ([first, chunk, first], "data"),
        ([first, pb.UploadDocumentRequest()], "data"),
        ([first, large], "data"),
        ([pb.UploadDocumentRequest(header=pb.UploadDocumentHeader())], "header.agent_id"),
        ([pb.UploadDocumentRequest(header=pb.UploadDocumentHeader(agent_id=agent.id))], "header.target"),
        ([header(agent, document_id="a/b")], "header.create.document_id"),
        ([header(agent, precondition={"must_not_exist": True})], "header.precondition"),
        ([header_of_update(agent, "a/b")], "header.update.document_id"),
        ([header_of_update(agent, "d", "text")], "header.update.update_mask"),
        ([header_of_update(agent, "d", "tags", tags=[""])], "header.update.draft.tags"),
        ([header(agent, request_id="x" * 129)], "header.request_id"),
    ):
        refusal = refused(lambda requests=requests: stub.UploadDocument(iter(requests)))  # type: ignore[misc]
        assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, (field,))
    assert agent.revision == 0


def test_an_upload_changes_a_document_that_has_the_expected_revision(agent: Memory) -> None:
    stub, created = agent.wire.documents, upload(agent, b"old text", document_id="d")
    assert (created.changed, created.document.source) == (True, "file.txt")
    first = header_of_update(agent, "d", "tags", tags=["x"], title="not named")
    first.header.precondition.expected_revision = 7
    refusal = refused(lambda: stub.UploadDocument(iter([first, part(b"new "), part(b"text")])))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ABORTED, "REVISION_MISMATCH")
    first.header.precondition.expected_revision = 1
    done = stub.UploadDocument(iter([first, part(b"new "), part(b"text")]))
    assert (done.changed, done.revision, done.document.title, list(done.document.tags)) == (True, 2, "file.txt", ["x"])
    assert [chunk.text for chunk in chunks(agent)] == ["new text"]
    again = stub.UploadDocument(iter([header_of_update(agent, "d"), part(b"new text")]))
    assert (again.changed, again.revision, again.document) == (False, 2, done.document)
    missing = refused(lambda: stub.UploadDocument(iter([header_of_update(agent, "e"), part(b"x")])))
    assert (missing.code, missing.metadata["record_id"]) == (grpc.StatusCode.NOT_FOUND, "e")


def test_a_document_is_found_by_a_vector_of_the_caller(agent: Memory) -> None:
    add(agent, "d", "Her dog is called Rex.")
    request = pb.SearchDocumentsRequest(agent_id=agent.id, embedding={"vector": [1.0, 0.5], "model": "own"})
    found = agent.wire.documents.SearchDocuments(request)
    assert (list(found.chunks), found.match_count, found.semantic_used, found.revision) == ([], 0, False, 1)
    request.query = "dog"
    (match,) = agent.wire.documents.SearchDocuments(request).chunks
    assert (match.matched_words, match.semantic_score) == (["dog"], 0)
    assert match.lexical_score > 0


def test_a_repeated_upload_returns_the_first_result(agent: Memory) -> None:
    first = upload(agent, b"one ", b"text", request_id="r")
    assert upload(agent, b"one", b" text", request_id="r") == first
    refusal = refused(lambda: upload(agent, b"another text", request_id="r"))
    assert refusal.reason == "REQUEST_ID_REUSED"
    assert agent.revision == 1


def test_a_document_over_a_limit_is_refused_before_its_upload_ends(launch: Launch, connect: Connect) -> None:
    flags = ["--limit-documents-per-agent", "1", "--limit-document-text-bytes", "64"]
    daemon = launch(*flags, "--limit-document-file-bytes", "100")
    agent = connect(daemon).agent()
    sent = threading.Event()

    def endless() -> Iterator[pb.UploadDocumentRequest]:
        yield header(agent)
        while not sent.is_set():
            yield part(b"x" * 101)

    for limit, call in (
        ("document_text_bytes", lambda: add(agent, text="x" * 65)),
        ("document_text_bytes", lambda: add(agent, text="ü" * 33)),
        ("document_text_bytes", lambda: upload(agent, b"x" * 65)),
        ("document_file_bytes", lambda: agent.wire.documents.UploadDocument(endless())),
    ):
        refusal = refused(call)
        assert (refusal.reason, refusal.metadata["limit"]) == ("TOO_LARGE", limit)
    sent.set()
    add(agent, text="x" * 64)
    refusal = refused(lambda: add(agent, "e", "text"))
    assert refusal.own_metadata == {"limit": "documents_per_agent", "value": "1"}
    assert not received(daemon)


def test_the_largest_text_is_stored_whole_without_delaying_other_calls(agent: Memory) -> None:
    text = (LONG * 300)[: 4 * MIB]
    document = add(agent, text=text)
    assert document.text_bytes == 4 * MIB
    stub, texts, token = agent.wire.documents, [], ""
    while token or not texts:
        request = pb.ListDocumentChunksRequest(agent_id=agent.id, document_id="d", page_size=1_000, page_token=token)
        page = stub.ListDocumentChunks(request)
        texts += [chunk.text for chunk in page.chunks]
        token = page.next_page_token
    assert len(texts) == document.chunk_count
    assert "".join(texts) == text
    assert search(agent, "topic7").chunks
    refusal = refused(lambda: add(agent, "e", text + "x"))
    assert refusal.own_metadata == {"limit": "document_text_bytes", "value": str(4 * MIB)}


def test_the_texts_of_a_pdf_and_a_docx_are_found(agent: Memory) -> None:
    def write(document: DocxDocument) -> None:
        document.add_paragraph("The fox is red")

    for document_id, data in (("pdf", pdf_of(["The owl is brown"])), ("docx", docx_of(write))):
        draft = document_pb2.DocumentDraft(document_id=document_id)
        request = pb.CreateDocumentRequest(agent_id=agent.id, draft=draft, data=data)
        assert agent.wire.documents.CreateDocument(request).document.media_type.startswith("application/")
    assert [each.chunk.document_id for each in search(agent, "owl").chunks if each.matched_words] == ["pdf"]
    assert [each.chunk.document_id for each in search(agent, "fox").chunks if each.matched_words] == ["docx"]


def test_an_allowed_host_at_a_private_address_gets_no_request(launch: Launch, connect: Connect) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        place = f"127.0.0.1:{server.getsockname()[1]}"
        agent = connect(launch("--document-url-hosts", place, "--document-url-hosts", "*.example.org")).agent()
        for url, host in ((f"http://{place}/", "127.0.0.1"), ("http://example.org/", "example.org")):
            request = pb.CreateDocumentRequest(agent_id=agent.id, url=url)
            refusal = refused(lambda request=request: agent.wire.documents.CreateDocument(request))  # type: ignore[misc]
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "URL_NOT_ALLOWED")
            assert refusal.own_metadata == {"host": host}
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_a_host_that_cannot_be_resolved_is_unavailable(launch: Launch, connect: Connect) -> None:
    agent = connect(launch("--document-url-hosts", "*.invalid")).agent()
    add(agent, "d", "text")
    for call in (
        lambda: agent.wire.documents.CreateDocument(
            pb.CreateDocumentRequest(agent_id=agent.id, url="http://host.invalid/")
        ),
        lambda: agent.wire.documents.UpdateDocument(
            pb.UpdateDocumentRequest(agent_id=agent.id, document_id="d", url="http://host.invalid/")
        ),
    ):
        refusal = refused(call)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "URL_UNREACHABLE")
        assert refusal.own_metadata == {"host": "host.invalid", "problem": "its host cannot be resolved"}
    assert agent.revision == 1
