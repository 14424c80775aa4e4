from pathlib import Path

import pytest

import memoryd
from memoryd import errors

LONG = "# Guide\n\n" + "\n\n".join(f"Paragraph {number} tells of the topic{number}. " * 20 for number in range(40))
LARGE = LONG * 40
"""More than fits into one message of an upload."""


@pytest.fixture
def documents(agent: memoryd.Agent) -> memoryd.Documents:
    return agent.documents


def test_a_text_is_returned_as_it_was_created(documents: memoryd.Documents, agent_id: str) -> None:
    document = documents.create(
        LONG, document_id="d", title="T", description="D", tags=["b", "a"], source="s", media_type="text/markdown"
    )
    assert (document.document_id, document.agent_id, document.title, document.description) == ("d", agent_id, "T", "D")
    assert (document.tags, document.source, document.media_type) == (("a", "b"), "s", "text/markdown")
    assert (document.text_bytes, document.revision) == (len(LONG), 1)
    assert documents.get("d") == document
    assert documents.text("d") == LONG
    chunks = list(documents.chunks("d"))
    assert [chunk.number for chunk in chunks] == list(range(1, document.chunk_count + 1))
    assert {chunk.heading for chunk in chunks} == {"Guide"}
    assert chunks[1].overlap in chunks[0].text
    with pytest.raises(errors.RecordExists):
        documents.create("again", document_id="d")


@pytest.mark.whole
def test_a_document_is_changed_with_new_content_or_without(documents: memoryd.Documents, tmp_path: Path) -> None:
    first = documents.create("one", title="T", user_id="ann", metadata={"a": 1})
    document_id = first.document_id
    assert (first.user_id, first.metadata) == ("ann", {"a": 1})
    after = documents.update(document_id, text="two", expected_revision=first.revision)
    assert (documents.text(document_id), after.create_time, after.title) == ("two", first.create_time, "T")
    with pytest.raises(errors.RevisionMismatch):
        documents.update(document_id, text="late", expected_revision=first.revision)
    changed = documents.update(document_id, title="U", tags=["x"], metadata={}, user_id="")
    assert (changed.title, changed.tags, changed.metadata, changed.user_id) == ("U", ("x",), {}, "")
    (tmp_path / "new.md").write_text("# New")
    assert documents.update(document_id, file=tmp_path / "new.md").source == "new.md"
    assert documents.update(document_id, data=LARGE.encode(), source="large.txt", title="").title == "large.txt"
    assert documents.text(document_id) == LARGE
    with pytest.raises(errors.RevisionMismatch):
        documents.update(document_id, data=LARGE.encode(), expected_revision=first.revision)
    with pytest.raises(errors.UrlNotAllowed):
        documents.update(document_id, url="http://example.org/")


def test_a_document_has_one_content_and_an_update_changes_something(documents: memoryd.Documents) -> None:
    for content in ({}, {"text": "a", "data": b"b"}, {"file": "a", "url": "b"}):
        with pytest.raises(ValueError, match="exactly one of text, data, file and url"):
            documents.create(**content)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at most one of text, data, file and url"):
        documents.update("d", text="a", url="b")
    with pytest.raises(ValueError, match="no changes"):
        documents.update("d")


def test_a_chunk_is_read_by_its_number(documents: memoryd.Documents) -> None:
    documents.create(LONG, document_id="d")
    chunks = list(documents.chunks("d"))
    assert list(documents.chunks("d", 3)) == chunks[2:]
    assert documents.chunk("d", 2) == chunks[1]
    with pytest.raises(errors.RecordNotFound):
        documents.chunk("d", len(chunks) + 1)


def test_documents_are_listed_by_tags_and_removed(documents: memoryd.Documents) -> None:
    for number in range(3):
        documents.create("T", document_id=f"d{number}", tags=["x"] if number else [])
    assert [each.document_id for each in documents.list()] == ["d0", "d1", "d2"]
    assert [each.document_id for each in documents.list(all_tags=["x"])] == ["d1", "d2"]
    with pytest.raises(TypeError):
        documents.list(all_tags="x")
    assert documents.delete("d1")
    assert not documents.delete("d1")
    with pytest.raises(errors.RecordNotFound):
        documents.text("d1")


def test_chunks_are_found_with_what_matched(documents: memoryd.Documents) -> None:
    documents.create(LONG, document_id="guide", title="The guide", tags=["manual"])
    documents.create("A hen.", document_id="hen")
    found = documents.search("topic7", limit=1)
    (best,) = found.chunks
    assert "topic7" in best.chunk.text
    assert (best.title, best.matched_words, best.chunk.document_id) == ("The guide", ("topic7",), "guide")
    assert 0 < best.score <= 1
    assert (found.revision, found.semantic_used) == (2, True)
    assert found.match_count >= 1
    within = documents.search("hen", document_ids=["guide"], all_tags=["manual"], min_score=0.9)
    assert within.chunks == ()
    assert best.lexical_score > 0
    own = documents.search("", embedding=memoryd.Embedding.of([1, 2], model="own"), user_id="")
    assert (own.chunks, own.semantic_used) == ((), False)
    assert not documents.search("hen", user_id="ann").chunks


def test_a_small_file_goes_in_one_message(documents: memoryd.Documents, tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text("# On tea\n")
    seen: list[tuple[int, int]] = []
    document = documents.create(file=tmp_path / "tea.md", progress=lambda *done: seen.append(done))
    assert (document.source, document.media_type, document.title) == ("tea.md", "text/markdown", "On tea")
    assert seen == [(9, 9)]
    with pytest.raises(OSError, match="absent"):
        documents.create(file=tmp_path / "absent")


@pytest.mark.whole
def test_a_large_file_goes_in_parts(documents: memoryd.Documents, tmp_path: Path) -> None:
    (tmp_path / "large.txt").write_text(LARGE)
    seen: list[tuple[int, int]] = []
    document = documents.create(
        file=str(tmp_path / "large.txt"), source="elsewhere", progress=lambda *d: seen.append(d)
    )
    assert (document.source, document.text_bytes) == ("elsewhere", len(LARGE))
    assert documents.text(document.document_id) == LARGE
    assert len(seen) > 1
    assert seen[-1] == (len(LARGE), len(LARGE))
    with pytest.raises(errors.RecordExists):
        documents.create(data=LARGE.encode(), document_id=document.document_id)


def test_a_file_without_text_is_unreadable(documents: memoryd.Documents) -> None:
    with pytest.raises(errors.DocumentUnreadable) as refused:
        documents.create(data=b"%PDF-1.7 noise", source="noise.pdf")
    assert refused.value.problem
    with pytest.raises(errors.UrlNotAllowed):
        documents.create(url="http://example.org/")


def test_documents_are_counted_cleared_and_cause_events(agent: memoryd.Agent) -> None:
    agent.documents.create("text", document_id="d", title="T")
    assert agent.stats().record_counts == {"document": 1, "document_chunk": 1}
    assert agent.clear_all(["document"]).cleared == {"document": 1, "document_chunk": 1}
    added, cleared = agent.events()
    assert isinstance(added.subject, memoryd.DocumentEvent)
    assert added.subject.document is not None
    assert (added.type, added.subject.document.title) == ("document_created", "T")
    assert (cleared.type, cleared.kind) == ("documents_cleared", "document")


@pytest.mark.whole
async def test_the_same_for_asyncio(aio_agent: memoryd.aio.Agent, tmp_path: Path) -> None:
    documents = aio_agent.documents
    document = await documents.create("the fox", document_id="d")
    assert await documents.get("d") == document
    assert [each.document_id async for each in documents.list()] == ["d"]
    assert (await documents.search("fox", limit=1)).chunks[0].chunk.text == "the fox"
    (tmp_path / "small.txt").write_text("small")
    (tmp_path / "large.txt").write_text(LARGE)
    for name in ("small.txt", "large.txt"):
        seen: list[tuple[int, int]] = []
        added = await documents.create(file=tmp_path / name, progress=lambda *done, seen=seen: seen.append(done))
        assert (added.source, seen[-1]) == (name, (added.text_bytes, added.text_bytes))
    assert await documents.text(added.document_id) == LARGE
    large = await documents.create(data=LARGE.encode(), title="L")
    assert large.text_bytes == len(LARGE)
    with pytest.raises(errors.UrlNotAllowed):
        await documents.create(url="http://example.org/")
    assert (await documents.chunk("d", 1)).text == "the fox"
    assert (await documents.update(large.document_id, title="M")).title == "M"
    assert await documents.delete("d", expected_revision=1)


def test_documents_are_listed_in_an_order_and_without_content(documents: memoryd.Documents) -> None:
    for document_id in ("b", "a"):
        documents.create("text", document_id=document_id, title="T")
    assert [each.document_id for each in documents.list()] == ["b", "a"]
    listed = list(documents.list(order="id", view=memoryd.RecordView.WITHOUT_CONTENT))
    assert [(each.document_id, each.title) for each in listed] == [("a", ""), ("b", "")]
