from tests.unit.domain.sample import Agent, memory_draft
from tests.unit.engine.plain_index import PlainIndex

from memoryd_server.domain.memories.changes.link_change import UnlinkMemories
from memoryd_server.domain.memories.changes.memory_change import MemoryPatch, UpdateMemory
from memoryd_server.domain.memories.changes.memory_removal import ForgetMemory, PurgeMemory
from memoryd_server.domain.memories.memory import MemoryDraft, MemoryType
from memoryd_server.domain.memories.memory_link import LinkType
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.engine.indexes.memory_indexes import indexed
from memoryd_server.engine.indexes.relatives import with_contradictions, with_kin


def kin_of(agent: Agent, draft: MemoryDraft, relatives_max: int = 0) -> MemoryDraft:
    """Return the draft with its kin among the agent's memories."""
    index, memories = PlainIndex(), agent.state.part(MEMORIES)
    index.put(indexed(memories, each) for each in memories.memories.values() if not each.is_forgotten)
    return with_kin(draft, index, memories, agent.policy, relatives_max)


def test_only_the_best_duplicate_is_named() -> None:
    agent = Agent()
    agent.create("The build runs on the big machine every night")
    known = agent.create("The build runs on the big machine")
    draft = kin_of(agent, memory_draft("the build runs on the BIG machine"), 2)
    assert (draft.duplicate_of, draft.contradicts, draft.relates_to) == (known.memory_id, (), ())


def test_contradictions_are_named_with_their_share_of_common_words() -> None:
    agent = Agent()
    known = agent.create("Ann lives in Oslo")
    draft = kin_of(agent, memory_draft("Ann lives in Bergen"))
    assert draft.contradicts == ((known.memory_id, 3 / 5),)
    assert draft.duplicate_of == ""


def test_episodic_memories_contradict_nothing() -> None:
    agent = Agent()
    agent.create("Ann lives in Oslo")
    draft = MemoryDraft("Ann lives in Bergen", "ann", MemoryType.EPISODIC)
    assert kin_of(agent, draft) == draft
    agent.create_all(MemoryDraft("Bob lives in Rome", "ann", MemoryType.EPISODIC))
    assert kin_of(agent, memory_draft("Bob lives in Paris")).contradicts == ()


def test_relatives_are_named_on_request_the_nearest_first() -> None:
    agent = Agent()
    near = agent.create("red foxes hunt small mice at night")
    far = agent.create("red foxes hunt small mice in summer with their young")
    agent.create("the deadline is on Monday")
    draft = memory_draft("red foxes hunt small mice at noon")
    assert kin_of(agent, draft).relates_to == ()
    assert [memory_id for memory_id, _ in kin_of(agent, draft, 5).relates_to] == [near.memory_id]
    assert kin_of(agent, draft, 5).relates_to[0][1] == 6 / 8
    assert far.memory_id not in dict(kin_of(agent, draft, 1).relates_to)


def test_no_more_than_three_contradictions_are_named() -> None:
    agent = Agent()
    for city in ("Oslo", "Bergen", "Rome", "Paris", "Vienna"):
        agent.create(f"Ann lives in {city}")
    assert len(kin_of(agent, memory_draft("Ann lives in Lima")).contradicts) == 3


def test_memories_of_other_users_and_projects_are_no_kin() -> None:
    agent = Agent()
    agent.create("Ann lives in Oslo", user_id="bob")
    agent.create("Ann lives in Oslo", project_id="other")
    for content in ("Ann lives in Oslo", "Ann lives in Bergen"):
        draft = memory_draft(content)
        assert kin_of(agent, draft, 5) == draft
    agent.create("Ann lives in Oslo", project_id="")
    assert kin_of(agent, memory_draft("Ann lives in Oslo", project_id="third"), 5).duplicate_of == ""


def test_a_memory_without_a_project_is_found_among_many_of_projects() -> None:
    agent = Agent()
    for number in range(10):
        agent.create("Ann lives in Oslo", project_id=f"project {number}")
    known = agent.create("Ann lives in Oslo!")
    assert kin_of(agent, memory_draft("Ann lives in Oslo")).duplicate_of == known.memory_id
    assert kin_of(agent, memory_draft("Ann lives in Rome")).contradicts == ((known.memory_id, 3 / 5),)


def test_forgotten_and_superseded_memories_are_no_kin_and_archived_ones_are() -> None:
    agent = Agent()
    known, later = agent.create("Ann lives in Oslo"), agent.create("unlike any other")
    agent.link(later.memory_id, known.memory_id, LinkType.SUPERSEDES)
    draft = memory_draft("Ann lives in Oslo")
    assert kin_of(agent, draft) == draft
    agent.do(UnlinkMemories(later.memory_id, known.memory_id, agent.policy))
    assert kin_of(agent, draft).duplicate_of == known.memory_id
    agent.do(ForgetMemory(known.memory_id, agent.policy))
    assert kin_of(agent, draft) == draft


def test_a_memory_that_was_purged_after_indexing_is_no_kin() -> None:
    agent = Agent()
    known = agent.create("Ann lives in Oslo")
    index = PlainIndex()
    index.put([indexed(agent.state.part(MEMORIES), known)])
    agent.do(PurgeMemory(known.memory_id))
    draft = memory_draft("Ann lives in Oslo")
    assert with_kin(draft, index, agent.state.part(MEMORIES), agent.policy) == draft


def test_a_draft_that_does_not_look_for_kin_has_none() -> None:
    agent = Agent()
    agent.create("Ann lives in Oslo")
    draft = memory_draft("Ann lives in Oslo", allow_duplicates=True, skip_contradictions=True)
    assert kin_of(agent, draft, 5) is draft


def test_a_draft_that_allows_duplicates_is_still_compared_for_contradictions_and_the_reverse() -> None:
    agent = Agent()
    oslo = agent.create("Ann lives in Oslo")
    again = kin_of(agent, memory_draft("Ann lives in Oslo", allow_duplicates=True), 5)
    assert (again.duplicate_of, again.contradicts) == ("", ())
    moved = kin_of(agent, memory_draft("Ann lives in Bergen", allow_duplicates=True))
    assert [memory_id for memory_id, _ in moved.contradicts] == [oslo.memory_id]
    assert kin_of(agent, memory_draft("Ann lives in Bergen", skip_contradictions=True)).contradicts == ()
    same = kin_of(agent, memory_draft("ann lives in OSLO", skip_contradictions=True))
    assert same.duplicate_of == oslo.memory_id


def updated(agent: Agent, memory_id: str, content: str, memory_type: MemoryType | None = None) -> UpdateMemory:
    """Return a change of a memory's content with what the new content contradicts."""
    index, memories = PlainIndex(), agent.state.part(MEMORIES)
    index.put(indexed(memories, each) for each in memories.memories.values())
    patch = MemoryPatch(content=content) if memory_type is None else MemoryPatch(content=content, type=memory_type)
    return with_contradictions(UpdateMemory(memory_id, patch, agent.policy), index, memories, agent.policy)


def test_a_new_content_of_a_memory_contradicts_others_and_not_the_old_one() -> None:
    agent = Agent()
    oslo, other = agent.create("Ann lives in Oslo"), agent.create("Ann lives by the sea")
    assert updated(agent, other.memory_id, "Ann lives in Bergen").contradicts == ((oslo.memory_id, 3 / 5),)
    assert updated(agent, oslo.memory_id, "Ann lives in Bergen").contradicts == ()
    assert updated(agent, other.memory_id, "Ann lives in Bergen", MemoryType.EPISODIC).contradicts == ()
    unchanged = UpdateMemory(other.memory_id, MemoryPatch(content=other.content), agent.policy)
    assert updated(agent, other.memory_id, other.content) == unchanged
    gone = UpdateMemory("gone", MemoryPatch(content="Ann lives in Bergen"), agent.policy)
    assert updated(agent, "gone", "Ann lives in Bergen") == gone


def test_a_new_content_agrees_with_what_only_the_old_one_contradicted() -> None:
    agent = Agent()
    oslo, acme = agent.create("Ann lives in Oslo"), agent.create("Ann works for Acme")
    bergen = agent.create("Ann lives in Bergen")
    for each in (oslo, acme):
        agent.link(bergen.memory_id, each.memory_id, LinkType.CONTRADICTS)
    found = updated(agent, bergen.memory_id, "Ann lives in Oslo")
    # The rules would not have made the link with the other one: it is a request's.
    assert (found.agrees_with, found.contradicts) == ((oslo.memory_id,), ())
    found = updated(agent, bergen.memory_id, "Ann lives in Rome")
    assert (found.agrees_with, found.contradicts) == ((), ())
