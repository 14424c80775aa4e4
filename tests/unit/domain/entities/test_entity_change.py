import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.domain.sample import NOW, Agent, at

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.entities.entity import ENTITY_WINDOW, WINDOW_KEY, Entity, EntityDraft, EntityWindow, latest
from memoryd_server.domain.entities.entity_change import AddEntities, ClearEntities, EntitiesCleared, SetEntities
from memoryd_server.domain.error import QuotaExceeded, RecordExists, RecordNotFound, RevisionMismatch
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, RestoreAgent
from memoryd_server.domain.limit import SECOND_NS, Limits
from memoryd_server.domain.record_kind import RecordKind


def drafts(*ids: str) -> tuple[EntityDraft, ...]:
    return tuple(EntityDraft("page", each, f"Page {each}") for each in ids)


def window(agent: Agent, conversation_id: str = "s") -> EntityWindow:
    return agent.state.part(ENTITY_WINDOW).find(conversation_id, WINDOW_KEY) or EntityWindow(conversation_id)


def ids(agent: Agent, conversation_id: str = "s") -> list[str]:
    return [each.entity_id for each in window(agent, conversation_id).entities]


def take_events(agent: Agent) -> list[tuple[str, str]]:
    taken, agent.events = agent.events, []
    return [(event.type.name, event.cause.name) for event in taken]


def test_the_newest_is_first_and_ten_are_kept() -> None:
    agent = Agent()
    agent.do(AddEntities("s", drafts(*map(str, range(12)))))
    assert ids(agent) == ["11", "10", "9", "8", "7", "6", "5", "4", "3", "2"]
    assert take_events(agent) == [("ENTITY_WINDOW_CREATED", "REQUEST")]


def test_one_that_is_there_moves_to_the_front_with_a_new_time_and_what_is_said_of_it() -> None:
    agent = Agent()
    agent.do(AddEntities("s", drafts("1", "2")))
    agent.now += SECOND_NS
    agent.do(AddEntities("s", (EntityDraft("section", "1", "Hero", "hero"),)))
    assert window(agent).entities == (
        Entity("section", "1", "Hero", "hero", NOW + SECOND_NS),
        Entity("page", "2", "Page 2", "", NOW),
    )
    assert (window(agent).create_time, window(agent).update_time, window(agent).revision) == (NOW, agent.now, 2)


def test_a_dry_run_returns_the_window_and_changes_nothing() -> None:
    agent = Agent()
    agent.do(AddEntities("s", drafts("1")))
    before = agent.state
    done = agent.do(AddEntities("s", drafts("2"), precondition=Precondition(must_not_exist=True), dry_run=True))
    assert (done.record, done.changed, done.revision) == (window(agent), False, 1)
    assert agent.state is before


def test_an_entity_may_bring_its_time() -> None:
    agent = Agent()
    agent.do(AddEntities("s", (EntityDraft("page", "1", "N", last_access_time=5),)))
    assert window(agent).entities[0].last_access_time == 5


def test_a_window_has_the_size_that_was_asked_for_last() -> None:
    agent = Agent()
    agent.do(AddEntities("s", drafts("1", "2", "3"), window_size=2))
    assert ids(agent) == ["3", "2"]
    agent.do(AddEntities("s", drafts("4")))
    assert ids(agent) == ["4", "3"]
    agent.do(AddEntities("s", (), window_size=1))
    assert (ids(agent), window(agent).window_size) == (["4"], 1)


def test_a_window_is_replaced() -> None:
    agent = Agent()
    agent.do(AddEntities("s", drafts("1", "2")))
    agent.do(SetEntities("s", drafts("3", "2", "3")))
    assert ids(agent) == ["3", "2"]
    agent.do(SetEntities("s", drafts("4", "5", "6"), window_size=2))
    assert (ids(agent), window(agent).window_size) == (["4", "5"], 2)
    agent.do(SetEntities("s", ()))
    assert ids(agent) == []
    assert len(agent.state.part(ENTITY_WINDOW)) == 1


@pytest.mark.parametrize(
    "nothing", [AddEntities("s", ()), AddEntities("s", (), 10), SetEntities("s", ()), SetEntities("s", (), 0, "")]
)
def test_what_changes_nothing_is_no_change(nothing: AddEntities | SetEntities) -> None:
    agent = Agent()
    done = agent.do(nothing)
    assert (done.record, done.changed, done.revision) == (EntityWindow("s"), False, 0)
    assert agent.state.revision == 0


def test_loading_what_is_there_is_no_change() -> None:
    agent = Agent()
    loading = SetEntities("s", (EntityDraft("page", "1", "N", last_access_time=5),))
    assert agent.do(loading).changed
    assert not agent.do(loading).changed
    assert agent.state.revision == 1


def test_a_precondition_must_hold_for_the_window() -> None:
    agent = Agent()
    agent.do(AddEntities("other", drafts("1")))
    agent.do(AddEntities("s", drafts("1"), precondition=at(0)))
    with pytest.raises(RevisionMismatch) as refused:
        agent.do(AddEntities("s", drafts("2"), precondition=at(1)))
    assert refused.value.metadata == {"expected_revision": "1", "actual_revision": "2"}
    agent.do(AddEntities("s", drafts("2"), precondition=at(2)))
    with pytest.raises(RevisionMismatch):
        agent.do(ClearEntities("s", at(2)))
    assert agent.do(ClearEntities("s", at(3))) == EntitiesCleared(2, 1, 4)


def test_a_window_must_exist_or_not_if_the_precondition_says_so() -> None:
    agent = Agent()
    with pytest.raises(RecordNotFound):
        agent.do(SetEntities("s", drafts("1"), precondition=Precondition(must_exist=True)))
    agent.do(SetEntities("s", drafts("1"), precondition=Precondition(must_not_exist=True)))
    with pytest.raises(RecordExists):
        agent.do(SetEntities("s", drafts("2"), precondition=Precondition(must_not_exist=True)))
    with pytest.raises(RevisionMismatch):
        agent.do(ClearEntities("other", at(1)))
    assert ids(agent) == ["1"]


def test_a_window_keeps_its_user_until_another_is_given() -> None:
    agent = Agent()
    agent.do(AddEntities("s", drafts("1"), user_id="ann"))
    size = window(agent).size_bytes
    agent.do(AddEntities("s", drafts("2")))
    agent.do(SetEntities("s", drafts("1")))
    assert (window(agent).user_id, window(agent).size_bytes) == ("ann", size)
    assert agent.do(AddEntities("s", (), user_id="")).changed
    assert (window(agent).user_id, window(agent).size_bytes) == ("", size - 3)
    assert agent.state.size_bytes == size - 3
    assert not agent.do(AddEntities("s", (), user_id="")).changed


def test_past_the_limit_the_window_that_was_changed_longest_ago_goes() -> None:
    agent = Agent(Limits(entity_windows_per_agent=2))
    for conversation_id in ("a", "b", "a"):
        agent.now += SECOND_NS
        agent.do(AddEntities(conversation_id, drafts("1")))
    agent.events = []
    agent.do(AddEntities("c", drafts("1")))
    assert sorted(each.conversation_id for each in agent.state.part(ENTITY_WINDOW)) == ["a", "c"]
    evicted, added = agent.events
    assert (evicted.type, evicted.cause) == (EventType.ENTITY_WINDOW_DELETED, EventCause.EVICTION)
    assert (evicted.subject.group, evicted.subject.entities) == ("b", ())
    assert (added.type, added.subject) == (EventType.ENTITY_WINDOW_CREATED, window(agent, "c"))


def test_a_limit_that_was_lowered_is_kept_with_the_next_window() -> None:
    agent = Agent()
    for conversation_id in "abcd":
        agent.now += SECOND_NS
        agent.do(AddEntities(conversation_id, drafts("1")))
    agent.limits = Limits(entity_windows_per_agent=2)
    agent.do(AddEntities("a", drafts("2")))
    assert len(agent.state.part(ENTITY_WINDOW)) == 4
    agent.do(AddEntities("e", drafts("1")))
    assert sorted(each.conversation_id for each in agent.state.part(ENTITY_WINDOW)) == ["a", "e"]


def test_a_window_counts_against_the_storage_limit() -> None:
    agent = Agent(Limits(storage_bytes_per_agent=40))
    agent.do(AddEntities("s", (EntityDraft("page", "1", "Ö", "o"),)))
    assert agent.state.size_bytes == window(agent).size_bytes == 1 + 4 + 1 + 2 + 1
    with pytest.raises(QuotaExceeded):
        agent.do(AddEntities("s", (EntityDraft("page", "2", "x" * 40),)))


def test_windows_are_cleared_one_or_all() -> None:
    agent = Agent()
    for conversation_id in "abc":
        agent.do(AddEntities(conversation_id, drafts("1", "2")))
    agent.events = []
    assert agent.do(ClearEntities("a")) == EntitiesCleared(2, 1, 4)
    assert agent.do(ClearEntities("a")) == EntitiesCleared(0, 0, 4)
    assert agent.do(ClearEntities("unknown")) == EntitiesCleared(0, 0, 4)
    with pytest.raises(RevisionMismatch):
        agent.do(ClearEntities(), precondition=at(3))
    assert agent.do(ClearEntities(), precondition=at(4)) == EntitiesCleared(4, 2, 5)
    assert agent.do(ClearEntities()) == EntitiesCleared(0, 0, 5)
    assert take_events(agent) == [("ENTITY_WINDOW_DELETED", "REQUEST"), ("ENTITY_WINDOWS_CLEARED", "REQUEST")]


def test_a_window_that_was_cleared_has_forgotten_its_size() -> None:
    agent = Agent()
    agent.do(AddEntities("s", drafts("1"), window_size=3))
    agent.do(ClearEntities("s"))
    agent.do(AddEntities("s", drafts("1")))
    assert window(agent).window_size == 10


def test_clearing_an_agent_clears_its_windows_unless_other_kinds_are_named() -> None:
    agent = Agent()
    agent.do(AddEntities("s", drafts("1")))
    assert agent.do(ClearAgent()).counts == {RecordKind.ENTITY_WINDOW: 1, RecordKind.ENTITY: 1}
    assert ids(agent) == []


def test_an_image_restores_windows() -> None:
    agent = Agent()
    agent.do(AddEntities("s", drafts("1")))
    image = agent.image()
    agent.do(AddEntities("s", drafts("2")))
    agent.do(AddEntities("other", drafts("3")))
    agent.do(RestoreAgent(image, "snapshot"))
    assert (ids(agent), ids(agent, "other")) == (["1"], [])


ENTITIES = st.lists(
    st.builds(Entity, st.just("page"), st.sampled_from("abcdef"), st.just("N"), st.just(""), st.integers(0, 9))
)


@given(ENTITIES, ENTITIES, st.integers(1, 7))
def test_adding_many_is_adding_each_in_turn(first: list[Entity], added: list[Entity], size: int) -> None:
    """Compare with the loop of the requirements: filter, unshift, slice."""
    before = latest((), first, size)
    expected = list(before)
    for each in added:
        expected = [each, *(other for other in expected if other.entity_id != each.entity_id)][:size]
    assert list(latest(before, added, size)) == expected
