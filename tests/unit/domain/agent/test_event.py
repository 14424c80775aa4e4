import pytest

from memoryd_server.domain.agent.event import AgentSubject, Event, EventFilter, EventSelection
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_subject import EntrySubject, ScopeSubject
from memoryd_server.domain.event_type import EventCause, EventType

SET = Event(EventType.ENTRY_SET, EventCause.REQUEST, 1, 0, 0, "me", EntrySubject("inner", "name", ("outer",), "key"))
CLEARED = Event(EventType.ENTRIES_CLEARED, EventCause.REQUEST, 1, 0, 0, "", ScopeSubject())


@pytest.mark.parametrize(
    ("chosen", "kept"),
    [
        (EventFilter(), True),
        (EventFilter(agent_ids=frozenset({"a", "b"})), True),
        (EventFilter(agent_ids=frozenset({"b"})), False),
        (EventFilter(event_types=frozenset({EventType.ENTRY_SET})), True),
        (EventFilter(event_types=frozenset({EventType.ENTRY_REMOVED})), False),
        (EventFilter(key_prefix="ke"), True),
        (EventFilter(key_prefix="keys"), False),
        (EventFilter(scope_ids=frozenset({"inner"})), True),
        (EventFilter(scope_ids=frozenset({"outer"})), False),
        (EventFilter(scope_ids=frozenset({"outer"}), include_descendants=True), True),
        (EventFilter(scope_ids=frozenset({"other"}), include_descendants=True), False),
        (EventFilter(scope_ids=frozenset({ROOT})), False),
        (EventFilter(scope_ids=frozenset({ROOT}), include_descendants=True), True),
        (EventFilter(frozenset({"a"}), frozenset({"inner"}), False, "k", frozenset({EventType.ENTRY_SET})), True),
        (EventFilter(frozenset({"a"}), frozenset({"inner"}), False, "x", frozenset({EventType.ENTRY_SET})), False),
    ],
)
def test_a_filter_keeps_what_passes_all_of_its_fields(chosen: EventFilter, kept: bool) -> None:
    assert chosen.keeps("a", SET) is kept


def test_events_about_more_than_one_entry_pass_every_prefix() -> None:
    assert EventFilter(key_prefix="x").keeps("a", CLEARED)
    assert not EventFilter(key_prefix="x", scope_ids=frozenset({"s"})).keeps("a", CLEARED)


def test_the_end_of_an_agent_passes_filters_that_include_its_root_scope() -> None:
    ended = Event(EventType.AGENT_ENDED, EventCause.REQUEST, 1, 0, 0, "", AgentSubject({"entries": 1}))
    assert EventFilter(key_prefix="x").keeps("a", ended)
    assert EventFilter(scope_ids=frozenset({ROOT, "s"})).keeps("a", ended)
    assert not EventFilter(scope_ids=frozenset({"s"})).keeps("a", ended)


def test_a_selection_keeps_what_passes_any_filter() -> None:
    neither = EventFilter(key_prefix="x")
    assert EventSelection((neither, EventFilter(key_prefix="k"))).keeps("a", SET)
    assert not EventSelection((neither,)).keeps("a", SET)
    assert EventSelection().keeps("a", SET)


def test_a_selection_leaves_the_excluded_origin_out() -> None:
    assert not EventSelection(exclude_origin="me").keeps("a", SET)
    assert EventSelection(exclude_origin="me").keeps("a", CLEARED)
    assert EventSelection(exclude_origin="you").keeps("a", SET)


def test_a_selection_is_about_all_agents_once_one_filter_is() -> None:
    first, second = EventFilter(frozenset({"a"})), EventFilter(frozenset({"b", "c"}))
    assert EventSelection().agent_ids is None
    assert EventSelection((first, EventFilter(key_prefix="k"))).agent_ids is None
    assert EventSelection((first, second)).agent_ids == {"a", "b", "c"}
