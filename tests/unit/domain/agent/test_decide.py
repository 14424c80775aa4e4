"""Whatever is asked for in whatever order, decisions keep what ``sample.check_decision`` says."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.domain.mirror import Mirror
from tests.unit.domain.random_agent import LIMITS, RandomAgent
from tests.unit.domain.sample import NOW, Agent, draft

from memoryd_server.domain.agent import command
from memoryd_server.domain.agent.decide import _DECISIONS, decide
from memoryd_server.domain.agent.event import EventType
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.memories.memory import purge_digest_of


def test_every_command_has_a_decision() -> None:
    about_collections = set(command.CollectionCommand.__subclasses__())
    assert set(_DECISIONS) == set(command.Command.__args__) - {command.CollectionCommand} | about_collections


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_records_and_events_tell_exactly_what_each_command_changed(data: st.DataObject) -> None:
    agent = RandomAgent(data)
    for _ in range(data.draw(st.integers(1, 30))):
        agent.step()


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_a_restore_tells_the_difference_and_nothing_else(data: st.DataObject) -> None:
    agent = RandomAgent(data)
    for _ in range(data.draw(st.integers(0, 15))):
        agent.step()
    image = agent.image()
    for _ in range(data.draw(st.integers(0, 15))):
        agent.step()
    before = agent.state
    agent.do(command.RestoreAgent(image, "snapshot"))

    live = {(entry.scope_id, entry.key): entry for entry in image.entries if entry.is_live(agent.now)}
    restored = {
        (entry.scope_id, entry.key): entry for local in agent.state.entries.values() for entry in local.values()
    }
    assert set(restored) == set(live)
    assert all(restored[place].has_content_of(entry) for place, entry in live.items())
    assert set(agent.state.scopes) == {scope.scope_id for scope in image.scopes}
    assert not agent.state.reservations
    stored = agent.state.memories.memories
    wanted = {memory.memory_id: memory for memory in image.memories if memory.is_live(agent.now)}
    assert set(stored) <= set(wanted)
    assert all(purge_digest_of(wanted[each]) in agent.state.memories.kept_out for each in set(wanted) - set(stored))
    assert all(memory.is_stored_as(wanted[memory.memory_id]) for memory in stored.values())
    known = Mirror.of(before)
    for event in agent.decision.events:
        if event.type is EventType.ENTRY_SET and (event.scope_id, event.key) in known.entries:
            assert event.entry is not None
            assert not known.entries[event.scope_id, event.key].has_content_of(event.entry)
    assert agent.decision.events[-1].type is EventType.AGENT_RESTORED


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_a_refused_or_empty_command_leaves_the_very_same_state(data: st.DataObject) -> None:
    agent = RandomAgent(data)
    for _ in range(5):
        agent.step()
    decision = decide(agent.state, command.RemoveEntry(ROOT, "not there"), agent.now, LIMITS)
    assert decision.state is agent.state
    assert not decision.changes


def test_an_agent_begins_with_its_first_change_and_keeps_its_create_time() -> None:
    agent = Agent()
    assert not agent.state.exists
    agent.do(command.RemoveEntry(ROOT, "k"))
    assert not agent.state.exists
    agent.set("k")
    agent.now += 5
    agent.set("k")
    assert (agent.state.create_time, agent.state.update_time, agent.state.revision) == (NOW, NOW + 5, 2)


def test_the_origin_of_a_command_is_in_its_events() -> None:
    decision = decide(AgentState("a"), command.SetEntry(ROOT, draft("k"), "id"), NOW, Limits(), "me")
    assert [event.origin for event in decision.events] == ["me"]
