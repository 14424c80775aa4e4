from typing import Any

import pytest

from memoryd.v1 import document_service_pb2 as pb
from memoryd_server.domain.documents.document import DocumentDraft
from memoryd_server.domain.error import InvalidField
from memoryd_server.engine.documents.documents import SearchRequest
from memoryd_server.transport.documents.document_message import draft_of, search_request_of


def test_the_tags_of_a_draft_are_sorted_and_distinct() -> None:
    message = pb.DocumentDraft(
        document_id="d",
        title=" T ",
        description="two\nlines",
        tags=["b", "a", "b"],
        source="a/b.pdf",
        media_type="application/pdf",
    )
    assert draft_of(message, "new") == DocumentDraft("d", "T", "two\nlines", ("a", "b"), "a/b.pdf", "application/pdf")
    assert draft_of(pb.DocumentDraft(), "new") == DocumentDraft("new")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"document_id": "a/b"}, "document.document_id"),
        ({"document_id": "x" * 129}, "document.document_id"),
        ({"title": "x" * 1_025}, "document.title"),
        ({"title": "ü" * 513}, "document.title"),
        ({"title": "a\tb"}, "document.title"),
        ({"description": "ü" * 2_049}, "document.description"),
        ({"tags": ["x" * 257]}, "document.tags"),
        ({"tags": [str(number) for number in range(65)]}, "document.tags"),
        ({"source": "x" * 2_049}, "document.source"),
        ({"source": "a\0b"}, "document.source"),
        ({"media_type": "text/css"}, "document.media_type"),
    ],
)
def test_a_draft_with_an_invalid_field_is_refused(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        draft_of(pb.DocumentDraft(**fields), "new")
    assert refused.value.field == field


def test_the_media_type_of_a_text_is_plain_or_markdown() -> None:
    for media_type in ("text/plain", "text/markdown"):
        assert draft_of(pb.DocumentDraft(media_type=media_type), "new", is_text=True).media_type == media_type
    with pytest.raises(InvalidField):
        draft_of(pb.DocumentDraft(media_type="text/html"), "new", is_text=True)


def test_a_search_has_its_defaults_and_bounds() -> None:
    assert search_request_of(pb.SearchDocumentsRequest(query="q")) == SearchRequest("q", 10)
    asked = pb.SearchDocumentsRequest(query="q", limit=1_000, document_ids=["a"], tags=["t"], min_score=0.5)
    assert search_request_of(asked) == SearchRequest("q", 100, frozenset({"a"}), frozenset({"t"}), 0.5)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"query": ""}, "query"),
        ({"query": "ü" * 2_049}, "query"),
        ({"limit": -1}, "limit"),
        ({"document_ids": ["a"] * 257}, "document_ids"),
        ({"document_ids": [""]}, "document_ids"),
        ({"tags": [""]}, "tags"),
        ({"min_score": -0.5}, "min_score"),
        ({"min_score": float("nan")}, "min_score"),
    ],
)
def test_a_search_with_an_invalid_field_is_refused(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        search_request_of(pb.SearchDocumentsRequest(**{"query": "q", **fields}))
    assert refused.value.field == field
