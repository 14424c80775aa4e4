"""Restore of memories: which come back, which stay out, and which events are emitted."""

import msgspec
import pytest
from tests.unit.domain.sample import IDENTITY, NOW, Agent, memory_access, memory_draft, memory_of, reads

from memoryd_server.domain.agent.part import Records
from memoryd_server.domain.lifecycle.agent_change import RestoreAgent
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories.changes.link_change import UnlinkMemories
from memoryd_server.domain.memories.changes.memory_change import MemoryPatch, RestoreMemory, UpdateMemory
from memoryd_server.domain.memories.changes.memory_removal import FinishPurges, ForgetMemory, PurgeMemory
from memoryd_server.domain.memories.memory import MemoryStatus, Purge, purge_digest_of
from memoryd_server.domain.memories.memory_link import LinkType
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy

RESTORED = ("AGENT_RESTORED", "RESTORE", "")


@pytest.fixture
def agent() -> Agent:
    """Return an agent with the memories m1 and m2; m1 has a vector, an earlier version and a link."""
    agent = Agent()
    agent.create("hen", memory_id="m1", identity=IDENTITY, vector=b"8 bytes.")
    agent.create("owl", memory_id="m2")
    agent.now += SECOND_NS
    patch = MemoryPatch(content="fox")
    agent.do(UpdateMemory("m1", patch, agent.policy, IDENTITY, b"8 bytes!"))
    agent.link("m1", "m2", LinkType.SUPERSEDES)
    agent.take_events()
    return agent


def restore(agent: Agent, image: Records) -> list[tuple[str, str, str]]:
    """Restore a snapshot; return the type, cause and memory of each event."""
    agent.events = []
    agent.do(RestoreAgent(image, "snapshot"))
    return [(event.type.name, event.cause.name, memory_of(event)) for event in agent.events]


def test_restoring_what_is_there_emits_nothing_but_the_restore(agent: Agent) -> None:
    before = agent.state.part(MEMORIES)
    assert restore(agent, agent.image()) == [RESTORED]
    assert agent.state.part(MEMORIES) == before


def test_accesses_since_the_image_are_kept(agent: Agent) -> None:
    image = agent.image()
    agent.do(reads(memory_access("m1", 3, agent.now)))
    assert restore(agent, image) == [RESTORED]
    assert agent.memory("m1").access_count == 3


def test_everything_of_a_memory_comes_back_to_an_agent_that_never_was(agent: Agent) -> None:
    agent.do(ForgetMemory("m2", agent.policy))
    new = Agent()
    new.now = agent.now
    events = restore(new, agent.image())
    assert events == [
        ("MEMORY_CREATED", "RESTORE", "m1"),
        ("MEMORY_CREATED", "RESTORE", "m2"),
        ("MEMORIES_LINKED", "RESTORE", "m1"),
        RESTORED,
    ]
    for memory_id in ("m1", "m2"):
        assert new.memory(memory_id) == msgspec.structs.replace(agent.memory(memory_id), revision=1)
    assert new.state.part(MEMORIES).embeddings == agent.state.part(MEMORIES).embeddings
    assert new.state.part(MEMORIES).versions == agent.state.part(MEMORIES).versions
    assert new.state.part(MEMORIES).forgotten_count == 1
    assert new.state.size_bytes == agent.state.size_bytes


def test_each_difference_is_put_back_with_an_event(agent: Agent) -> None:
    agent.create("cat", memory_id="m3")
    agent.link("m3", "m2", strength=0.25)
    image = agent.image()
    agent.do(UpdateMemory("m1", MemoryPatch(content="wolf", tags=("t",)), agent.policy))
    agent.do(PurgeMemory("m3"))
    agent.create("dog", memory_id="m4")
    agent.do(UnlinkMemories("m1", "m2", agent.policy))
    agent.link("m2", "m1")
    assert restore(agent, image) == [
        ("MEMORY_PURGED", "RESTORE", "m4"),
        ("MEMORY_UPDATED", "RESTORE", "m1"),
        ("MEMORY_UPDATED", "RESTORE", "m2"),
        ("MEMORY_CREATED", "RESTORE", "m3"),
        ("MEMORIES_UNLINKED", "RESTORE", "m2"),
        ("MEMORIES_LINKED", "RESTORE", "m1"),
        ("MEMORIES_LINKED", "RESTORE", "m3"),
        RESTORED,
    ]
    assert agent.memory("m1").content == "fox"
    assert agent.memory("m2").status is MemoryStatus.SUPERSEDED
    assert agent.state.part(MEMORIES).embeddings["m1"].vector == b"8 bytes!"
    assert agent.state.part(MEMORIES).link_strength("m2") == 0.75


def test_a_link_of_another_strength_and_a_vector_that_came_since_are_put_back(agent: Agent) -> None:
    image = agent.image()
    agent.link("m1", "m2", LinkType.SUPERSEDES, 1.0)
    agent.do(UpdateMemory("m2", MemoryPatch(), agent.policy, IDENTITY, b"8 bytes!"))
    assert restore(agent, image) == [("MEMORIES_LINKED", "RESTORE", "m1"), RESTORED]
    assert agent.state.part(MEMORIES).link_strength("m1") == 0.5
    assert list(agent.state.part(MEMORIES).embeddings) == ["m1"]


def test_what_is_over_stays_out_with_its_links() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("hen", memory_id="m2", expire_time=NOW + SECOND_NS)
    agent.link("m1", "m2")
    image = agent.image()
    agent.now += SECOND_NS
    assert restore(agent, image) == [("MEMORY_PURGED", "RESTORE", "m2"), RESTORED]
    assert agent.state.part(MEMORIES).link_count == 0


def test_a_forgotten_memory_is_forgotten_again(agent: Agent) -> None:
    agent.do(ForgetMemory("m2", agent.policy))
    image = agent.image()
    agent.do(RestoreMemory("m2", agent.policy))
    restore(agent, image)
    assert agent.memory("m2").is_forgotten
    agent.do(PurgeMemory("m2"))
    restore(agent, image)
    assert agent.memory("m2").is_forgotten


def test_what_was_purged_comes_back_unless_it_was_to_stay_out(agent: Agent) -> None:
    image = agent.image()
    agent.do(PurgeMemory("m1", blocks_reimport=True))
    agent.do(PurgeMemory("m2"))
    restore(agent, image)
    assert list(agent.state.part(MEMORIES).memories) == ["m2"]


def test_an_earlier_version_that_was_purged_stays_out(agent: Agent) -> None:
    image = agent.image()
    agent.create("hen", memory_id="m3")
    agent.do(PurgeMemory("m3", blocks_reimport=True))
    restore(agent, image)
    assert agent.memory("m1").content == "fox"
    assert "m1" not in agent.state.part(MEMORIES).versions


def test_what_was_purged_before_the_image_stays_out_after_it(agent: Agent) -> None:
    purged = agent.memory("m1")
    agent.do(PurgeMemory("m1", blocks_reimport=True))
    new = Agent()
    restore(new, agent.image())
    known = agent.state.part(MEMORIES).purges["m1"]
    assert dict(new.state.part(MEMORIES).purges) == {"m1": msgspec.structs.replace(known, is_erased=True)}
    (blocked,) = new.create_all(memory_draft(purged.content))
    assert blocked.outcome.name == "BLOCKED"


def test_a_purge_of_an_image_that_was_not_complete_touches_no_journal_here() -> None:
    agent = Agent()
    for content in ("fox", "hen"):
        agent.create(content, memory_id="m1")
        agent.do(PurgeMemory("m1"))
    agent.create("dog", memory_id="m1")
    new = Agent()
    restore(new, agent.image())
    assert new.memory("m1").content == "dog"
    assert (len(new.state.part(MEMORIES).purges), new.state.next_deadline) == (0, agent.memory("m1").deadline)


def test_purges_of_one_id_before_and_after_the_image_keep_both_contents_out() -> None:
    agent = Agent()
    first, second = memory_draft("fox", memory_id="m1"), memory_draft("hen", memory_id="m1")
    agent.create_all(first)
    agent.do(PurgeMemory("m1", blocks_reimport=True))
    image = agent.image()
    new = Agent()
    new.create_all(second)
    new.do(PurgeMemory("m1", blocks_reimport=True))
    new.do(FinishPurges(("m1",), new.state.revision))
    restore(new, image)
    digests = (purge_digest_of(first), purge_digest_of(second))
    assert new.state.part(MEMORIES).purges["m1"] == Purge("m1", NOW, digests, is_erased=True, revision=2)
    restore(new, image)
    assert new.state.part(MEMORIES).purges["m1"].digests == digests


@pytest.mark.parametrize("other", ["ann", "bob"])
def test_a_purge_touches_no_other_memory_of_the_same_content(other: str) -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("fox", other, memory_id="m2", allow_duplicates=True, skip_contradictions=True)
    before = agent.image()
    agent.do(PurgeMemory("m1", blocks_reimport=True))
    for image in (agent.image(), before):
        restore(agent, image)
        assert list(agent.state.part(MEMORIES).memories) == ["m2"]
    new = Agent()
    restore(new, agent.image())
    assert list(new.state.part(MEMORIES).memories) == ["m2"]


def test_a_copy_that_was_purged_after_the_image_stays_out_though_the_image_knows_a_purge_of_its_content() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("fox", memory_id="m2", allow_duplicates=True, skip_contradictions=True)
    agent.do(PurgeMemory("m1", blocks_reimport=True))
    image = agent.image()
    agent.do(PurgeMemory("m2", blocks_reimport=True))
    restore(agent, image)
    assert not agent.state.part(MEMORIES).memories


def test_a_copy_that_was_there_after_a_purge_of_its_content_comes_back() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("fox", memory_id="m2", allow_duplicates=True, skip_contradictions=True)
    agent.purge("m1", blocks_reimport=True)
    image = agent.image()
    agent.purge("m2")
    restore(agent, image)
    assert list(agent.state.part(MEMORIES).memories) == ["m2"]


def test_versions_are_those_of_the_image(agent: Agent) -> None:
    image = agent.image()
    agent.now += SECOND_NS
    agent.do(UpdateMemory("m1", MemoryPatch(content="wolf"), agent.policy))
    restore(agent, image)
    assert agent.state.part(MEMORIES).version_count == len(image["version"]) == 2
    assert {each.memory.content for each in agent.state.part(MEMORIES).versions["m1"]} == {"hen"}


def test_versions_that_are_over_go_with_the_next_sweep() -> None:
    agent = Agent(policy=MemoryPolicy(history_ns=SECOND_NS))
    agent.create("fox", memory_id="m1")
    agent.now += SECOND_NS
    agent.do(UpdateMemory("m1", MemoryPatch(content="hen"), agent.policy))
    image = agent.image()
    agent.now += SECOND_NS
    restore(agent, image)
    assert agent.state.next_deadline == agent.now
    agent.sweep()
    assert agent.state.part(MEMORIES).version_count == 0
