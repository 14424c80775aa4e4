from collections.abc import Callable
from itertools import pairwise
from unittest.mock import patch

import msgspec
import pytest
from tests.unit.domain.sample import Agent, memory_draft
from tests.unit.record_filters import of_memories

from memoryd_server.domain.agent.commit import CommitWrites
from memoryd_server.domain.error import DataDamaged, InvalidField, QuotaExceeded, TooLarge
from memoryd_server.domain.lifecycle.agent_change import RestoreAgent
from memoryd_server.domain.lifecycle.record import image_of
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories import memory_sweep, superseding
from memoryd_server.domain.memories.changes import memory_removal
from memoryd_server.domain.memories.changes.link_change import LinkMemories
from memoryd_server.domain.memories.changes.memory_change import MemoryPatch, UpdateMemory
from memoryd_server.domain.memories.changes.memory_removal import ForgetMemories
from memoryd_server.domain.memories.memory import MemoryStatus
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLink, MemoryLinkDraft
from memoryd_server.domain.memories.memory_part import MEMORIES

SUPERSEDES = LinkType.SUPERSEDES
ACTIVE, _, SUPERSEDED = MemoryStatus
ALL = of_memories()

End = Callable[[Agent, str], object]


@pytest.fixture
def agent() -> Agent:
    """Return an agent with three versions of a fact, each superseding the one before: alpha, beta and gamma."""
    return chain("alpha", "beta", "gamma")


def chain(*memory_ids: str, **fields: object) -> Agent:
    agent = Agent()
    agent.create_all(*(memory_draft(f"fox {each}", memory_id=each, **fields) for each in memory_ids))
    for older, newer in pairwise(memory_ids):
        agent.link(newer, older, SUPERSEDES)
    agent.take_events()
    return agent


def statuses(agent: Agent) -> dict[str, MemoryStatus]:
    return {memory_id: each.status for memory_id, each in agent.state.part(MEMORIES).memories.items()}


def expire(agent: Agent, memory_id: str) -> None:
    agent.update(memory_id, expire_time=agent.now + SECOND_NS)
    agent.take_events()
    agent.now += SECOND_NS
    agent.sweep()


ENDS: dict[str, End] = {"forget": Agent.forget, "purge": Agent.purge, "expiry": expire}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_what_the_last_superseding_memory_replaced_is_active_when_that_is_gone(agent: Agent, end: End) -> None:
    end(agent, "gamma")
    assert agent.take_memory_events()[1:] == [("MEMORY_UPDATED", "SUPERSEDED", "beta")]
    assert (agent.memory("alpha").status, agent.memory("beta").status) == (SUPERSEDED, ACTIVE)
    assert agent.memory("beta").last_access_time == agent.now
    end(agent, "beta")
    assert agent.memory("alpha").status is ACTIVE


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_successor_takes_over_what_was_superseded_by_a_memory_that_is_gone(agent: Agent, end: End) -> None:
    end(agent, "beta")
    assert agent.take_memory_events()[1:] == [("MEMORIES_LINKED", "SUPERSEDED", "gamma")]
    assert (agent.memory("alpha").status, agent.memory("gamma").status) == (SUPERSEDED, ACTIVE)
    end(agent, "gamma")
    assert agent.memory("alpha").status is ACTIVE


def test_the_newest_successor_takes_over_and_one_that_is_forgotten_only_if_there_is_no_other() -> None:
    agent = chain("alpha", "beta")
    agent.create_all(*(memory_draft(f"hen {each}", memory_id=each) for each in ("gamma", "delta", "omega")))
    for newer in ("gamma", "delta", "omega"):
        agent.link(newer, "beta", SUPERSEDES)
    agent.forget("omega")
    agent.purge("beta")
    links = agent.state.part(MEMORIES).links_of("alpha")
    assert [(link.from_id, link.type) for link in links] == [("delta", SUPERSEDES)]


def test_a_successor_that_is_forgotten_supersedes_again_what_it_took_over(agent: Agent) -> None:
    agent.forget("gamma")
    agent.purge("beta")
    assert agent.memory("alpha").status is ACTIVE
    agent.restore("gamma")
    assert agent.memory("alpha").status is SUPERSEDED


def test_a_successor_without_room_for_a_link_takes_nothing_over(agent: Agent) -> None:
    with patch.object(superseding, "LINKS_PER_MEMORY_MAX", 0):
        agent.purge("beta")
    assert agent.memory("alpha").status is ACTIVE


def test_a_successor_that_already_supersedes_a_memory_is_not_linked_twice(agent: Agent) -> None:
    agent.forget("gamma")
    agent.do(LinkMemories("beta", MemoryLinkDraft("alpha", SUPERSEDES, 1.0), agent.policy))
    agent.restore("gamma")
    agent.link("gamma", "alpha", SUPERSEDES)
    agent.forget("gamma")
    agent.purge("beta")
    assert statuses(agent)["alpha"] is ACTIVE
    assert agent.state.part(MEMORIES).link_count == 1


def test_what_another_memory_supersedes_too_stays_superseded() -> None:
    agent = chain("alpha", "beta")
    agent.create("fox gamma", memory_id="gamma")
    agent.link("gamma", "alpha", SUPERSEDES)
    agent.take_events()
    agent.forget("beta")
    assert agent.memory("alpha").status is SUPERSEDED
    assert agent.take_memory_events() == [("MEMORY_FORGOTTEN", "REQUEST", "beta")]
    agent.forget("gamma")
    assert agent.memory("alpha").status is ACTIVE


def test_a_restored_memory_supersedes_again(agent: Agent) -> None:
    agent.forget("gamma")
    agent.take_events()
    agent.restore("gamma")
    assert statuses(agent) == {"alpha": SUPERSEDED, "beta": SUPERSEDED, "gamma": ACTIVE}
    assert agent.take_memory_events() == [
        ("MEMORY_RESTORED", "REQUEST", "gamma"),
        ("MEMORY_UPDATED", "SUPERSEDED", "beta"),
    ]


def test_what_is_forgotten_stays_as_it_is_and_is_superseded_as_it_should_be_once_restored(agent: Agent) -> None:
    agent.forget("beta")
    agent.take_events()
    agent.forget("gamma")
    assert agent.take_memory_events() == [
        ("MEMORY_FORGOTTEN", "REQUEST", "gamma"),
        ("MEMORY_UPDATED", "SUPERSEDED", "alpha"),
    ]
    agent.restore("beta")
    assert statuses(agent) == {"alpha": SUPERSEDED, "beta": ACTIVE, "gamma": ACTIVE}


@pytest.mark.parametrize("end", [Agent.forget, Agent.purge])
def test_a_forgotten_memory_is_active_when_it_is_restored_and_what_superseded_it_is_gone(
    agent: Agent, end: End
) -> None:
    agent.forget("beta")
    end(agent, "gamma")
    agent.take_events()
    agent.restore("beta")
    assert agent.take_memory_events() == [
        ("MEMORY_RESTORED", "REQUEST", "beta"),
        ("MEMORY_UPDATED", "SUPERSEDED", "alpha"),
    ]
    assert agent.memory("beta").status is ACTIVE


def test_a_memory_that_was_active_when_it_was_forgotten_is_superseded_when_it_is_restored(agent: Agent) -> None:
    agent.forget("gamma")
    agent.forget("beta")
    agent.restore("gamma")
    agent.restore("beta")
    assert statuses(agent) == {"alpha": SUPERSEDED, "beta": SUPERSEDED, "gamma": ACTIVE}


def test_a_restored_memory_is_taken_over_by_what_supersedes_its_forgotten_successor(agent: Agent) -> None:
    agent.forget("alpha")
    agent.forget("beta")
    agent.take_events()
    agent.restore("alpha")
    assert agent.take_memory_events() == [
        ("MEMORY_RESTORED", "REQUEST", "alpha"),
        ("MEMORIES_LINKED", "SUPERSEDED", "gamma"),
    ]
    assert statuses(agent)["alpha"] is SUPERSEDED
    agent.forget("gamma")
    assert statuses(agent)["alpha"] is ACTIVE


def test_a_restored_memory_is_active_if_what_could_take_it_over_has_no_room(agent: Agent) -> None:
    agent.forget("alpha")
    agent.forget("beta")
    with patch.object(superseding, "LINKS_PER_MEMORY_MAX", 0):
        agent.restore("alpha")
    assert statuses(agent)["alpha"] is ACTIVE


def test_a_restored_memory_that_was_superseded_by_hand_stays_so(agent: Agent) -> None:
    agent.do(UpdateMemory("gamma", MemoryPatch(status=SUPERSEDED), agent.policy))
    agent.forget("gamma")
    agent.restore("gamma")
    assert statuses(agent)["gamma"] is SUPERSEDED


def test_memories_of_a_chain_that_are_forgotten_together_leave_their_successor_few_links() -> None:
    agent = chain(*(f"m{number}" for number in range(20)))
    agent.do(ForgetMemories(tuple(f"m{number}" for number in range(10)), agent.policy))
    assert agent.state.part(MEMORIES).link_count_of("m10") == 2
    for number in range(10):
        agent.restore(f"m{number}")
    assert {each for memory_id, each in statuses(agent).items() if memory_id != "m19"} == {SUPERSEDED}


def test_memories_that_supersede_too_many_are_not_forgotten_together() -> None:
    agent = Agent()
    agent.create_all(*(memory_draft(f"fox {number}", memory_id=f"m{number}") for number in range(6)))
    for newer, older in ((0, 3), (0, 4), (1, 5)):
        agent.link(f"m{newer}", f"m{older}", SUPERSEDES)
    with patch.object(memory_removal, "EVENTS_PER_COMMIT_MAX", 3), pytest.raises(TooLarge, match="events_per_commit"):
        agent.do(ForgetMemories(("m0", "m1", "m2"), agent.policy))
    with patch.object(memory_removal, "MEMORIES_PER_BATCH_MAX", 3):
        forgotten = agent.do(ForgetMemories(("m0", "m1", "m2"), agent.policy, ALL, 7))
    assert ([each.memory_id for each in forgotten.forgotten], forgotten.remaining) == (["m0"], 9)
    assert statuses(agent)["m4"] is ACTIVE
    assert statuses(agent)["m5"] is SUPERSEDED


def test_a_sweep_leaves_further_memories_to_the_next_after_many_changes(agent: Agent) -> None:
    for memory_id in ("gamma", "beta"):
        agent.update(memory_id, expire_time=agent.now + SECOND_NS)
    agent.now += SECOND_NS
    for left in (2, 1):
        with patch.object(memory_sweep, "DUE_MEMORY_CHANGES_PER_SWEEP_MAX", 1):
            agent.sweep()
        assert len(statuses(agent)) == left
    assert statuses(agent) == {"alpha": ACTIVE}


def test_what_was_made_active_by_hand_stays_so(agent: Agent) -> None:
    agent.do(UpdateMemory("alpha", MemoryPatch(status=ACTIVE), agent.policy))
    agent.take_events()
    agent.purge("beta")
    assert agent.take_memory_events() == [("MEMORY_PURGED", "REQUEST", "beta")]


def test_memories_that_expire_together_bring_none_back() -> None:
    agent = chain("alpha", "beta", "gamma", expire_time=Agent().now + SECOND_NS)
    agent.now += SECOND_NS
    agent.sweep()
    assert [each[0] for each in agent.take_memory_events()] == ["MEMORY_PURGED"] * 3


def test_an_expired_memory_is_not_superseded_again(agent: Agent) -> None:
    agent.forget("gamma")
    agent.update("beta", expire_time=agent.now + SECOND_NS)
    agent.now += SECOND_NS
    agent.take_events()
    agent.restore("gamma")
    assert agent.take_memory_events() == [("MEMORY_RESTORED", "REQUEST", "gamma")]


def test_a_draft_that_replaces_an_expired_memory_releases_what_that_superseded() -> None:
    agent = chain("alpha", "beta", expire_time=None)
    agent.update("beta", expire_time=agent.now + SECOND_NS)
    agent.now += SECOND_NS
    agent.create("owl", memory_id="beta")
    assert statuses(agent) == {"alpha": ACTIVE, "beta": ACTIVE}


@pytest.mark.parametrize("ends", [("alpha", "beta"), ("alpha", "gamma")])
def test_a_link_by_which_memories_would_supersede_themselves_is_refused(agent: Agent, ends: tuple[str, str]) -> None:
    before = agent.state
    with pytest.raises(InvalidField, match="to_memory_id: must not be a memory that supersedes this one"):
        agent.link(*ends, SUPERSEDES)
    agent.link(*ends, LinkType.RELATED)
    links = tuple(LinkMemories(ends[0], MemoryLinkDraft(ends[1], each), agent.policy) for each in LinkType)
    with pytest.raises(InvalidField):
        agent.do(CommitWrites(links))
    assert statuses(agent)["gamma"] is ACTIVE
    assert before.part(MEMORIES).link_count + 1 == agent.state.part(MEMORIES).link_count


def test_a_circle_is_refused_while_one_of_its_memories_is_forgotten(agent: Agent) -> None:
    agent.forget("beta")
    with pytest.raises(InvalidField):
        agent.link("alpha", "gamma", SUPERSEDES)


def test_drafts_of_one_batch_close_no_circle() -> None:
    agent = Agent()
    links = (MemoryLinkDraft("m1", SUPERSEDES),)
    agent.create_all(memory_draft("fox", memory_id="m1"), memory_draft("hen", memory_id="m2", links=links))
    with pytest.raises(InvalidField):
        agent.link("m1", "m2", SUPERSEDES)
    both = (*links, MemoryLinkDraft("m2", SUPERSEDES))
    agent.create_all(memory_draft("owl", memory_id="m3", links=both))
    assert statuses(agent) == {"m1": SUPERSEDED, "m2": SUPERSEDED, "m3": ACTIVE}


def test_two_ways_to_the_same_memory_are_no_circle() -> None:
    agent = chain("alpha", "beta")
    agent.create("fox gamma", memory_id="gamma")
    agent.link("gamma", "alpha", SUPERSEDES)
    assert agent.link("gamma", "beta", SUPERSEDES).created
    agent.create_all(*(memory_draft(f"hen {number}", memory_id=f"m{number}") for number in range(5)))
    for number in range(4):
        agent.link(f"m{number + 1}", f"m{number}", SUPERSEDES)
    assert agent.link("m0", "gamma", SUPERSEDES).created


def test_a_chain_grows_at_its_end_however_long_it_is() -> None:
    with patch.object(superseding, "SUPERSEDING_LINKS_MAX", 2):
        agent = chain(*(f"m{number}" for number in range(20)))
    assert sum(each is SUPERSEDED for each in statuses(agent).values()) == 19


def test_two_chains_too_long_to_be_followed_are_not_joined() -> None:
    agent = chain("a1", "a2", "a3", "a4")
    agent.create_all(*(memory_draft(f"hen {each}", memory_id=each) for each in ("b1", "b2", "b3", "b4")))
    for older, newer in (("b1", "b2"), ("b2", "b3"), ("b3", "b4")):
        agent.link(newer, older, SUPERSEDES)
    with patch.object(superseding, "SUPERSEDING_LINKS_MAX", 2), pytest.raises(QuotaExceeded, match="superseding_links"):
        agent.link("a1", "b4", SUPERSEDES)
    assert agent.link("a1", "b4", SUPERSEDES).created


def test_a_snapshot_with_memories_that_supersede_themselves_is_refused(agent: Agent) -> None:
    records = [each for values in agent.image().values() for each in values]
    circle = MemoryLink("alpha", "gamma", SUPERSEDES, 0.5, agent.now, agent.now, 1)
    assert image_of("a", records)
    assert image_of("a", [*records, MemoryLink("alpha", "gamma", LinkType.RELATED, 0.5, agent.now, agent.now, 1)])
    with pytest.raises(DataDamaged, match="supersede themselves"):
        image_of("a", [*records, circle])


def test_what_an_expired_memory_of_a_snapshot_superseded_is_active_once_restored(agent: Agent) -> None:
    agent.update("gamma", expire_time=agent.now + SECOND_NS)
    image = agent.image()
    agent.now += SECOND_NS
    agent.do(RestoreAgent(image, "s"))
    assert statuses(agent) == {"alpha": SUPERSEDED, "beta": ACTIVE}
    assert agent.memory("beta").last_access_time == agent.now


def test_what_an_expired_memory_of_a_snapshot_superseded_is_taken_over_by_its_successor(agent: Agent) -> None:
    agent.update("beta", expire_time=agent.now + SECOND_NS)
    image = agent.image()
    agent.now += SECOND_NS
    agent.do(RestoreAgent(image, "s"))
    assert statuses(agent) == {"alpha": SUPERSEDED, "gamma": ACTIVE}
    agent.forget("gamma")
    assert statuses(agent)["alpha"] is ACTIVE


def test_a_snapshot_in_which_nothing_in_force_supersedes_a_memory_makes_it_active(agent: Agent) -> None:
    image = agent.image()
    before = {each.memory_id: each for each in image["memory"]}
    for memory_id in ("beta", "gamma"):
        before[memory_id] = msgspec.structs.replace(before[memory_id], forget_time=agent.now, purge_time=2 * agent.now)
    agent.do(RestoreAgent({**image, "memory": list(before.values())}, "s"))
    assert statuses(agent) == {"alpha": ACTIVE, "beta": SUPERSEDED, "gamma": ACTIVE}
    agent.restore("beta")
    assert statuses(agent) == {"alpha": SUPERSEDED, "beta": ACTIVE, "gamma": ACTIVE}
