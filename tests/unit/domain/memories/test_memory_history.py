"""Earlier versions of memories."""

import pytest
from tests.unit.domain.sample import NOW, Agent, memory_draft

from memoryd_server.domain.error import HistoryCompacted
from memoryd_server.domain.lifecycle.agent_change import RestoreAgent
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories.changes.memory_change import MemoryPatch, ReinforceMemory, UpdateMemory
from memoryd_server.domain.memories.changes.memory_removal import ForgetMemory
from memoryd_server.domain.memories.memory import Memory, MemoryStatus
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLinkDraft
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy


def rewrite(agent: Agent, content: str, memory_id: str = "m1") -> None:
    """Change a memory's content a second later."""
    agent.now += SECOND_NS
    agent.do(UpdateMemory(memory_id, MemoryPatch(content=content), agent.policy))


def rewritten_agent(*contents: str, policy: MemoryPolicy | None = None) -> Agent:
    """Return an agent whose memory m1 had these contents, one per second."""
    agent = Agent(policy=policy)
    agent.create(contents[0], memory_id="m1")
    for content in contents[1:]:
        rewrite(agent, content)
    return agent


def was(agent: Agent, time: int, memory_id: str = "m1") -> Memory | None:
    return agent.state.part(MEMORIES).was(memory_id, time, agent.now)


def content_at(agent: Agent, time: int) -> str | None:
    memory = was(agent, time)
    return None if memory is None else memory.content


def test_a_memory_is_answered_as_it_was_at_any_time_since_it_began() -> None:
    agent = rewritten_agent("1", "2", "3")
    assert content_at(agent, NOW - 1) is None
    assert [content_at(agent, NOW + each) for each in (0, SECOND_NS - 1, SECOND_NS)] == ["1", "1", "2"]
    assert [content_at(agent, NOW + each * SECOND_NS) for each in (2, 9)] == ["3", "3"]
    assert was(agent, NOW, "unknown") is None


def test_all_memories_are_answered_as_they_were() -> None:
    agent = rewritten_agent("1", "2")
    agent.create("hen", memory_id="m2")
    memories = agent.state.part(MEMORIES)
    assert [each.content for each in memories.all_at(NOW, agent.now)] == ["1"]
    assert {each.content for each in memories.all_at(agent.now, agent.now)} == {"2", "hen"}
    assert memories.all_at(NOW - 1, agent.now) == []


def test_what_is_no_longer_known_is_refused_with_the_time_since_when_it_is() -> None:
    agent = rewritten_agent("1", "2", "3", policy=MemoryPolicy(versions_max=1))
    assert len(agent.state.part(MEMORIES).versions["m1"]) == 1
    for ask in (lambda: was(agent, NOW), lambda: agent.state.part(MEMORIES).all_at(NOW, agent.now)):
        with pytest.raises(HistoryCompacted) as refused:
            ask()
        assert refused.value.metadata == {"oldest_time": "2027-01-15T08:00:01.000000Z"}
        assert "2027-01-15T08:00:01.000000Z" in refused.value.message
    assert content_at(agent, NOW + SECOND_NS) == "2"


def test_all_are_known_since_the_last_of_the_times_of_those_that_are_not() -> None:
    agent = rewritten_agent("1", "2", policy=MemoryPolicy(versions_max=0))
    agent.create("1", "bob", memory_id="m2")
    known_until = agent.now
    rewrite(agent, "hen", "m2")
    rewrite(agent, "3", "m1")
    with pytest.raises(HistoryCompacted) as refused:
        agent.state.part(MEMORIES).all_at(known_until, agent.now)
    assert refused.value.metadata == {"oldest_time": "2027-01-15T08:00:03.000000Z"}


@pytest.mark.parametrize("policy", [MemoryPolicy(versions_max=0), MemoryPolicy(history_ns=0)])
def test_history_may_be_switched_off(policy: MemoryPolicy) -> None:
    agent = rewritten_agent("1", "2", policy=policy)
    assert agent.state.part(MEMORIES).version_count == 0
    with pytest.raises(HistoryCompacted):
        was(agent, NOW)


def test_versions_go_when_their_time_is_over() -> None:
    agent = rewritten_agent("1", "2", "3", policy=MemoryPolicy(history_ns=10 * SECOND_NS))
    assert agent.state.next_deadline == NOW + 11 * SECOND_NS
    agent.now = NOW + 11 * SECOND_NS
    agent.sweep()
    assert [each.memory.content for each in agent.state.part(MEMORIES).versions["m1"]] == ["2"]
    agent.now += SECOND_NS
    agent.sweep()
    assert agent.state.part(MEMORIES).version_count == 0
    assert agent.state.size_bytes == agent.memory("m1").size_bytes


def test_versions_count_against_the_storage_limit() -> None:
    agent = rewritten_agent("12345678", "1")
    assert agent.state.size_bytes == len("12345678") + len("1") + 2 * len("ann")


def test_what_was_changed_twice_at_once_has_one_version() -> None:
    agent = rewritten_agent("1")
    agent.now += SECOND_NS
    for content in ("2", "3"):
        agent.do(UpdateMemory("m1", MemoryPatch(content=content), agent.policy))
    assert [each.memory.content for each in agent.state.part(MEMORIES).versions["m1"]] == ["1"]
    assert content_at(agent, agent.now) == "3"


def test_what_is_reinforced_and_superseded_by_one_command_is_known_as_it_was() -> None:
    agent = rewritten_agent("1")
    agent.now += SECOND_NS
    newer = memory_draft("2", links=(MemoryLinkDraft("m1", LinkType.SUPERSEDES),))
    agent.create_all(memory_draft("1"), newer)
    assert agent.memory("m1").status is MemoryStatus.SUPERSEDED
    known = was(agent, NOW)
    assert known is not None
    assert (known.status, len(known.confidences)) == (MemoryStatus.ACTIVE, 1)


def test_a_forgotten_memory_is_known_as_it_was() -> None:
    agent = rewritten_agent("1")
    agent.now += SECOND_NS
    agent.do(ForgetMemory("m1", agent.policy))
    known = was(agent, NOW)
    assert known is not None
    assert not known.is_forgotten
    assert was(agent, agent.now) == agent.memory("m1")


def test_how_sure_a_memory_was_is_known_without_a_version() -> None:
    agent = rewritten_agent("1")
    for _ in range(2):
        agent.now += SECOND_NS
        agent.do(ReinforceMemory("m1", agent.policy, 1.0))
    assert agent.state.part(MEMORIES).version_count == 0
    sure = [was(agent, NOW + each * SECOND_NS) for each in range(3)]
    assert [(each.confidence, each.reinforce_time) for each in sure if each is not None] == [
        (0.5, None),
        (1.0, NOW + SECOND_NS),
        (1.0, NOW + 2 * SECOND_NS),
    ]


def test_a_memory_that_is_restored_elsewhere_keeps_its_history_in_the_order_of_time() -> None:
    image = rewritten_agent("1", "2", "3").image()
    agent = Agent(policy=MemoryPolicy(versions_max=3))
    agent.now = NOW + 2 * SECOND_NS
    agent.do(RestoreAgent(image, "snapshot"))
    for content in ("4", "5", "6"):
        rewrite(agent, content)
    assert [each.memory.content for each in agent.state.part(MEMORIES).versions["m1"]] == ["3", "4", "5"]
    assert [content_at(agent, NOW + each * SECOND_NS) for each in range(2, 6)] == ["3", "4", "5", "6"]
    with pytest.raises(HistoryCompacted):
        was(agent, NOW + SECOND_NS)
