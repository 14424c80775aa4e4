"""The sweep of memories: it removes expired ones and archives faded ones."""

from unittest.mock import patch

import pytest
from tests.unit.domain.sample import NOW, Agent, memory_access, reads

from memoryd_server.domain.lifecycle.agent_change import RecordsExpired
from memoryd_server.domain.limit import DAY_NS, SECOND_NS
from memoryd_server.domain.memories import memory_editor, memory_sweep
from memoryd_server.domain.memories.changes.memory_change import MemoryPatch, UpdateMemory
from memoryd_server.domain.memories.changes.memory_removal import ForgetMemory
from memoryd_server.domain.memories.memory import MemoryStatus
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.salience import SaliencePolicy

BRIEF = MemoryPolicy(SaliencePolicy(half_life_ns=SECOND_NS, archive_below=0.25))
"""A policy by which a memory that was never reinforced fades in a second."""
FADED = NOW + SECOND_NS + 1


def brief_agent() -> Agent:
    agent = Agent(policy=BRIEF)
    agent.create("fox", memory_id="m1")
    agent.take_events()
    return agent


def test_a_memory_is_over_at_its_deadline_and_not_before() -> None:
    agent = Agent()
    memory = agent.create("fox", memory_id="m1", expire_time=NOW + SECOND_NS)
    agent.take_events()
    memories = agent.state.part(MEMORIES)
    assert memories.find("m1", NOW + SECOND_NS - 1) == memory
    assert memories.find("m1", NOW + SECOND_NS) is None
    assert list(memories.live(NOW + SECOND_NS)) == []
    assert memories.was("m1", NOW, NOW + SECOND_NS) is None
    assert agent.state.next_deadline == NOW + SECOND_NS
    agent.now += SECOND_NS - 1
    assert agent.sweep() == RecordsExpired({}, 1)
    agent.now += 1
    assert agent.sweep() == RecordsExpired({"memories": 1}, 2)
    assert agent.take_memory_events() == [("MEMORY_PURGED", "EXPIRY", "m1")]
    assert (agent.state.record_count, agent.state.size_bytes, agent.state.next_deadline) == (0, 0, None)


def test_large_memories_are_archived_by_few_at_a_time() -> None:
    agent = Agent(policy=BRIEF)
    for number in range(3):
        agent.create(f"{number}" * 100, user_id="u")
    agent.create("over", expire_time=FADED - 1)
    agent.now = FADED
    with patch.object(memory_sweep, "DUE_MEMORY_BYTES_PER_SWEEP_MAX", 200):
        swept = [agent.sweep() for _ in range(3)]
    assert [(each.counts.get("memories", 0), each.counts.get("memories_archived", 0)) for each in swept] == [
        (1, 2),
        (0, 1),
        (0, 0),
    ]
    assert agent.state.next_deadline == FADED + agent.policy.history_ns


def test_what_has_faded_is_archived_once() -> None:
    agent = brief_agent()
    agent.now = FADED - 1
    assert agent.sweep().counts.get("memories_archived", 0) == 0
    agent.now = FADED
    assert agent.sweep() == RecordsExpired({"memories_archived": 1}, 2)
    memory = agent.memory("m1")
    assert (memory.status, memory.update_time, memory.revision) == (MemoryStatus.ARCHIVED, FADED, 2)
    assert agent.events[0].subject.memory == memory
    assert agent.take_memory_events() == [("MEMORY_ARCHIVED", "EXPIRY", "m1")]
    before = agent.state
    assert agent.sweep().counts.get("memories_archived", 0) == 0
    assert agent.state is before
    was = agent.state.part(MEMORIES).was("m1", NOW, agent.now)
    assert was is not None
    assert was.status is MemoryStatus.ACTIVE


@pytest.mark.parametrize(
    "touch",
    [
        lambda agent: agent.do(reads(memory_access("m1", 1, agent.now))),
        lambda agent: agent.link("m1", "m2", strength=1.0),
    ],
    ids=["recalled", "linked"],
)
def test_what_was_recalled_or_linked_since_stays_and_is_looked_at_later(touch: object) -> None:
    assert callable(touch)
    agent = brief_agent()
    agent.create("hen", memory_id="m2", importance=1.0)
    agent.now += SECOND_NS // 2
    touch(agent)
    assert agent.state.next_deadline == FADED
    agent.now = FADED
    agent.take_events()
    assert agent.sweep().counts.get("memories_archived", 0) == 0
    assert agent.take_memory_events() == []
    assert agent.state.next_deadline is not None
    assert agent.state.next_deadline > FADED
    agent.now += DAY_NS
    assert agent.sweep().counts["memories_archived"] == 2


def test_what_was_superseded_or_forgotten_does_not_fade() -> None:
    agent = brief_agent()
    agent.create("hen", memory_id="m2")
    agent.do(UpdateMemory("m1", MemoryPatch(status=MemoryStatus.SUPERSEDED), BRIEF))
    agent.do(ForgetMemory("m2", BRIEF))
    agent.now = FADED
    assert agent.sweep().counts.get("memories_archived", 0) == 0
    assert agent.memory("m1").status is MemoryStatus.SUPERSEDED


def test_what_is_over_and_has_faded_is_removed() -> None:
    agent = brief_agent()
    agent.do(UpdateMemory("m1", MemoryPatch(expire_time=FADED), BRIEF))
    agent.now = FADED
    assert agent.sweep() == RecordsExpired({"memories": 1}, 3)


@pytest.mark.parametrize("half_life_ns", [DAY_NS, 7 * DAY_NS, 30 * DAY_NS + 1, 365 * DAY_NS, 3_650 * DAY_NS])
@pytest.mark.parametrize("archive_below", [0.01, 0.05, 0.1, 0.3, 1 / 3])
def test_what_is_due_is_never_due_again_at_the_same_moment(half_life_ns: int, archive_below: float) -> None:
    policy = MemoryPolicy(SaliencePolicy(half_life_ns, archive_below=archive_below))
    agent = Agent(policy=policy)
    agent.create("fox", importance=0.3, memory_id="m1")
    assert agent.state.next_deadline is not None
    agent.now = agent.state.next_deadline
    assert agent.sweep().counts["memories_archived"] == 1
    assert agent.state.next_deadline is None or agent.state.next_deadline > agent.now


def test_a_sweep_looks_at_a_bounded_number_the_earliest_first() -> None:
    agent = Agent()
    for number in range(3):
        agent.create(f"fox {number}", expire_time=NOW + 3 - number)
    agent.now += 3
    with patch.object(memory_editor, "DUE_MEMORIES_PER_SWEEP_MAX", 2):
        assert agent.sweep().counts["memories"] == 2
        assert [each.content for each in agent.state.part(MEMORIES).memories.values()] == ["fox 0"]
        assert agent.state.next_deadline == NOW + 3
        assert agent.sweep().counts["memories"] == 1
