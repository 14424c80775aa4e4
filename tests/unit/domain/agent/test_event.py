import msgspec
import pytest
from tests.unit.domain.sample import Agent
from tests.unit.record_filters import of_events, of_links

from memoryd_server.domain.agent.author import NOBODY, Author
from memoryd_server.domain.agent.event import ClearedSubject, Event, EventFilter, EventSelection, Subject
from memoryd_server.domain.agents.agent_subject import AgentSubject
from memoryd_server.domain.conversations.conversation import Conversation
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_subject import EntrySubject, ScopeSubject
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.fragments.fragment_subject import FragmentSubject
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLink
from memoryd_server.domain.memories.memory_subject import LinkSubject, MemorySubject
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.domain.values.record_filter import RecordFilter

SET = Event(
    EventType.ENTRY_SET, EventCause.REQUEST, 1, 0, 0, Author("me"), EntrySubject("inner", "name", ("outer",), "key")
)
CLEARED = Event(EventType.ENTRIES_CLEARED, EventCause.REQUEST, 1, 0, 0, NOBODY, ScopeSubject())


@pytest.mark.parametrize(
    ("chosen", "kept"),
    [
        (EventFilter(), True),
        (EventFilter(agents=AgentPatterns.of({"a", "b"})), True),
        (EventFilter(agents=AgentPatterns.of({"b"})), False),
        (EventFilter(event_types=frozenset({EventType.ENTRY_SET})), True),
        (EventFilter(event_types=frozenset({EventType.ENTRY_REMOVED})), False),
        (EventFilter(kinds=frozenset({RecordKind.ENTRY, RecordKind.NOTE})), True),
        (EventFilter(kinds=frozenset({RecordKind.SCOPE})), False),
        (EventFilter(causes=frozenset({EventCause.REQUEST})), True),
        (EventFilter(causes=frozenset({EventCause.EXPIRY})), False),
        (of_events(RecordFilter(conversation_ids=frozenset({"", "inner"}))), False),
        (EventFilter(key_prefix="ke"), True),
        (EventFilter(key_prefix="keys"), False),
        (EventFilter(scope_ids=frozenset({"inner"})), True),
        (EventFilter(scope_ids=frozenset({"outer"})), False),
        (EventFilter(scope_ids=frozenset({"outer"}), include_descendants=True), True),
        (EventFilter(scope_ids=frozenset({"other"}), include_descendants=True), False),
        (EventFilter(scope_ids=frozenset({ROOT})), False),
        (EventFilter(scope_ids=frozenset({ROOT}), include_descendants=True), True),
        (EventFilter(AgentPatterns.of({"a"}), key_prefix="k", kinds=frozenset({RecordKind.ENTRY})), True),
        (EventFilter(AgentPatterns.of({"a"}), key_prefix="x", kinds=frozenset({RecordKind.ENTRY})), False),
    ],
)
def test_a_filter_keeps_what_passes_all_of_its_fields(chosen: EventFilter, kept: bool) -> None:
    assert chosen.keeps("a", SET) is kept


def test_events_about_more_than_one_entry_pass_every_prefix() -> None:
    assert EventFilter(key_prefix="x").keeps("a", CLEARED)
    assert not EventFilter(key_prefix="x", scope_ids=frozenset({"s"})).keeps("a", CLEARED)


def test_the_end_of_an_agent_passes_filters_that_include_its_root_scope() -> None:
    ended = Event(EventType.AGENT_ENDED, EventCause.REQUEST, 1, 0, 0, "", AgentSubject({RecordKind.ENTRY: 1}))
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
    first, second = EventFilter(AgentPatterns.of({"a"})), EventFilter(AgentPatterns.of({"b", "c"}))
    assert EventSelection().agents.is_all
    assert EventSelection((first, EventFilter(key_prefix="k"))).agents.is_all
    assert EventSelection((first, second)).agents == AgentPatterns.of({"a", "b", "c"})


def _about(subject: Subject, event_type: EventType) -> Event:
    return Event(event_type, EventCause.REQUEST, 1, 0, 0, NOBODY, subject)


def test_a_filter_keeps_the_conversations_that_it_names() -> None:
    chosen = of_events(RecordFilter(conversation_ids=frozenset({"talk"})))
    assert chosen.keeps("a", _about(Conversation("talk", 1, 0, 0, 1, 1, 1, 0), EventType.CONVERSATION_DELETED))
    assert not chosen.keeps("a", _about(Conversation("other", 1, 0, 0, 1, 1, 1, 0), EventType.CONVERSATION_DELETED))
    assert chosen.keeps("a", _about(MemorySubject("m"), EventType.MEMORY_PURGED))


def test_a_filter_keeps_the_memories_of_the_users_that_it_names() -> None:
    agent = Agent()
    agent.create("one", memory_id="m")
    subject = agent.events[-1].subject
    assert of_events(RecordFilter(user_ids=frozenset({subject.memory.user_id}))).keeps("a", agent.events[-1])
    assert not of_events(RecordFilter(user_ids=frozenset({"another"}))).keeps("a", agent.events[-1])


def test_the_end_of_a_record_passes_every_user_since_nothing_says_whose_it_was() -> None:
    chosen = of_events(RecordFilter(user_ids=frozenset({"ann"})))
    assert chosen.keeps("a", _about(MemorySubject("m"), EventType.MEMORY_PURGED))
    assert chosen.keeps("a", _about(EntrySubject("", "", (), "k"), EventType.ENTRY_REMOVED))
    assert chosen.keeps("a", _about(ScopeSubject("s"), EventType.SCOPE_DISPOSED))


def test_a_filter_keeps_the_entries_and_scopes_of_the_users_that_it_names() -> None:
    agent = Agent()
    agent.set("k")
    agent.create_scope()
    for event in agent.events:
        assert of_events(RecordFilter(user_ids=frozenset({""}))).keeps("a", event)
        assert not of_events(RecordFilter(user_ids=frozenset({"ann"}))).keeps("a", event)
        assert not of_events(RecordFilter(conversation_ids=frozenset({""}))).keeps("a", event)


def test_the_clearing_of_entries_passes_filters_that_keep_any_entry() -> None:
    assert of_events(RecordFilter(user_ids=frozenset({"ann"}))).keeps("a", CLEARED)
    assert not of_events(RecordFilter(conversation_ids=frozenset({"c"}))).keeps("a", CLEARED)


def test_a_filter_keeps_the_links_of_the_types_that_it_names() -> None:
    linked = _about(LinkSubject(MemoryLink("m1", "m2", LinkType.RELATED, 0.5, 0, 0, 1)), EventType.MEMORIES_LINKED)
    assert of_events(of_links(LinkType.RELATED)).keeps("a", linked)
    assert not of_events(of_links(LinkType.SUPERSEDES)).keeps("a", linked)


@pytest.mark.parametrize("owner", ["conversation_ids", "user_ids"])
def test_what_may_concern_any_owner_passes(owner: str) -> None:
    chosen = of_events(RecordFilter(**{owner: frozenset({"x"})}))
    kinds = {"conversation_ids": RecordKind.PLAN, "user_ids": RecordKind.MEMORY}
    assert chosen.keeps("a", _about(AgentSubject(), EventType.AGENT_ENDED))
    assert chosen.keeps("a", _about(ClearedSubject({kinds[owner]: 1}), EventType.cleared(kinds[owner])))
    fragments = _about(ClearedSubject({RecordKind.FRAGMENT: 1}), EventType.FRAGMENTS_CLEARED)
    assert chosen.keeps("a", fragments) is (owner == "user_ids")


def test_a_subject_of_one_record_is_found_by_the_place_of_that_record() -> None:
    link = MemoryLink("m1", "m2", LinkType.RELATED, 0.5, 0, 0, 1)
    for subject, other in (
        (FragmentSubject("one"), FragmentSubject("two")),
        (MemorySubject("one"), MemorySubject("two")),
        (LinkSubject(link), LinkSubject(msgspec.structs.replace(link, to_id="m3"))),
        (FragmentSubject("one"), MemorySubject("one")),
    ):
        assert subject.place is not None
        assert other.place is not None
        assert subject.record_at(subject.place) == (subject.record, subject.record_bytes)
        assert subject.record_at(other.place) is None
