from unittest.mock import patch

import pytest
from tests.unit.domain.sample import Agent, at, memory_draft

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.error import InvalidField, QuotaExceeded, RecordExists, RecordNotFound, RevisionMismatch
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories.changes import kin_link, link_change
from memoryd_server.domain.memories.changes.link_change import (
    LinkMemories,
    MemoriesLinked,
    MemoriesUnlinked,
    UnlinkMemories,
)
from memoryd_server.domain.memories.changes.memory_change import MemoryPatch, RestoreMemory, UpdateMemory
from memoryd_server.domain.memories.changes.memory_removal import ForgetMemory
from memoryd_server.domain.memories.memory import MemoryStatus
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLink, MemoryLinkDraft
from memoryd_server.domain.memories.memory_part import MEMORIES

SUPERSEDES = LinkType.SUPERSEDES


@pytest.fixture
def agent() -> Agent:
    """Return an agent with the memories m1, m2 and m3."""
    agent = Agent()
    agent.create_all(*(memory_draft(f"fox {each}", memory_id=each) for each in ("m1", "m2", "m3")))
    agent.take_events()
    return agent


def unlink(agent: Agent, from_id: str, to_id: str, link_type: LinkType | None = None) -> MemoriesUnlinked:
    return agent.do(UnlinkMemories(from_id, to_id, agent.policy, link_type))


def test_a_link_is_known_at_both_of_its_ends(agent: Agent) -> None:
    link = MemoryLink("m1", "m2", LinkType.DERIVED_FROM, 0.75, agent.now, agent.now, 2)
    assert agent.link("m1", "m2", LinkType.DERIVED_FROM, 0.75) == MemoriesLinked(link, True, True, 2)
    memories = agent.state.part(MEMORIES)
    assert memories.links_of("m1") == memories.links_of("m2") == [link]
    assert memories.links_of("m3") == []
    assert (memories.link_strength("m2"), memories.link_count) == (0.75, 1)
    assert (link.other_end("m1"), link.other_end("m2")) == ("m2", "m1")
    assert agent.events[-1].subject.link == link
    assert agent.take_memory_events() == [("MEMORIES_LINKED", "REQUEST", "m1")]


def test_two_memories_have_one_link_of_each_type_and_direction(agent: Agent) -> None:
    for ends in (("m1", "m2"), ("m2", "m1")):
        for link_type in (LinkType.RELATED, LinkType.REINFORCES):
            assert agent.link(*ends, link_type).created
    assert len(agent.state.part(MEMORIES).links_of("m1")) == agent.state.part(MEMORIES).link_count == 4


def test_a_link_that_is_made_again_has_the_new_strength_and_its_first_time(agent: Agent) -> None:
    agent.link("m1", "m2", strength=0.25)
    made = agent.now
    agent.now += SECOND_NS
    link = MemoryLink("m1", "m2", LinkType.RELATED, 1.0, made, agent.now, 3)
    assert agent.link("m1", "m2", strength=1.0) == MemoriesLinked(link, False, True, 3)
    assert agent.state.part(MEMORIES).links_of("m2") == [link]
    assert agent.state.part(MEMORIES).link_count == 1


def test_the_same_link_again_changes_nothing(agent: Agent) -> None:
    link = agent.link("m1", "m2").link
    before = agent.state
    agent.now += SECOND_NS
    assert agent.link("m1", "m2") == MemoriesLinked(link, False, False, 2)
    assert agent.state is before


@pytest.mark.parametrize(("from_id", "to_id"), [("m1", "unknown"), ("unknown", "m1"), ("m1", "m3"), ("m3", "m1")])
def test_both_ends_of_a_link_must_be_there_and_not_forgotten(agent: Agent, from_id: str, to_id: str) -> None:
    agent.do(ForgetMemory("m3", agent.policy))
    with pytest.raises(RecordNotFound):
        agent.link(from_id, to_id)


def test_no_memory_is_linked_with_itself(agent: Agent) -> None:
    with pytest.raises(InvalidField, match="another"):
        agent.link("m1", "m1", SUPERSEDES)
    with pytest.raises(InvalidField, match="another"):
        agent.create("hen", memory_id="m4", links=(MemoryLinkDraft("m4", LinkType.RELATED),))
    agent.create("hen", memory_id="m4", relates_to=(("m4", 0.5),))
    assert agent.state.part(MEMORIES).link_count == 0


@pytest.mark.parametrize("owner", [{"user_id": "bob"}, {"project_id": "p"}], ids=("user", "project"))
def test_memories_of_two_owners_are_not_linked(agent: Agent, owner: dict[str, str]) -> None:
    agent.create("fox 4", memory_id="m4", **owner)
    for ends in (("m1", "m4"), ("m4", "m1")):
        with pytest.raises(InvalidField, match="same user and project") as refused:
            agent.link(*ends, SUPERSEDES)
        assert refused.value.field == "to_memory_id"
    with pytest.raises(InvalidField, match="same user and project"):
        agent.create("fox 5", links=(MemoryLinkDraft("m4", LinkType.RELATED),))
    assert agent.state.part(MEMORIES).link_count == 0


def test_a_link_is_refused_when_either_end_has_too_many(agent: Agent) -> None:
    with patch.object(link_change, "LINKS_PER_MEMORY_MAX", 1):
        agent.link("m1", "m2")
        for ends in (("m1", "m3"), ("m3", "m1"), ("m2", "m3"), ("m3", "m2")):
            with pytest.raises(QuotaExceeded) as refused:
                agent.link(*ends)
            assert refused.value.metadata == {"limit": "links_per_memory", "value": "1"}
        assert not agent.link("m1", "m2", strength=1.0).created


def test_links_by_kinship_are_left_out_when_either_end_has_too_many(agent: Agent) -> None:
    with patch.object(kin_link, "LINKS_PER_MEMORY_MAX", 1):
        agent.link("m1", "m2")
        kin = (("m1", 0.5), ("m3", 0.5), ("m2", 0.5))
        (created,) = agent.create_all(memory_draft("hen", memory_id="m4", relates_to=kin))
        assert created.relates_to == ("m3",)
        (created,) = agent.create_all(
            memory_draft(
                "owl", memory_id="m5", links=(MemoryLinkDraft("m2", LinkType.RELATED),), relates_to=(("m4", 0.5),)
            )
        )
        assert created.relates_to == ()


def test_linking_and_unlinking_need_the_agent_at_the_expected_revision(agent: Agent) -> None:
    link = MemoryLinkDraft("m2", LinkType.RELATED)
    with pytest.raises(RevisionMismatch):
        agent.do(LinkMemories("m1", link, agent.policy), precondition=at(2))
    agent.do(LinkMemories("m1", link, agent.policy), precondition=at(1))
    with pytest.raises(RevisionMismatch):
        agent.do(UnlinkMemories("m1", "m2", agent.policy), precondition=at(1))
    assert agent.do(UnlinkMemories("m1", "m2", agent.policy), precondition=at(2)).count == 1


def test_a_link_is_changed_and_deleted_at_the_expected_revision_alone(agent: Agent) -> None:
    link = MemoryLinkDraft("m2", LinkType.RELATED)
    for condition, refusal in ((at(7), RevisionMismatch), (Precondition(must_exist=True), RecordNotFound)):
        with pytest.raises(refusal):
            agent.do(LinkMemories("m1", link, agent.policy, condition))
        with pytest.raises(refusal):
            agent.do(UnlinkMemories("m1", "m2", agent.policy, LinkType.RELATED, condition))
    absent = Precondition(must_not_exist=True)
    assert agent.do(UnlinkMemories("m1", "m2", agent.policy, LinkType.RELATED, absent)).count == 0
    assert agent.do(LinkMemories("m1", link, agent.policy, absent)).created
    with pytest.raises(RecordExists) as refused:
        agent.do(LinkMemories("m1", link, agent.policy, absent))
    ends = {"from_memory_id": "m1", "to_memory_id": "m2", "type": "related"}
    assert refused.value.metadata == {"kind": "memory_link", "record_id": "m1/m2/related", "revision": "2", **ends}
    with pytest.raises(RevisionMismatch):
        agent.do(UnlinkMemories("m1", "m2", agent.policy, LinkType.RELATED, at(1)))
    assert agent.do(UnlinkMemories("m1", "m2", agent.policy, LinkType.RELATED, at(2))).count == 1


def test_a_superseded_memory_is_marked_with_an_event(agent: Agent) -> None:
    agent.link("m1", "m2", SUPERSEDES)
    assert agent.memory("m2").status is MemoryStatus.SUPERSEDED
    assert agent.memory("m1").status is MemoryStatus.ACTIVE
    assert agent.take_memory_events() == [("MEMORIES_LINKED", "REQUEST", "m1"), ("MEMORY_UPDATED", "SUPERSEDED", "m2")]


def test_what_was_superseded_is_known_as_it_was(agent: Agent) -> None:
    before, agent.now = agent.now, agent.now + SECOND_NS
    agent.link("m1", "m2", SUPERSEDES)
    was = agent.state.part(MEMORIES).was("m2", before, agent.now)
    assert was is not None
    assert was.status is MemoryStatus.ACTIVE


def test_what_two_supersede_is_active_again_when_neither_does(agent: Agent) -> None:
    agent.link("m1", "m3", SUPERSEDES)
    agent.link("m2", "m3", SUPERSEDES)
    agent.take_events()
    agent.now += SECOND_NS
    assert unlink(agent, "m1", "m3") == MemoriesUnlinked(1, 4)
    assert agent.memory("m3").status is MemoryStatus.SUPERSEDED
    assert unlink(agent, "m2", "m3", SUPERSEDES) == MemoriesUnlinked(1, 5)
    assert (agent.memory("m3").status, agent.memory("m3").last_access_time) == (MemoryStatus.ACTIVE, agent.now)
    assert agent.take_memory_events() == [
        ("MEMORIES_UNLINKED", "REQUEST", "m1"),
        ("MEMORIES_UNLINKED", "REQUEST", "m2"),
        ("MEMORY_UPDATED", "SUPERSEDED", "m3"),
    ]


def test_what_was_made_active_by_hand_stays_so_when_it_is_unlinked(agent: Agent) -> None:
    agent.link("m1", "m2", SUPERSEDES)
    agent.do(UpdateMemory("m2", MemoryPatch(status=MemoryStatus.ARCHIVED), agent.policy))
    assert unlink(agent, "m1", "m2") == MemoriesUnlinked(1, 4)
    assert agent.memory("m2").status is MemoryStatus.ARCHIVED


def test_a_forgotten_memory_that_is_unlinked_is_active_once_it_is_restored(agent: Agent) -> None:
    agent.link("m1", "m2", SUPERSEDES)
    agent.do(ForgetMemory("m2", agent.policy))
    unlink(agent, "m1", "m2")
    agent.do(RestoreMemory("m2", agent.policy))
    assert agent.memory("m2").status is MemoryStatus.ACTIVE


def test_unlinking_removes_the_links_of_one_direction_of_one_type_or_all(agent: Agent) -> None:
    agent.link("m1", "m2")
    agent.link("m1", "m2", LinkType.REINFORCES)
    agent.link("m2", "m1")
    agent.link("m1", "m3")
    assert unlink(agent, "m1", "m2", LinkType.CONTRADICTS) == MemoriesUnlinked(0, 5)
    assert unlink(agent, "m1", "m2", LinkType.RELATED).count == 1
    agent.link("m1", "m2")
    assert unlink(agent, "m1", "m2") == MemoriesUnlinked(2, 8)
    assert {link.key for link in agent.state.part(MEMORIES).links_of("m1")} == {"m2/m1/1", "m1/m3/1"}
    assert unlink(agent, "m1", "unknown").count == 0
    assert unlink(agent, "m2", "m1").count == unlink(agent, "m1", "m3").count == 1
    assert not agent.state.part(MEMORIES).links
