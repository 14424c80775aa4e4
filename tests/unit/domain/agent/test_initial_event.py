"""The events with which a watch begins that asks for the state as it is."""

from typing import Any

from tests.unit.domain.sample import Agent

from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLinkDraft
from memoryd_server.domain.notes.note_change import CreateNote


def initial(agent: Agent) -> list[tuple[str, Any]]:
    """Return the type and the subject of each initial event of an agent."""
    events = [each for part in PARTS for each in part.initial_events(agent.state.part(part), agent.now)]
    return [(each.type.name, each.subject) for each in events]


def test_each_live_entry_and_scope_has_an_event_parents_first() -> None:
    agent = Agent()
    outer = agent.create_scope(name="outer")
    inner = agent.create_scope(outer, "inner")
    agent.set("k", scope_id=inner)
    agent.set("l")
    agent.set("gone", ttl_ns=SECOND_NS)
    agent.now += SECOND_NS
    assert [(name, subject.scope_id, getattr(subject, "key", "")) for name, subject in initial(agent)] == [
        ("ENTRY_SET", "", "l"),
        ("SCOPE_CREATED", outer, ""),
        ("SCOPE_CREATED", inner, ""),
        ("ENTRY_SET", inner, "k"),
    ]


def test_each_live_fragment_has_an_event_the_oldest_first() -> None:
    agent = Agent()
    first, _, last = agent.store("first"), agent.store("gone", ttl_ns=SECOND_NS), agent.store("last")
    agent.now += SECOND_NS
    subjects = [subject for name, subject in initial(agent) if name == "FRAGMENT_CREATED"]
    assert [subject.record for subject in subjects] == [first, last]
    assert [subject.record_bytes for subject in subjects] == [first.size_bytes, last.size_bytes]


def test_each_memory_that_is_not_forgotten_has_an_event_and_then_each_of_their_links_once() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("hen", memory_id="m2", links=(MemoryLinkDraft("m1", LinkType.RELATED, 0.5),))
    agent.create("owl", memory_id="m3", links=(MemoryLinkDraft("m2", LinkType.RELATED, 0.5),))
    agent.create("cat", memory_id="m4")
    agent.forget("m4")
    events = initial(agent)
    assert [subject.memory_id for name, subject in events if name == "MEMORY_CREATED"] == ["m1", "m2", "m3"]
    links = [(subject.link.from_id, subject.link.to_id) for name, subject in events if name == "MEMORIES_LINKED"]
    assert links == [("m2", "m1"), ("m3", "m2")]
    assert [name for name, _ in events][-2:] == ["MEMORIES_LINKED"] * 2


def test_each_record_of_a_collection_has_an_event_the_oldest_first() -> None:
    agent = Agent()
    for note_id in ("b", "a"):
        agent.do(CreateNote(note_id, "title", "content", "", 0.5))
        agent.now += 1
    assert [(name, subject.note_id) for name, subject in initial(agent)] == [
        ("NOTE_CREATED", "b"),
        ("NOTE_CREATED", "a"),
    ]
