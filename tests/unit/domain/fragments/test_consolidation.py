"""Creation of memories from the fragments of a lease, as one change."""

import pytest
from tests.unit.domain.sample import Agent, memory_draft

from memoryd_server.domain.error import LeaseLost, QuotaExceeded, RecordExists
from memoryd_server.domain.fragments.fragment_change import DeleteFragment, FlushFragments
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.fragments.lease_change import ConsolidateFragments
from memoryd_server.domain.limit import SECOND_NS, Limits
from memoryd_server.domain.memories.changes.memory_creation import CreateMemories, CreateMemoryOutcome, MemoriesCreated
from memoryd_server.domain.memories.memory import MemoryDraft
from memoryd_server.domain.memories.memory_link import LinkType
from memoryd_server.domain.memories.memory_part import MEMORIES


@pytest.fixture
def agent() -> Agent:
    """Return an agent with three flushed fragments."""
    agent = Agent(Limits(memories_per_agent=2))
    for content in ("fox", "hen", "owl"):
        agent.store(content)
    agent.do(FlushFragments())
    agent.take_events()
    return agent


def consolidate(agent: Agent, token: str, fragment_ids: frozenset[str], *drafts: MemoryDraft) -> MemoriesCreated:
    creates = CreateMemories(drafts, agent.new_id(), agent.policy)
    return agent.do(ConsolidateFragments(token, fragment_ids, creates))


def token_of(agent: Agent) -> str:
    lease = agent.lease()
    assert lease is not None
    return lease.token


def test_memories_are_made_of_fragments_and_these_removed_by_one_revision(agent: Agent) -> None:
    token = token_of(agent)
    revision = agent.state.revision
    chosen = frozenset({"mem_00000001", "mem_00000002"})
    made = consolidate(agent, token, chosen, memory_draft("The fox and the hen", memory_id="m1"))
    assert ([each.outcome for each in made.created], made.revision) == ([CreateMemoryOutcome.CREATED], revision + 1)
    assert agent.contents() == ["owl"]
    assert agent.memory("m1").content == "The fox and the hen"
    assert [(event.type.name, event.cause.name) for event in agent.events] == [
        ("FRAGMENT_DELETED", "CONSOLIDATION"),
        ("FRAGMENT_DELETED", "CONSOLIDATION"),
        ("MEMORY_CREATED", "CONSOLIDATION"),
    ]
    assert agent.state.part(FRAGMENTS).leases[token].sequences == (2,)


def test_all_fragments_of_a_lease_are_meant_when_none_is_named(agent: Agent) -> None:
    token = token_of(agent)
    consolidate(agent, token, frozenset(), memory_draft("fox"))
    assert agent.contents() == []
    with pytest.raises(LeaseLost):
        consolidate(agent, token, frozenset(), memory_draft("hen"))
    assert len(agent.state.part(MEMORIES)) == 1


def test_a_fragment_that_duplicates_a_memory_reinforces_it(agent: Agent) -> None:
    agent.create("fox", memory_id="m1")
    made = consolidate(agent, token_of(agent), frozenset(), memory_draft("fox"))
    assert made.created[0].outcome is CreateMemoryOutcome.REINFORCED
    assert agent.memory("m1").reinforce_count == 1
    assert agent.contents() == []


@pytest.mark.parametrize(
    ("first", "second", "confidences"),
    [
        (None, None, [0.5, 0.6]),
        (0.9, None, [0.9, 0.92]),
        (None, 0.9, [0.5, 0.9]),
        (0.9, 0.5, [0.9, 0.91]),
        (0.9, 0.0, [0.9, 0.9]),
        (0.0, 1.0, [0.0, 1.0]),
    ],
)
def test_a_memory_has_the_confidence_of_its_fragment_and_each_duplicate_raises_it(
    agent: Agent, first: float | None, second: float | None, confidences: list[float]
) -> None:
    drafts = [memory_draft("fox", memory_id="m1", confidence=first), memory_draft("fox", confidence=second)]
    consolidate(agent, token_of(agent), frozenset(), *drafts)
    assert [each.value for each in agent.memory("m1").confidences] == pytest.approx(confidences)


def test_what_derives_from_a_duplicate_is_linked_with_the_memory_that_it_confirms(agent: Agent) -> None:
    agent.create("fox", memory_id="m1")
    copies = [memory_draft("fox", memory_id="m2"), memory_draft("fox", memory_id="m3")]
    consolidate(
        agent,
        token_of(agent),
        frozenset(),
        *copies,
        memory_draft("hen", memory_id="m4", derives_from=("m2", "m3", "x")),
    )
    links = agent.state.part(MEMORIES).links_of("m4")
    assert [(link.from_id, link.to_id, link.type) for link in links] == [("m4", "m1", LinkType.DERIVED_FROM)]
    assert [event.type.name for event in agent.events].count("MEMORIES_LINKED") == 1


def test_the_lease_counts_as_lost_when_a_fragment_that_is_named_was_deleted(agent: Agent) -> None:
    token = token_of(agent)
    agent.do(DeleteFragment("mem_00000001"))
    before = agent.state
    with pytest.raises(LeaseLost):
        consolidate(agent, token, frozenset({"mem_00000001", "mem_00000002"}), memory_draft("fox and hen"))
    assert agent.state is before
    consolidate(agent, token, frozenset({"mem_00000002"}), memory_draft("hen"))
    assert agent.contents() == ["owl"]


@pytest.mark.parametrize("consolidates", [True, False])
def test_what_is_flushed_is_due_at_once_where_the_daemon_consolidates(consolidates: bool) -> None:
    agent = Agent()
    agent.store()
    end = agent.state.next_deadline
    agent.do(FlushFragments(consolidates))
    assert agent.state.next_deadline == (agent.now if consolidates else end)


def test_a_lease_that_ran_out_is_lost(agent: Agent) -> None:
    token = token_of(agent)
    agent.now += 30 * SECOND_NS
    with pytest.raises(LeaseLost):
        consolidate(agent, token, frozenset(), memory_draft("fox"))
    assert not agent.state.part(MEMORIES)


@pytest.mark.parametrize(
    ("creates", "error"),
    [
        (CreateMemories(tuple(map(memory_draft, "abc")), "id", Agent().policy), QuotaExceeded),
        (CreateMemories((memory_draft("hen", memory_id="m1"),), "id", Agent().policy), RecordExists),
    ],
)
def test_either_both_happen_or_neither(agent: Agent, creates: CreateMemories, error: type[Exception]) -> None:
    agent.create("fox", memory_id="m1")
    token = token_of(agent)
    before = agent.state
    requested = ConsolidateFragments(token, frozenset(), creates)
    with pytest.raises(error):
        agent.do(requested)
    assert agent.state is before
    assert len(agent.contents()) == 3
