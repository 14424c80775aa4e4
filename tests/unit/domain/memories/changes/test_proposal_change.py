import pytest
from tests.unit.domain.sample import Agent, memory_draft

from memoryd_server.domain.error import QuotaExceeded, RecordExists, RecordNotFound
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.memories.changes.memory_creation import (
    CreateMemories,
    CreateMemoryOutcome,
    MemoriesCreated,
)
from memoryd_server.domain.memories.changes.memory_removal import PurgeMemory
from memoryd_server.domain.memories.changes.proposal_change import (
    AcceptProposals,
    MemoriesProposed,
    ProposedMemory,
    ProposeMemories,
    RejectProposals,
)
from memoryd_server.domain.memories.memory import MemoryDraft, MemoryType, Provenance
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.memory_proposal import MEMORY_PROPOSAL
from memoryd_server.domain.record_kind import RecordKind

POLICY = MemoryPolicy()


def propose(agent: Agent, *drafts: MemoryDraft) -> tuple[ProposedMemory, ...]:
    done = agent.do(ProposeMemories(drafts, "new"))
    assert isinstance(done, MemoriesProposed)
    return done.proposed


def accept(agent: Agent, *proposal_ids: str, **prepared: MemoryDraft) -> MemoriesCreated:
    done = agent.do(AcceptProposals(proposal_ids, prepared, "memory", POLICY))
    assert isinstance(done, MemoriesCreated)
    return done


def named(proposal_id: str, content: str = "", user_id: str = "ann") -> MemoryDraft:
    return memory_draft(content or f"content of {proposal_id}", user_id, memory_id=proposal_id)


def pending(agent: Agent) -> list[str]:
    return sorted(each.memory_proposal_id for each in agent.state.part(MEMORY_PROPOSAL))


def contents(agent: Agent) -> list[str]:
    return sorted(each.content for each in agent.state.part(MEMORIES).memories.values())


def test_a_proposal_is_no_memory_until_it_is_accepted() -> None:
    agent = Agent()
    draft = memory_draft("Ann likes tea", tags=("fact",), provenance=Provenance("c", "", "Ann likes tea.", 3, 3))
    assert propose(agent, draft) == (ProposedMemory("new000", created=True),)
    assert (contents(agent), pending(agent)) == ([], ["new000"])
    assert [(each.type, each.cause) for each in agent.events] == [
        (EventType.MEMORY_PROPOSAL_CREATED, EventCause.REQUEST)
    ]
    agent.events.clear()
    (created,) = accept(agent, "new000").created
    assert created.outcome is CreateMemoryOutcome.CREATED
    memory = agent.state.part(MEMORIES).memories[created.memory_id]
    assert (memory.content, memory.user_id, memory.tags) == ("Ann likes tea", "ann", ("fact",))
    assert memory.provenance == draft.provenance
    assert pending(agent) == []
    assert [(each.type, each.cause) for each in agent.events] == [
        (EventType.MEMORY_PROPOSAL_DELETED, EventCause.ACCEPTED),
        (EventType.MEMORY_CREATED, EventCause.REQUEST),
    ]


def test_the_queue_has_a_content_of_an_owner_once() -> None:
    agent = Agent()
    again = propose(agent, named("p", "x"), named("q", "x"), named("r", "x", "bob"), memory_draft("x", project_id="y"))
    assert [each.created for each in again] == [True, False, True, True]
    assert again[1].memory_proposal_id == "p"
    before = agent.state
    assert propose(agent, memory_draft("x")) == (ProposedMemory("p", created=False),)
    assert agent.state == before
    agent.do(RejectProposals(("p",)))
    assert propose(agent, memory_draft("x"))[0].created


def test_an_id_that_is_taken_is_refused() -> None:
    agent = Agent()
    propose(agent, named("p"))
    with pytest.raises(RecordExists) as refused:
        propose(agent, named("q"), named("p", "another"))
    assert refused.value.metadata["kind"] == "memory_proposal"
    assert pending(agent) == ["p"]


def test_the_number_of_proposals_is_limited() -> None:
    agent = Agent(Limits(memory_proposals_per_agent=2))
    propose(agent, named("p"), named("q"))
    with pytest.raises(QuotaExceeded) as refused:
        propose(agent, named("r"))
    assert refused.value.metadata["limit"] == "memory_proposals_per_agent"
    assert not propose(agent, named("r", "content of p"))[0].created
    accept(agent, "p")
    assert propose(agent, named("r"))[0].created


def test_a_blocked_content_is_not_proposed() -> None:
    agent = Agent()
    agent.do(CreateMemories((memory_draft("x", memory_id="m"),), "new", POLICY))
    agent.do(PurgeMemory("m", blocks_reimport=True))
    assert propose(agent, memory_draft("x")) == (ProposedMemory("", created=False),)
    assert pending(agent) == []


def test_a_duplicate_reinforces_and_leaves_the_queue() -> None:
    agent = Agent()
    agent.do(CreateMemories((memory_draft("x", memory_id="m"),), "new", POLICY))
    propose(agent, named("p", "x"))
    (created,) = accept(agent, "p").created
    assert (created.outcome, created.memory_id) == (CreateMemoryOutcome.REINFORCED, "m")
    assert (contents(agent), pending(agent)) == (["x"], [])


def test_what_the_engine_found_goes_into_the_memory() -> None:
    agent = Agent()
    agent.do(CreateMemories((memory_draft("Ann lives in Oslo", memory_id="m"),), "new", POLICY))
    propose(agent, named("p", "Ann lives in Rome"))
    found = memory_draft("Ann lives in Rome", contradicts=(("m", 0.9),))
    (created,) = accept(agent, "p", p=found).created
    assert created.contradicts == ("m",)


def test_all_are_accepted_or_none() -> None:
    agent = Agent()
    propose(agent, named("p"))
    before = agent.state
    with pytest.raises(RecordNotFound) as refused:
        accept(agent, "p", "q")
    assert (refused.value.metadata["kind"], refused.value.metadata["record_id"]) == ("memory_proposal", "q")
    assert agent.state == before


def test_a_full_storage_refuses_nothing_that_a_proposal_took() -> None:
    agent = Agent()
    propose(agent, named("p", "x" * 1_000))
    agent.limits = Limits(storage_bytes_per_agent=agent.state.size_bytes)
    accept(agent, "p")
    assert contents(agent) == ["x" * 1_000]


def test_a_working_memory_expires_as_one_that_was_created() -> None:
    agent = Agent()
    propose(agent, MemoryDraft("busy", "ann", MemoryType.WORKING, memory_id="p"))
    agent.now += 5
    (created,) = accept(agent, "p").created
    assert agent.state.part(MEMORIES).memories[created.memory_id].expire_time == agent.now + POLICY.working_ns


def test_rejecting_deletes_those_that_exist() -> None:
    agent = Agent()
    propose(agent, named("p"), named("q"))
    agent.events.clear()
    done = agent.do(RejectProposals(("p", "gone")))
    assert (done.count, pending(agent)) == (1, ["q"])  # type: ignore[attr-defined]
    (event,) = agent.events
    assert (event.type, event.cause) == (EventType.MEMORY_PROPOSAL_DELETED, EventCause.REQUEST)
    assert event.subject.content == ""  # type: ignore[attr-defined]
    before = agent.state
    assert agent.do(RejectProposals(("gone",))).revision == before.revision
    assert agent.state == before
    assert MEMORY_PROPOSAL.live_counts(agent.state.part(MEMORY_PROPOSAL), agent.now) == {RecordKind.MEMORY_PROPOSAL: 1}
