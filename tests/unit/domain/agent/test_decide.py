"""The invariants of ``sample.check_decision`` hold for random commands in any order."""

import os
import subprocess
import sys
from typing import get_args, get_origin

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.domain.mirror import Mirror
from tests.unit.domain.random_agent import LIMITS, RandomAgent
from tests.unit.domain.sample import NOW, Agent, draft

from memoryd_server.domain.agent.author import Author
from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.commit import WritesCommitted
from memoryd_server.domain.agent.decide import decide
from memoryd_server.domain.agent.event import Subject
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import RemoveEntry, SetEntry
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.kinds import AnySubject, RememberedResult
from memoryd_server.domain.lifecycle.agent_change import AgentResult, RestoreAgent
from memoryd_server.domain.lifecycle.erasing import Erased, ErasingResult
from memoryd_server.domain.lifecycle.user_removal import UserRemovalResult
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.memories.memory import purge_digest_of
from memoryd_server.domain.memories.memory_part import MEMORIES


def leaves(base: type) -> set[type]:
    """Return all subclasses that have no subclasses themselves, and those that do but are instantiated."""
    found: set[type] = set()
    for each in base.__subclasses__():
        found |= {each} | leaves(each)
    return found


def ours(base: type) -> set[type]:
    """Return the subclasses that the daemon defines; a parametrized generic is not a class of its own."""
    return {each for each in leaves(base) if each.__module__.startswith("memoryd_server.domain")}


def test_every_command_decides_for_itself() -> None:
    commands = {each for each in ours(Command) if each.__module__ != Command.__module__}
    assert len(commands) > 40
    assert [each.__name__ for each in commands if "decide" not in vars(each)] == []


def test_every_result_can_be_remembered() -> None:
    known = {
        get_origin(each) or each
        for each in get_args(RememberedResult | AgentResult | UserRemovalResult | ErasingResult)
    }
    assert ours(Result) - known == {WritesCommitted, Erased}


def test_every_subject_can_be_stored() -> None:
    assert ours(Subject) - set(get_args(AnySubject)) == {Collected}


def test_every_subject_answers_filters_of_records() -> None:
    def answers(subject: type[Subject]) -> bool:
        return subject.view is not Subject.view or subject.may_concern is not Subject.may_concern

    assert [each.__name__ for each in ours(Subject) if not answers(each)] == []


@settings(max_examples=40)
@given(st.data())
def test_records_and_events_report_exactly_what_each_command_changed(data: st.DataObject) -> None:
    agent = RandomAgent(data)
    for _ in range(data.draw(st.integers(1, 30))):
        agent.step()


@settings(max_examples=40)
@given(st.data())
def test_a_restore_reports_the_difference_and_nothing_else(data: st.DataObject) -> None:
    agent = RandomAgent(data)
    for _ in range(data.draw(st.integers(0, 15))):
        agent.step()
    image = agent.image()
    for _ in range(data.draw(st.integers(0, 15))):
        agent.step()
    before = agent.state
    agent.do(RestoreAgent(image, "snapshot"))

    live = {(entry.scope_id, entry.key): entry for entry in image["entry"] if entry.is_live(agent.now)}
    restored = {
        (entry.scope_id, entry.key): entry
        for local in agent.state.part(WORKING_MEMORY).entries.values()
        for entry in local.values()
    }
    assert set(restored) == set(live)
    assert all(restored[place].has_content_of(entry) for place, entry in live.items())
    assert set(agent.state.part(WORKING_MEMORY).scopes) == {
        scope.scope_id for scope in image["scope"] if not scope.disposed
    }
    assert not agent.state.part(WORKING_MEMORY).reservations
    stored = agent.state.part(MEMORIES).memories
    wanted = {memory.memory_id: memory for memory in image["memory"] if memory.is_live(agent.now)}
    assert set(stored) <= set(wanted)
    assert all(
        purge_digest_of(wanted[each]) in agent.state.part(MEMORIES).blocked for each in set(wanted) - set(stored)
    )
    assert all(memory.is_stored_as(wanted[memory.memory_id]) for memory in stored.values())
    known = Mirror.of(before)
    for event in agent.decision.events:
        if event.type is EventType.ENTRY_SET and (event.subject.scope_id, event.subject.key) in known.entries:
            assert event.subject.entry is not None
            assert not known.entries[event.subject.scope_id, event.subject.key].has_content_of(event.subject.entry)
    assert agent.decision.events[-1].type is EventType.AGENT_RESTORED


@settings(max_examples=60)
@given(st.data())
def test_a_refused_or_empty_command_leaves_the_very_same_state(data: st.DataObject) -> None:
    agent = RandomAgent(data)
    for _ in range(5):
        agent.step()
    decision = decide(agent.state, RemoveEntry(ROOT, "not there"), agent.now, LIMITS)
    assert decision.state is agent.state
    assert not decision.changes


def test_an_agent_begins_with_its_first_change_and_keeps_its_create_time() -> None:
    agent = Agent()
    assert not agent.state.exists
    agent.do(RemoveEntry(ROOT, "k"))
    assert not agent.state.exists
    agent.set("k")
    agent.now += 5
    agent.set("k")
    assert (agent.state.create_time, agent.state.update_time, agent.state.revision) == (NOW, NOW + 5, 2)


def test_the_author_of_a_command_is_in_its_events() -> None:
    decision = decide(AgentState("a"), SetEntry(ROOT, draft("k"), "id"), NOW, Limits(), Author("me", "token", "r"))
    assert [event.author for event in decision.events] == [Author("me", "token", "r")]


MAKE_GARBAGE = """
import gc
from tests.unit.domain.sample import Agent, SetEntry, ROOT, decide, draft
agent = Agent()
agent.set("k")
gc.collect()
gc.disable()
for number in range(10):
    decide(agent.state, SetEntry(ROOT, draft("k"), f"id{number}"), agent.now, agent.limits)
print(gc.collect())
"""


def test_a_decision_leaves_nothing_for_the_garbage_collector() -> None:
    # In a process of its own: the threads of other tests' daemons make garbage, too.
    environment = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", MAKE_GARBAGE]
    assert subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout == "0\n"
