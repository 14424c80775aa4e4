from datetime import timedelta

import pytest

import memoryd
from memoryd import CreateMemoryOutcome, MemoryBuilder, MemoryDraft, MemoryStatus, errors


@pytest.fixture
def memories(aio_agent: memoryd.aio.Agent) -> memoryd.aio.Memories:
    return aio_agent.memories


async def test_a_memory_is_recalled_with_the_reason(memories: memoryd.aio.Memories) -> None:
    tea = await memories.remember("Ada drinks green tea", user_id="ada", tags=["taste"], embedding=[1, 0])
    await memories.create(MemoryBuilder().content("Bob has a dog").user_id("bob").embedding([0, 1]))
    found = await memories.recall("who drinks tea?", embedding=[1, 0], user_id="ada", all_tags=["taste"])
    assert [each.memory.memory_id for each in found.memories] == [tea.memory_id]
    assert "tea" in found.memories[0].matched_words
    assert found.semantic_used


async def test_many_are_created_listed_and_embedded_again(memories: memoryd.aio.Memories) -> None:
    drafts = [
        MemoryDraft(f"turn {number}", "ada", embedding=[1], allow_duplicates=True, skip_contradictions=True)
        for number in range(3)
    ]
    created = await memories.create_many(drafts)
    assert [each.outcome for each in created] == [CreateMemoryOutcome.CREATED] * 3
    assert [found.memory_id async for found in memories.list(user_id="ada")] == [
        each.memory_id for each in reversed(created)
    ]
    left: list[int] = []
    await memories.reembed(
        limit=2, replace_client_embeddings=True, progress=lambda done: left.append(done.remaining_count)
    )
    assert left == [1, 0]


async def test_a_memory_changes_and_its_past_stays_known(memories: memoryd.aio.Memories) -> None:
    memory_id = (await memories.remember("Ada lives in Lisbon", user_id="ada")).memory_id
    before = await memories.get(memory_id)
    assert (await memories.update(memory_id, content="Ada lives in Porto", expected_revision=before.revision)).changed
    assert (await memories.get(memory_id)).content == "Ada lives in Porto"
    assert (await memories.get(memory_id, read_time=before.update_time)).content == "Ada lives in Lisbon"
    assert (await memories.reinforce(memory_id, confidence=0.9)).confidence == 0.9


async def test_memories_are_linked_forgotten_restored_and_purged(memories: memoryd.aio.Memories) -> None:
    one = (await memories.remember("Ada likes chess", user_id="ada")).memory_id
    two = (await memories.remember("Bob is away", user_id="ada")).memory_id
    assert (await memories.link(one, two, "supersedes")).created
    assert (await memories.get(two)).status is MemoryStatus.SUPERSEDED
    assert [link.to_memory_id async for link in memories.links(one)] == [two]
    assert (await memories.get_link(one, two, "supersedes")).from_memory_id == one
    assert await memories.unlink(one, two)
    forgotten = (await memories.forget(one)).memory
    assert forgotten is not None
    assert forgotten.purge_time is not None
    assert forgotten.purge_time - (await memories.get(two)).create_time > timedelta(0)
    assert (await memories.restore(one)).changed
    assert [each.deleted for each in await memories.forget_many([one, two])] == [True, True]
    assert [each.memory_id async for each in memories.get_many([two, one], include_forgotten=True)] == [two, one]
    assert await memories.purge(one)
    with pytest.raises(errors.RecordNotFound):
        await memories.get(one, include_forgotten=True)
