import array
from typing import Any

import pytest
from tests.unit.record_filters import of_documents

from memoryd.v1 import document_service_pb2 as pb
from memoryd.v1.document_pb2 import DocumentDraft as DocumentMessage
from memoryd.v1.memory_pb2 import Embedding
from memoryd_server.domain.documents.document import DocumentDraft
from memoryd_server.domain.documents.document_change import DocumentPatch
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.engine.documents.documents import Amendment, SearchRequest
from memoryd_server.transport.documents.document_message import amendment_of, draft_of, search_request_of


def test_the_tags_of_a_draft_are_sorted_and_distinct() -> None:
    message = DocumentMessage(
        document_id="d",
        title=" T ",
        description="two\nlines",
        tags=["b", "a", "b"],
        user_id="ann",
        metadata={"a": 1},
        source="a/b.pdf",
        media_type="application/pdf",
    )
    assert draft_of(message, "new") == DocumentDraft(
        "d", "T", "two\nlines", "ann", ("a", "b"), '{"a":1}', "a/b.pdf", "application/pdf"
    )
    assert draft_of(DocumentMessage(), "new") == DocumentDraft("new")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"document_id": "a/b"}, "draft.document_id"),
        ({"document_id": "x" * 129}, "draft.document_id"),
        ({"title": "x" * 1_025}, "draft.title"),
        ({"title": "ü" * 513}, "draft.title"),
        ({"user_id": " "}, "draft.user_id"),
        ({"user_id": "x" * 257}, "draft.user_id"),
        ({"metadata": {"x": "y" * 65_536}}, "draft.metadata"),
        ({"title": "a\tb"}, "draft.title"),
        ({"description": "ü" * 2_049}, "draft.description"),
        ({"tags": ["x" * 257]}, "draft.tags"),
        ({"tags": [str(number) for number in range(65)]}, "draft.tags"),
        ({"source": "x" * 2_049}, "draft.source"),
        ({"source": "a\0b"}, "draft.source"),
        ({"media_type": "text/css"}, "draft.media_type"),
    ],
)
def test_a_draft_with_an_invalid_field_is_refused(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        draft_of(DocumentMessage(**fields), "new")
    assert refused.value.field == field


def test_the_media_type_of_a_text_is_plain_or_markdown() -> None:
    for media_type in ("text/plain", "text/markdown"):
        assert draft_of(DocumentMessage(media_type=media_type), "new", is_text=True).media_type == media_type
    with pytest.raises(InvalidField):
        draft_of(DocumentMessage(media_type="text/html"), "new", is_text=True)


def test_a_search_has_its_defaults_and_bounds() -> None:
    assert search_request_of(pb.SearchDocumentsRequest(query="q")) == SearchRequest("q", 10, of_documents(user_id=""))
    wanted = {"ids": ["a"], "user_ids": [""], "all_tags": ["t"], "any_tags": ["u"]}
    asked = pb.SearchDocumentsRequest(query="q", limit=1_000, filter=wanted, min_score=0.5)
    chosen = of_documents(frozenset({"a"}), "", frozenset({"t"}), frozenset({"u"}))
    assert search_request_of(asked) == SearchRequest("q", 100, chosen, 0.5)


def test_a_search_may_have_a_vector_in_place_of_words() -> None:
    embedding = Embedding(vector=[1, 0.5], model="m", version="1")
    asked = search_request_of(pb.SearchDocumentsRequest(query=" ", embedding=embedding))
    assert asked.vector == (EmbeddingIdentity("m", "1", 2), array.array("f", [1, 0.5]).tobytes())


def test_an_update_has_the_fields_that_its_mask_names() -> None:
    message = pb.UpdateDocumentRequest(
        document_id="d",
        draft=DocumentMessage(title=" T ", user_id="", tags=["b", "a"], description="not named", metadata={"a": 1}),
        update_mask={"paths": ["title", "user_id", "tags", "metadata", "title"]},
    )
    patch = DocumentPatch(title="T", user_id="", tags=("a", "b"), metadata_json='{"a":1}')
    assert amendment_of(message) == Amendment("d", patch)
    named = pb.DocumentUpdate(document_id="d", draft={"media_type": "text/html"}, update_mask={"paths": ["media_type"]})
    assert amendment_of(named, content="data") == Amendment("d", media_type="text/html")
    assert amendment_of(pb.DocumentUpdate(document_id="d"), content="data") == Amendment("d")
    untitled = pb.UpdateDocumentRequest(document_id="d", update_mask={"paths": ["title"]})
    assert amendment_of(untitled, content="text") == Amendment("d", DocumentPatch(title=""))


@pytest.mark.parametrize(
    ("fields", "content", "field"),
    [
        ({"document_id": ""}, None, "document_id"),
        ({}, None, "update_mask"),
        ({"update_mask": {"paths": ["text"]}}, "text", "update_mask"),
        ({"update_mask": {"paths": ["document_id"]}}, None, "update_mask"),
        ({"update_mask": {"paths": ["media_type"]}}, None, "update_mask"),
        ({"update_mask": {"paths": ["title"]}, "draft": {"title": " "}}, None, "draft.title"),
        ({"update_mask": {"paths": ["tags"]}, "draft": {"tags": [""]}}, None, "draft.tags"),
        (
            {"update_mask": {"paths": ["media_type"]}, "draft": {"media_type": "text/html"}},
            "text",
            "draft.media_type",
        ),
    ],
)
def test_an_invalid_update_is_refused(fields: dict[str, Any], content: str | None, field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        amendment_of(pb.UpdateDocumentRequest(**{"document_id": "d", **fields}), content=content)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"query": ""}, "query"),
        ({"query": "ü" * 2_049}, "query"),
        ({"limit": -1}, "limit"),
        ({"filter": {"ids": [f"d{number}" for number in range(257)]}}, "filter.ids"),
        ({"filter": {"ids": [""]}}, "filter.ids"),
        ({"filter": {"user_ids": [" "]}}, "filter.user_ids"),
        ({"filter": {"all_tags": [""]}}, "filter.all_tags"),
        ({"filter": {"any_tags": [""]}}, "filter.any_tags"),
        ({"embedding": {}}, "embedding.vector"),
        ({"min_score": -0.5}, "min_score"),
        ({"min_score": float("nan")}, "min_score"),
    ],
)
def test_a_search_with_an_invalid_field_is_refused(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        search_request_of(pb.SearchDocumentsRequest(**{"query": "q", **fields}))
    assert refused.value.field == field
