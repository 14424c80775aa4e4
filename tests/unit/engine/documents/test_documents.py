import asyncio
from typing import Any

import msgspec
import pytest
from tests.unit.engine.embedder import IDENTITY, FakeEmbedder, vector_of
from tests.unit.engine.world import World, request
from tests.unit.record_filters import of_documents

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.documents.chunking import chunks_of
from memoryd_server.domain.documents.document import DOCUMENT_CHUNK, Document, DocumentChunk, DocumentDraft
from memoryd_server.domain.documents.document_change import DeleteDocument, DocumentPatch
from memoryd_server.domain.error import (
    DocumentUnreadable,
    RecordExists,
    RecordNotFound,
    RequestIdReused,
    RevisionMismatch,
    TooLarge,
    UrlNotAllowed,
)
from memoryd_server.domain.lifecycle.agent_change import ClearAgent
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.engine.documents import document_text
from memoryd_server.engine.documents.documents import (
    Addition,
    Amendment,
    Content,
    SearchedDocuments,
    SearchRequest,
    Url,
)
from memoryd_server.engine.indexes import vectors

LONG = "# Guide\n\n" + "\n\n".join(f"Paragraph {number} tells of the topic{number}. " * 12 for number in range(20))


async def add(world: World, content: Content, document_id: str = "d", **fields: Any) -> Document:
    """Create a document. ``fields`` are those of its draft and of its addition."""
    names = {each for each in DocumentDraft.__struct_fields__ if each in fields}
    draft = DocumentDraft(document_id, **{name: fields.pop(name) for name in names})
    done = await world.engine.documents.create("a", Addition(draft, **fields), content)
    return done.record


async def update(world: World, content: Content | None = None, **fields: Any) -> Document:
    """Change the document "d". ``fields`` are those of its patch and of its change."""
    names = {each for each in DocumentPatch.__struct_fields__ if each in fields}
    patch = DocumentPatch(**{name: fields.pop(name) for name in names})
    return (await world.engine.documents.update("a", Amendment("d", patch, **fields), content)).record


async def search(world: World, text: str, limit: int = 10, **fields: Any) -> SearchedDocuments:
    return await world.engine.documents.search("a", SearchRequest(text, limit, of_documents(**fields)))


async def found(world: World, text: str, **fields: Any) -> list[tuple[str, int]]:
    return [(each.chunk.document_id, each.chunk.number) for each in (await search(world, text, **fields)).found]


def chunks(world: World, document_id: str = "d") -> list[DocumentChunk]:
    group = world.cache.peek("a").state.part(DOCUMENT_CHUNK).group(document_id)
    return [group[key] for key in sorted(group)]


async def test_the_chunks_of_a_text_add_up_to_it() -> None:
    async with World() as world:
        document = await add(world, LONG)
        kept = chunks(world)
        assert "".join(each.text for each in kept) == LONG
        assert [each.number for each in kept] == list(range(1, document.chunk_count + 1))
        assert document.chunk_count == len(chunks_of(LONG)) > 3
        assert (document.text_bytes, document.media_type, document.title) == (len(LONG), "text/plain", "Guide")
        assert {each.heading for each in kept} == {"Guide"}
        # A later chunk repeats the end of the previous one.
        assert document.token_count < sum(each.token_count for each in kept)
        assert len(world.held.commits) == 1


async def test_a_title_is_the_given_one_or_that_of_the_file_its_name_or_its_first_line() -> None:
    async with World() as world:
        world.extractor.title = "Own title"
        assert (await add(world, b"text", "d1", title="Said", source="a/name.pdf")).title == "Said"
        assert (await add(world, b"text", "d2", source="a/name.pdf")).title == "Own title"
        world.extractor.title = ""
        assert (await add(world, b"text", "d3", source="a/name.pdf")).title == "name.pdf"
        assert (await add(world, b"## First\tline \nsecond", "d4")).title == "First line"
        assert world.extractor.asked[-2:] == [("name.pdf", ""), ("", "")]


async def test_a_file_without_text_is_unreadable() -> None:
    async with World() as world:
        for content in (b"\xff", b" \n\f"):
            with pytest.raises(DocumentUnreadable):
                await add(world, content)
        assert not world.held.commits


@pytest.mark.parametrize(
    ("content", "limit"),
    [("12345", "document_text_bytes"), (b"12345", "document_text_bytes"), (b"1234567", "document_file_bytes")],
)
async def test_a_document_that_is_too_large_is_refused(content: str | bytes, limit: str) -> None:
    async with World(limits=Limits(document_text_bytes=4, document_file_bytes=6)) as world:
        with pytest.raises(TooLarge) as refused:
            await add(world, content)
        assert refused.value.metadata["limit"] == limit


async def test_an_upload_is_read_deleted_and_limited_in_size() -> None:
    async with World(limits=Limits(document_file_bytes=8)) as world:
        async with world.engine.documents.uploads.receive() as file:
            await file.write(b"four")
            await file.write(b"more")
            assert list(world.uploads.files) == [file.path]
            await file.finish()
            await add(world, file.path)
        assert not world.uploads.files
        assert [each.text for each in chunks(world)] == ["fourmore"]
        async with world.engine.documents.uploads.receive() as file:
            await file.write(b"four")
            with pytest.raises(TooLarge) as refused:
                await file.write(b"5more")
            assert world.uploads.files == {file.path: b"four"}
        assert refused.value.metadata["limit"] == "document_file_bytes"


async def test_the_digest_of_an_upload_does_not_depend_on_its_chunks() -> None:
    async with World() as world:
        digests = []
        for parts in ((b"ab", b"c"), (b"a", b"bc"), (b"ab", b"d")):
            async with world.engine.documents.uploads.receive() as file:
                for part in parts:
                    await file.write(part)
                digests.append(file.digest)
        assert digests[0] == digests[1] != digests[2]


async def test_a_fetched_document_is_read_by_its_type_and_its_file_deleted() -> None:
    async with World() as world:
        world.fetcher.pages["https://example.org/a/page"] = b"fetched text"
        document = await add(world, Url("https://example.org/a/page"))
        assert (document.title, document.media_type) == ("page", "text/html")
        assert [each.text for each in chunks(world)] == ["fetched text"]
        assert not world.uploads.files
        with pytest.raises(UrlNotAllowed):
            await add(world, Url("https://example.com/"), "e")
        assert not world.uploads.files


async def test_fetching_ends_when_a_document_is_too_large() -> None:
    async with World(limits=Limits(document_file_bytes=6)) as world:
        world.fetcher.pages["u"] = b"x" * 20
        with pytest.raises(TooLarge):
            await add(world, Url("u"))
        assert not world.uploads.files


async def test_chunks_are_embedded_with_their_headings() -> None:
    embedder = FakeEmbedder(is_immediate=True)
    async with World(embedder=embedder) as world:
        await add(world, LONG)
        for chunk in chunks(world):
            assert (chunk.identity, chunk.vector) == (IDENTITY, vector_of(chunk.found_by))
        assert len(world.held.commits) == 1


async def test_vectors_from_before_a_failure_of_the_embedder_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "EMBEDDED_AT_ONCE_MAX", 1)
    embedder = FakeEmbedder()
    embedder.refuses = "topic10"
    async with World(embedder=embedder) as world:
        await add(world, LONG)
        refused = next(number for number, each in enumerate(chunks(world)) if "topic10" in each.text)
        assert 0 < refused < len(chunks(world)) - 1
        assert [each.identity for each in chunks(world)[:refused]] == [IDENTITY] * refused
        assert {(each.identity, each.vector) for each in chunks(world)[refused:]} == {(None, b"")}


async def test_a_slow_embedder_does_not_delay_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_text, "DOCUMENT_VECTORS_WAIT_S", 0.01)
    embedder = FakeEmbedder()
    embedder.gate.clear()
    async with World(embedder=embedder) as world:
        await add(world, "about the fox")
        assert [each.vector for each in chunks(world)] == [b""]


async def test_a_document_is_added_while_the_embedder_is_unavailable() -> None:
    embedder = FakeEmbedder()
    embedder.is_away = True
    async with World(embedder=embedder) as world:
        await add(world, "about the fox")
        assert [each.vector for each in chunks(world)] == [b""]
        answer = await search(world, "fox")
        assert (len(answer.found), answer.uses_meaning) == (1, False)


async def test_the_number_of_vectors_of_a_document_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "DOCUMENT_VECTORS_BYTES_MAX", 4 * IDENTITY.dimensions * 2)
    async with World(embedder=FakeEmbedder(is_immediate=True)) as world:
        await add(world, LONG)
        assert sum(bool(each.vector) for each in chunks(world)) == 2 < len(chunks(world))


async def test_a_search_finds_the_chunks_with_their_documents() -> None:
    async with World() as world:
        await add(world, LONG, title="The guide")
        await add(world, "Nothing of that", "e")
        answer = await search(world, "topic19")
        assert [each.document.title for each in answer.found] == ["The guide"] * len(answer.found)
        assert answer.found[0].match.matched_words == ("topic19",)
        assert "topic19" in answer.found[0].chunk.found_by
        assert (answer.total, answer.revision) == (len(answer.found), 2)
        assert (await search(world, "topic19", limit=1)).total == answer.total
        assert await found(world, "absent") == []


async def test_a_search_is_filtered_by_documents_users_and_tags() -> None:
    async with World() as world:
        await add(world, "fox one", "d1", tags=("a", "b"), user_id="ann")
        await add(world, "fox two", "d2", tags=("a",))
        assert sorted(await found(world, "fox")) == [("d1", 1), ("d2", 1)]
        assert await found(world, "fox", all_tags=frozenset({"a", "b"})) == [("d1", 1)]
        assert await found(world, "fox", any_tags=frozenset({"x", "b"})) == [("d1", 1)]
        assert await found(world, "fox", user_id="ann") == [("d1", 1)]
        assert await found(world, "fox", user_id="") == [("d2", 1)]
        assert await found(world, "fox", document_ids=frozenset({"d2", "unknown"})) == [("d2", 1)]
        nothing = await search(world, "fox", document_ids=frozenset({"d2"}), all_tags=frozenset({"b"}))
        assert (nothing.found, nothing.total, nothing.revision) == ((), 0, 2)


async def test_a_search_with_a_vector_asks_no_embedder() -> None:
    embedder = FakeEmbedder(is_immediate=True)
    async with World(embedder=embedder) as world:
        await add(world, "fox")
        await add(world, "hen", "e")
        embedder.is_away = True
        vector = (IDENTITY, vector_of("hen"))
        answer = await world.engine.documents.search("a", SearchRequest("", 10, vector=vector))
        assert answer.uses_meaning
        assert answer.found[0].chunk.document_id == "e"
        chosen = of_documents(user_id="nobody")
        assert not (await world.engine.documents.search("a", SearchRequest("", 1, chosen, 0.0, vector))).uses_meaning


async def test_a_search_reflects_created_updated_and_removed_documents() -> None:
    async with World() as world:
        await add(world, "red fox", tags=("old",))
        assert await found(world, "red") == [("d", 1)]
        await update(world, "blue fox", tags=("new",))
        await add(world, "red hen", "e")
        assert await found(world, "red") == [("e", 1)]
        assert await found(world, "fox", all_tags=frozenset({"new"})) == [("d", 1)]
        await update(world, tags=("newest",))
        assert await found(world, "fox", all_tags=frozenset({"new"})) == []
        assert await found(world, "fox", all_tags=frozenset({"newest"})) == [("d", 1)]
        await world.do(DeleteDocument("e"))
        assert await found(world, "red hen") == []
        await world.do(ClearAgent(kinds=frozenset({RecordKind.DOCUMENT})))
        assert await found(world, "fox") == []
        assert len(world.document_indexes) == 1


async def test_a_search_does_not_find_what_its_filter_no_longer_selects_in_the_state_of_the_index() -> None:
    async with World() as world:
        await add(world, "fox", tags=("x",))
        documents, use, late = world.engine.documents, world.engine.documents._indexes.use, [("y",), ("x", "y")]

        async def use_late(*given: Any) -> Any:
            ranking, _ = await use(*given)
            if late:
                await update(world, tags=late.pop(0))
            return ranking, world.cache.peek("a").state

        documents._indexes.use = use_late  # type: ignore[method-assign]
        assert await found(world, "fox", all_tags=frozenset({"x"})) == []
        assert await found(world, "fox", all_tags=frozenset({"y"})) == [("d", 1)]
        assert not late


async def test_an_update_reads_the_new_content_and_keeps_the_other_fields() -> None:
    async with World() as world:
        world.extractor.title = "Own title"
        await add(world, b"old", source="a/name.txt", title="Said", description="D")
        document = await update(world, b"new text")
        assert (document.title, document.description, document.source) == ("Said", "D", "a/name.txt")
        assert world.extractor.asked[-1] == ("name.txt", "")
        assert [each.text for each in chunks(world)] == ["new text"]
        document = await update(world, b"newer", title="", source="b.md", media_type="text/html")
        assert (document.title, document.source, document.media_type) == ("Own title", "b.md", "text/html")
        assert world.extractor.asked[-1] == ("b.md", "text/html")
        assert (await update(world, "# Text\n", title="")).title == "Text"


async def test_a_document_that_is_fetched_again_has_its_url_as_source() -> None:
    async with World() as world:
        world.fetcher.pages["https://example.org/page"] = b"fetched text"
        await add(world, "old", source="old.txt")
        assert (await update(world, Url("https://example.org/page"))).source == "https://example.org/page"
        assert (await update(world, Url("https://example.org/page"), source="said")).source == "said"
        assert [each.text for each in chunks(world)] == ["fetched text"]


async def test_an_update_that_is_refused_reads_nothing() -> None:
    async with World() as world:
        for content in (b"text", None):
            with pytest.raises(RecordNotFound):
                await update(world, content, title="T")
        await add(world, "text")
        with pytest.raises(RevisionMismatch):
            await update(world, b"text", precondition=Precondition(expected_revision=7))
        assert not world.extractor.asked


async def test_only_changed_documents_are_indexed_again() -> None:
    async with World() as world:
        await add(world, "red fox")
        await found(world, "red")
        (index,) = world.document_indexes
        index.puts = []
        await add(world, "blue fox", "e")
        await world.set("k")
        await found(world, "red")
        assert index.puts == ["e/000000000001"]


async def test_an_agent_without_documents_has_no_index() -> None:
    async with World() as world:
        answer = await search(world, "red")
        assert (answer.found, answer.total, answer.revision) == ((), 0, 0)
        assert not world.document_indexes


async def test_a_search_finds_the_same_after_the_agent_is_loaded_again() -> None:
    async with World() as world:
        await add(world, LONG)
        before = await search(world, "topic19 paragraph")
        for writer in world.cache.loaded():
            world.cache._discard(writer)
        world.clock.now += 10**18
        again = await search(world, "topic19 paragraph")
        assert msgspec.structs.asdict(again) == msgspec.structs.asdict(before)
        assert len(world.document_indexes) == 2


async def test_a_repeated_request_returns_without_reading_the_file_again() -> None:
    async with World() as world:
        write = request("r")
        world.fetcher.pages["u"] = b"text"
        first = await add(world, Url("u"), write=write)
        second = await update(world, Url("u"), title="", write=request("s"))
        del world.fetcher.pages["u"]
        assert await add(world, Url("u"), "e", write=write) == first
        assert await update(world, Url("u"), write=request("s")) == second
        with pytest.raises(RequestIdReused):
            await add(world, "text", write=request("r", b"other body"))
        assert len(world.held.commits) == 1


async def test_one_of_two_concurrent_additions_of_a_document_is_refused() -> None:
    async with World() as world:
        outcomes = await asyncio.gather(add(world, LONG), add(world, LONG), return_exceptions=True)
        assert sorted(type(each) for each in outcomes if isinstance(each, Exception)) == [RecordExists]
        assert "".join(each.text for each in chunks(world)) == LONG


async def test_the_extractor_and_the_fetcher_are_closed_with_the_engine() -> None:
    async with World() as world:
        assert not world.extractor.is_closed
    assert world.extractor.is_closed
    assert world.fetcher.is_closed
