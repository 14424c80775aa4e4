import logging

import pytest
from tests.unit.domain.sample import memory_draft
from tests.unit.engine.embedder import IDENTITY, FakeEmbedder, vector_of
from tests.unit.engine.remembering import (
    change,
    create,
    forget,
    found,
    memories,
    purge,
    recall,
    remember,
    rewrite,
    state,
)
from tests.unit.engine.shared_store import SharedStore, sharing
from tests.unit.engine.world import World, request, settle, until
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.error import RequestIdReused, RevisionMismatch
from memoryd_server.domain.lifecycle.agent_change import EndAgent
from memoryd_server.domain.memories.changes.memory_change import MemoryPatch, UpdateMemory
from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.indexes import vectors
from memoryd_server.ports.retrieval import Familiarity

OTHER = EmbeddingIdentity("other", "7", 2)


@pytest.fixture(autouse=True)
def _retry_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "EMBEDDER_RETRY_S", 0.001)


def vectors_of(world: World, agent: str = "a") -> dict[str, bytes]:
    """Return the stored vectors by the contents of their memories."""
    known = state(world, agent).part(MEMORIES)
    return {known.memories[memory_id].content: each.vector for memory_id, each in known.embeddings.items()}


def backlog(world: World) -> int:
    return world.telemetry.embedding_backlog.value


async def statistics_backlog(world: World) -> int:
    return (await world.engine.agents.statistics("a"))[0].counts["unembedded_memories"]


async def test_an_immediate_embedder_adds_the_vector_in_the_same_commit() -> None:
    embedder = FakeEmbedder(is_immediate=True)
    async with World(embedder=embedder) as world:
        memory_id = await remember(world, "one fox")
        assert vectors_of(world) == {"one fox": vector_of("one fox")}
        assert len(world.held.commits) == 1
        await rewrite(world, memory_id, "two foxes")
        assert vectors_of(world) == {"two foxes": vector_of("two foxes")}
        assert (len(world.held.commits), backlog(world)) == (2, 0)
        assert embedder.asked == [["one fox"], ["two foxes"]]


async def test_memories_are_stored_while_an_immediate_embedder_is_unavailable() -> None:
    embedder = FakeEmbedder(is_immediate=True)
    embedder.is_away = True
    async with World(embedder=embedder) as world:
        memory_id = await remember(world, "one fox")
        assert await found(world, "fox") == ["one fox"]
        await rewrite(world, memory_id, "two foxes")
        assert await found(world, "foxes") == ["two foxes"]
        embedder.is_away = False
        await until(lambda: vectors_of(world) == {"two foxes": vector_of("two foxes")})


async def test_drafts_of_a_batch_are_embedded_together_and_given_vectors_are_kept() -> None:
    embedder = FakeEmbedder(is_immediate=True)
    async with World(embedder=embedder) as world:
        brought = memory_draft("two", identity=OTHER, vector=b"12345678", is_vector_given=True)
        created = await create(world, memory_draft("one"), brought, memory_draft("three"))
        known = state(world).part(MEMORIES).embeddings
        assert [known[each.memory_id].vector for each in created] == [vector_of("one"), b"12345678", vector_of("three")]
        assert [known[each.memory_id].is_given for each in created] == [False, True, False]
        assert [known[each.memory_id].identity for each in created] == [IDENTITY, OTHER, IDENTITY]
        assert embedder.asked == [["one", "three"]]


async def test_memories_are_found_by_words_without_an_embedder() -> None:
    async with World() as world:
        await remember(world, "one fox")
        answer = await recall(world, "fox")
        assert (len(answer.found), answer.uses_meaning) == (1, False)
        assert (backlog(world), await statistics_backlog(world)) == (0, 0)


async def test_a_slow_embedder_delays_no_write_and_its_vectors_follow() -> None:
    embedder = FakeEmbedder()
    embedder.gate.clear()
    async with World(embedder=embedder) as world:
        for content in ("one fox", "two foxes", "three foxes"):
            await remember(world, content)
        assert await found(world, "fox", vector=(IDENTITY, b"")) == ["one fox"]
        assert await statistics_backlog(world) == 3
        await until(lambda: embedder.asked)
        assert backlog(world) + len(embedder.asked[0]) == 3
        embedder.gate.set()
        await until(lambda: len(vectors_of(world)) == 3)
        assert vectors_of(world)["three foxes"] == vector_of("three foxes")
        await until(lambda: backlog(world) == 0)
        assert await statistics_backlog(world) == 0
        assert state(world).revision == 3


async def test_memories_are_embedded_in_batches_in_the_order_of_creation() -> None:
    embedder = FakeEmbedder()
    embedder.gate.clear()
    async with World(embedder=embedder) as world:
        await create(
            world, *(memory_draft(f"number {n}", allow_duplicates=True, skip_contradictions=True) for n in range(150))
        )
        embedder.gate.set()
        await until(lambda: len(vectors_of(world)) == 150)
        assert [len(texts) for texts in embedder.asked] == [64, 64, 22]
        assert [text for texts in embedder.asked for text in texts] == [f"number {n}" for n in range(150)]


async def test_a_memory_that_changes_while_it_is_embedded_gets_the_vector_of_its_new_content() -> None:
    embedder = FakeEmbedder()
    embedder.gate.clear()
    async with World(embedder=embedder) as world:
        memory_id = await remember(world, "one fox")
        await until(lambda: embedder.asked)
        await rewrite(world, memory_id, "two foxes")
        embedder.gate.set()
        await until(lambda: vectors_of(world))
        assert vectors_of(world) == {"two foxes": vector_of("two foxes")}


async def test_a_vector_that_is_given_meanwhile_is_kept() -> None:
    embedder = FakeEmbedder()
    embedder.gate.clear()
    async with World(embedder=embedder) as world:
        memory_id = await remember(world, "one")
        await until(lambda: embedder.asked)
        given = UpdateMemory(memory_id, MemoryPatch(), memories(world).policy, OTHER, b"12345678", is_vector_given=True)
        await change(world, await memories(world).update_command("a", given))
        embedder.gate.set()
        await remember(world, "two")
        await until(lambda: backlog(world) == 0 and len(state(world).part(MEMORIES).embeddings) == 2)
        assert vectors_of(world) == {"one": b"12345678", "two": vector_of("two")}
        await memories(world).reembed("a", 9, UNCONDITIONAL, replaces_given=True)
        assert vectors_of(world) == {"one": vector_of("one"), "two": vector_of("two")}


async def test_a_memory_that_is_purged_meanwhile_gets_no_vector() -> None:
    embedder = FakeEmbedder()
    embedder.gate.clear()
    async with World(embedder=embedder) as world:
        gone = await remember(world, "one")
        await until(lambda: embedder.asked)
        waits = await remember(world, "two")
        await purge(world, gone)
        await purge(world, waits)
        await remember(world, "three")
        embedder.gate.set()
        await until(lambda: vectors_of(world))
        assert list(vectors_of(world)) == ["three"]
        assert embedder.asked == [["one"], ["three"]]


async def test_an_unavailable_embedder_is_retried_until_the_backlog_is_empty() -> None:
    embedder = FakeEmbedder()
    embedder.is_away = True
    async with World(embedder=embedder) as world:
        await remember(world, "one fox")
        await until(lambda: len(embedder.asked) > 2)
        assert await statistics_backlog(world) == 1
        assert await found(world, "fox") == ["one fox"]
        embedder.is_away = False
        await until(lambda: vectors_of(world))
        await until(lambda: backlog(world) == 0)


async def test_a_refused_text_does_not_block_the_vectors_of_others(caplog: pytest.LogCaptureFixture) -> None:
    embedder = FakeEmbedder()
    embedder.refuses = "poison"
    with caplog.at_level(logging.WARNING):
        async with World(embedder=embedder) as world:
            await create(world, *(memory_draft(f"{n} is poison" if n == 5 else f"text {n}") for n in range(20)))
            await until(lambda: len(vectors_of(world)) == 19)
            await remember(world, "comes later")
            await until(lambda: len(vectors_of(world)) == 20)
            assert await statistics_backlog(world) == 1
            assert ["5 is poison"] in embedder.asked
    assert not [record for record in caplog.records if "poison" in record.getMessage() + str(record.__dict__)]


async def test_a_defect_of_an_embedder_is_logged_and_embedding_continues(caplog: pytest.LogCaptureFixture) -> None:
    embedder = FakeEmbedder()
    embedder.defect = ArithmeticError("defect")
    async with World(embedder=embedder) as world:
        await remember(world, "one")
        await until(lambda: [record.message for record in caplog.records] == ["embedding failed"])
        await remember(world, "two", agent="b")
        await until(lambda: vectors_of(world, "b"))


async def test_a_restart_continues_the_backlog() -> None:
    embedder = FakeEmbedder()
    embedder.is_away = True
    async with World(embedder=embedder) as world:
        for content in ("one", "two"):
            await remember(world, content)
    assert embedder.closed
    answers = FakeEmbedder()
    async with World(world.store, embedder=answers) as again:
        await settle()
        assert answers.asked == []
        await found(again, "one", vector=(IDENTITY, b""))
        await until(lambda: len(vectors_of(again)) == 2)
        assert answers.asked == [["one", "two"]]


async def test_forgotten_memories_are_embedded() -> None:
    embedder = FakeEmbedder()
    embedder.gate.clear()
    async with World(embedder=embedder) as world:
        await forget(world, await remember(world, "one"))
        embedder.gate.set()
        await until(lambda: vectors_of(world))


async def test_a_query_that_is_not_embedded_in_time_is_searched_by_its_words(caplog: pytest.LogCaptureFixture) -> None:
    embedder, late = FakeEmbedder(), FakeEmbedder()
    late.gate.clear()
    async with World(embedder=embedder, query_timeout_s=WAIT_S_MAX) as world:
        await remember(world, "one fox")
        await until(lambda: vectors_of(world))
        assert (await recall(world, "fox")).uses_meaning
        async with World(world.store, embedder=late, query_timeout_s=0.01) as other:  # time: it must expire
            answer = await recall(other, "fox")
            assert (answer.uses_meaning, len(answer.found)) == (False, 1)
        embedder.is_away = True
        assert not (await recall(world, "fox")).uses_meaning
        assert [record.__dict__["error"] for record in caplog.records] == ["timeout", "away"]


async def test_a_query_is_embedded_unless_a_vector_is_given() -> None:
    embedder = FakeEmbedder(is_immediate=True)
    async with World(embedder=embedder) as world:
        await remember(world, "red fox")
        assert await found(world, "r234567") == ["red fox"]
        asked = len(embedder.asked)
        assert await found(world, "", vector=(IDENTITY, vector_of("red fox"))) == ["red fox"]
        assert len(embedder.asked) == asked


async def test_reembedding_replaces_the_vectors_of_another_embedder_in_batches() -> None:
    async with World(embedder=FakeEmbedder(is_immediate=True, identity=OTHER)) as world:
        contents = [f"text {n}" for n in range(5)]
        await create(
            world, *(memory_draft(content, allow_duplicates=True, skip_contradictions=True) for content in contents)
        )
        brought = memory_draft("brought", identity=OTHER, vector=b"12345678", is_vector_given=True)
        await create(world, brought)
    embedder = FakeEmbedder()
    async with World(world.store, embedder=embedder) as again:
        first = await memories(again).reembed("a", 3, UNCONDITIONAL, replaces_given=False)
        assert (first.embedded, first.left, first.revision) == (3, 2, 2)
        assert embedder.asked == [["text 0", "text 1", "text 2"]]
        assert (await memories(again).reembed("a", 3, UNCONDITIONAL, replaces_given=False)).left == 0
        assert (await memories(again).reembed("a", 3, UNCONDITIONAL, replaces_given=True)).embedded == 1
        assert {each.identity for each in state(again).part(MEMORIES).embeddings.values()} == {IDENTITY}


async def test_reembedding_with_an_unavailable_embedder_embeds_none() -> None:
    embedder = FakeEmbedder()
    embedder.is_away = True
    async with World(embedder=embedder) as world:
        await remember(world, "one")
        done = await memories(world).reembed("a", 10, UNCONDITIONAL, replaces_given=False)
        assert (done.embedded, done.left) == (0, 1)


async def test_a_repeated_reembedding_returns_the_first_result_and_one_on_another_revision_is_refused() -> None:
    async with World(embedder=FakeEmbedder(is_immediate=True, identity=OTHER)) as world:
        await create(world, *(memory_draft(f"text {n}") for n in range(3)))
    embedder = FakeEmbedder()
    async with World(world.store, embedder=embedder) as again:
        refused = Write(precondition=Precondition(expected_revision=7))
        with pytest.raises(RevisionMismatch):
            await memories(again).reembed("a", 2, refused, replaces_given=False)
        assert embedder.asked == []
        first = await memories(again).reembed("a", 2, request("r"), replaces_given=False)
        assert (first.embedded, first.left, first.revision) == (2, 1, 1)
        assert await memories(again).reembed("a", 2, request("r"), replaces_given=False) == first
        assert len(embedder.asked) == 1
        with pytest.raises(RequestIdReused):
            await memories(again).reembed("a", 2, request("r", b"other"), replaces_given=False)


async def test_reembedding_without_an_embedder_has_nothing_to_do() -> None:
    async with World() as world:
        await remember(world, "one")
        done = await memories(world).reembed("a", 10, UNCONDITIONAL, replaces_given=True)
        assert (done.embedded, done.left, done.revision) == (0, 0, 1)


async def test_an_ended_or_evicted_agent_has_no_backlog() -> None:
    embedder = FakeEmbedder()
    embedder.gate.clear()
    async with World(embedder=embedder) as world:
        for agent in ("a", "b"):
            await remember(world, "one", agent=agent)
            await remember(world, "two", agent=agent)
            await until(lambda: embedder.asked == [["one"]])
        assert backlog(world) == 3
        await world.do(EndAgent())
        assert backlog(world) == 2
        world.cache._discard(world.cache.peek("b"))
        assert backlog(world) == 0
        embedder.gate.set()
        await remember(world, "three", agent="c")
        await until(lambda: vectors_of(world, "c"))
        assert embedder.asked == [["one"], ["three"]]


async def test_memories_are_embedded_by_the_daemon_that_commits_them() -> None:
    embedders = [FakeEmbedder(), FakeEmbedder()]
    for embedder in embedders:
        embedder.gate.clear()
    async with sharing(SharedStore(), embedders=embedders) as (a, b):
        await remember(a, "one")
        assert await found(b, "one", vector=(IDENTITY, b"")) == ["one"]
        await remember(b, "two")
        assert await found(a, "two", vector=(IDENTITY, b"")) == ["two"]
        for embedder in embedders:
            embedder.gate.set()
        await until(lambda: len(vectors_of(b)) + len(vectors_of(a)) > 1)
        await settle()
        assert embedders[0].asked == [["one"]]
        assert ["two"] in embedders[1].asked
        assert len((await b.cache.current("a")).state.part(MEMORIES).embeddings) == 2


async def test_a_memory_whose_commit_lost_its_reply_is_embedded() -> None:
    store, embedder = SharedStore(), FakeEmbedder()
    async with sharing(store, embedders=[embedder, FakeEmbedder()]) as (a, _):
        await remember(a, "one")
        await until(lambda: vectors_of(a))
        store.loses_answer = True
        await remember(a, "two")
        await until(lambda: len(vectors_of(a)) == 2)


async def test_the_familiarity_of_a_query_is_that_of_the_embedder_of_its_vector() -> None:
    async with World(embedder=FakeEmbedder()) as world:
        embedding = world.engine._vectors
        vector = await embedding.of_query("one fox")
        assert embedding.familiarity_of("one fox", vector) == Familiarity(0.5, frozenset({"one"}))
        assert embedding.familiarity_of("one fox", (OTHER, bytes(8))) == Familiarity()
        assert embedding.familiarity_of("one fox", None) == Familiarity()
