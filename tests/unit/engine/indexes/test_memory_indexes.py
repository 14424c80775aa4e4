import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.domain.random_agent import RandomAgent
from tests.unit.domain.sample import IDENTITY, Agent
from tests.unit.engine.plain_index import PlainIndex
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.decide import Decision
from memoryd_server.domain.agent.part import Changes
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.lifecycle.agent_change import AccessesRecorded, ClearAgent
from memoryd_server.domain.memories.changes.embedding_change import EmbeddedContent, KeepEmbeddings
from memoryd_server.domain.memories.changes.link_change import LinkMemories, UnlinkMemories
from memoryd_server.domain.memories.changes.memory_change import MemoryPatch, RestoreMemory, UpdateMemory
from memoryd_server.domain.memories.changes.memory_removal import ForgetMemory, PurgeMemory
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLinkDraft
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.record_kind import CLEARED_BY_DEFAULT, RecordKind
from memoryd_server.engine.indexes.memory_indexes import MemoryIndexes, indexed
from memoryd_server.ports.retrieval import MemoryIndex, Query


class Indexed:
    """One agent and its index, of which the counts of calls are those of its last use."""

    def __init__(self, *, learns_changes: bool = True) -> None:
        self.agent = Agent()
        self.made: list[PlainIndex] = []
        self.indexes = MemoryIndexes(self._new_index)
        self._learns_changes = learns_changes

    def _new_index(self) -> PlainIndex:
        self.made.append(PlainIndex())
        return self.made[-1]

    @property
    def memories(self) -> LongTermMemory:
        return self.agent.state.part(MEMORIES)

    def do(self, *commands: Command) -> None:
        """Commit changes and report them to the index."""
        for each in commands:
            before = self.agent.state
            self.agent.do(each)
            self.note(before, self.agent.decision.changes)

    def create(self, *contents: str) -> list[str]:
        made = []
        for content in contents:
            before = self.agent.state
            made.append(self.agent.create(content).memory_id)
            self.note(before, self.agent.decision.changes)
        return made

    def note(self, before: AgentState, changes: Changes) -> None:
        learned = changes if self._learns_changes else None
        self.indexes.note_change(before, self.agent.state, learned, is_own=True)

    async def use(self, work: Callable[[MemoryIndex], object] = lambda index: None) -> LongTermMemory:
        for index in self.made:
            index.puts, index.removals = [], []
        return (await self.indexes.use(self.agent.state, work))[1].part(MEMORIES)

    async def held(self) -> dict[str, str]:
        """Use the index and return its contents by memory id."""
        await self.use()
        return {memory_id: each.memory.content for memory_id, each in self.made[-1].held.items()}


@pytest.fixture(params=[True, False], ids=["with the changes", "without the changes"])
def known(request: pytest.FixtureRequest) -> Iterator[Indexed]:
    indexed = Indexed(learns_changes=request.param)
    yield indexed
    indexed.indexes.close()


@contextmanager
def held_work() -> Iterator[tuple[threading.Event, threading.Event, Callable[[MemoryIndex], str]]]:
    """Yield work on an index with two events: that it has begun, and that it may end."""
    begun, go = threading.Event(), threading.Event()

    def work(_: MemoryIndex) -> str:
        begun.set()
        assert go.wait(WAIT_S_MAX)
        return "done"

    try:
        yield begun, go, work
    finally:
        go.set()


async def test_an_index_is_built_at_its_first_use_in_the_order_of_creation(known: Indexed) -> None:
    memory_ids = known.create("one", "two", "three")
    assert known.made == []
    await known.use()
    assert known.made[0].puts == memory_ids
    await known.use()
    assert (len(known.made), known.made[0].puts) == (1, [])


async def test_an_index_is_made_off_the_event_loop_whose_calls_would_wait_for_its_libraries() -> None:
    agent, made_on = Agent(), list[threading.Thread]()

    def new_index() -> PlainIndex:
        made_on.append(threading.current_thread())
        return PlainIndex()

    indexes = MemoryIndexes(new_index)
    agent.create("one")
    await indexes.use(agent.state, len)
    indexes.close()
    assert len(made_on) == 1
    assert threading.current_thread() not in made_on


async def test_only_changed_memories_are_indexed_again(known: Indexed) -> None:
    first, _ = known.create("one", "two")
    await known.use()
    policy = known.agent.policy
    known.do(UpdateMemory(first, MemoryPatch(content="uno"), policy))
    (third,) = known.create("three")
    assert sorted((await known.held()).values()) == ["three", "two", "uno"]
    assert known.made[0].puts == [first, third]


async def test_forgotten_memories_are_removed_and_restored_ones_added(known: Indexed) -> None:
    first, second = known.create("one", "two")
    await known.use()
    known.do(ForgetMemory(first, known.agent.policy))
    assert await known.held() == {second: "two"}
    known.do(RestoreMemory(first, known.agent.policy))
    assert await known.held() == {second: "two", first: "one"}


async def test_purged_and_cleared_memories_are_removed(known: Indexed) -> None:
    first, second = known.create("one", "two")
    await known.use()
    known.do(PurgeMemory(first))
    assert await known.held() == {second: "two"}
    known.do(ClearAgent(kinds=CLEARED_BY_DEFAULT | {RecordKind.MEMORY}))
    assert await known.held() == {}
    assert known.made[0].removals == [second]


async def test_memories_that_are_forgotten_before_the_first_use_are_not_indexed(known: Indexed) -> None:
    first, second = known.create("one", "two")
    known.do(ForgetMemory(first, known.agent.policy))
    assert await known.held() == {second: "two"}
    assert known.made[0].puts == [second]


async def test_a_created_or_deleted_link_updates_both_its_memories(known: Indexed) -> None:
    first, second, _ = known.create("one", "two", "three")
    await known.use()
    known.do(LinkMemories(first, MemoryLinkDraft(second, LinkType.RELATED, 0.25), known.agent.policy))
    await known.use()
    assert known.made[0].puts == [first, second]
    assert known.made[0].held[first].links == ((second, 0.25),)
    assert known.made[0].held[second].links == ((first, 0.25),)
    known.do(UnlinkMemories(first, second, known.agent.policy))
    await known.use()
    assert known.made[0].puts == [first, second]
    assert [each.links for each in known.made[0].held.values()] == [()] * 3


async def test_a_later_vector_updates_its_memory(known: Indexed) -> None:
    first, _ = known.create("one", "two")
    await known.use()
    assert known.made[0].held[first].embedding is None
    known.do(KeepEmbeddings((EmbeddedContent("one", Embedding(first, IDENTITY, b"12345678")),)))
    await known.use()
    assert known.made[0].puts == [first]
    assert (embedding := known.made[0].held[first].embedding) is not None
    assert embedding.vector == b"12345678"


async def test_changes_without_memories_are_ignored(known: Indexed) -> None:
    known.create("one")
    await known.use()
    before = known.agent.state
    known.agent.set("key")
    known.note(before, known.agent.decision.changes)
    await known.use()
    assert known.made[0].puts == []


async def test_an_evicted_agent_has_a_new_index_at_its_next_use(known: Indexed) -> None:
    known.create("one")
    await known.use()
    known.indexes.note_gone(AgentState("a"))
    (second,) = known.create("two")
    assert set((await known.held()).values()) == {"one", "two"}
    assert len(known.made) == 2
    assert known.made[0].held.keys() != known.made[1].held.keys() >= {second}


async def test_a_commit_during_a_use_is_indexed_at_the_next(known: Indexed) -> None:
    known.create("one")
    with held_work() as (begun, go, work):
        using = asyncio.create_task(known.use(work))
        await asyncio.to_thread(begun.wait, 5)
        known.create("two")
        waiting = asyncio.create_task(known.held())
        await asyncio.sleep(0)
        assert not waiting.done()
        go.set()
        assert len(await using) == 1
        assert sorted((await waiting).values()) == ["one", "two"]
    assert len(known.made) == 1


async def test_uses_of_an_index_are_serialized(known: Indexed) -> None:
    known.create("one")
    inside = most = 0

    def work(_: MemoryIndex) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        inside -= 1

    await asyncio.gather(*(known.indexes.use(known.agent.state, work) for _ in range(50)))
    assert (most, inside, known.made[0].puts) == (1, 0, list(known.made[0].held))


async def test_a_cancelled_use_ends_at_once_and_its_index_is_kept(known: Indexed) -> None:
    known.create("one")
    with held_work() as (begun, go, work):
        using = asyncio.create_task(known.use(work))
        await asyncio.to_thread(begun.wait, 5)
        using.cancel()
        await asyncio.wait((using,))
        assert using.cancelled()
        (second,) = known.create("two")
        waiting = asyncio.create_task(known.use())
        await asyncio.sleep(0)
        assert not waiting.done()
        go.set()
        await waiting
    assert len(known.made) == 1
    assert [each.memory.content for each in known.made[0].held.values()] == ["one", "two"]
    assert known.made[0].puts == [second]


async def test_a_cancelled_wait_for_the_index_does_not_affect_others(known: Indexed) -> None:
    known.create("one")
    with held_work() as (begun, go, work):
        using = asyncio.create_task(known.use(work))
        await asyncio.to_thread(begun.wait, 5)
        waiting = asyncio.create_task(known.use())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait((waiting,))
        go.set()
        await using
    assert list((await known.held()).values()) == ["one"]
    assert len(known.made) == 1


async def test_the_index_is_rebuilt_after_failed_work(known: Indexed) -> None:
    known.create("one")

    def fails(_: MemoryIndex) -> None:
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        await known.use(fails)
    known.create("two")
    assert sorted((await known.held()).values()) == ["one", "two"]
    assert len(known.made) == 2


async def test_the_index_is_rebuilt_after_cancelled_work_failed(known: Indexed) -> None:
    known.create("one")
    with held_work() as (begun, go, work):

        def fails(index: MemoryIndex) -> None:
            work(index)
            raise ArithmeticError

        using = asyncio.create_task(known.use(fails))
        await asyncio.to_thread(begun.wait, 5)
        using.cancel()
        await asyncio.wait((using,))
        go.set()
        assert list((await known.held()).values()) == ["one"]
    assert len(known.made) == 2


async def test_an_index_of_the_past_is_separate(known: Indexed) -> None:
    (first,) = known.create("one")
    await known.use()
    held = list(known.made[0].held.values())
    known.do(PurgeMemory(first))
    search = Query("one", 0, 10)
    assert (await known.indexes.use_past(held, lambda index: index.search(search))).total == 1
    await known.use()
    assert (known.made[0].held, known.made[1].held) == ({}, {first: held[0]})


@pytest.mark.whole
@settings(max_examples=60)
@given(st.data())
def test_an_index_after_any_changes_equals_one_that_is_built_of_the_records(data: st.DataObject) -> None:
    known = Indexed()
    agent = known.agent = RandomAgent(data)
    with asyncio.Runner() as runner:
        for _ in range(data.draw(st.integers(1, 25))):
            before = agent.state
            agent.decision = Decision(before, {}, [], AccessesRecorded(before.revision))
            agent.step()
            is_reported = not agent.decision.ends and data.draw(st.booleans())
            known.indexes.note_change(before, agent.state, agent.decision.changes if is_reported else None, is_own=True)
            if data.draw(st.booleans()):
                runner.run(known.use())
        runner.run(known.use())
    known.indexes.close()
    memories = agent.state.part(MEMORIES)
    there = [memory_id for memory_id, each in memories.memories.items() if not each.is_forgotten]
    assert known.made[-1].held == {memory_id: indexed(memories, memories.memories[memory_id]) for memory_id in there}
    assert len(known.made) == 1
