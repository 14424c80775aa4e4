"""Results of the client, as test data."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from memoryd import (
    Entity,
    EntityWindowInfo,
    Entry,
    EntryType,
    Event,
    EventCause,
    EventSubject,
    EventType,
    Fragment,
    Memory,
    MemoryLink,
    MemoryLinkType,
    MemoryStatus,
    MemoryType,
    Plan,
    PlanStatus,
    Provenance,
    RecordKind,
)
from memoryd.model.event import EVENT_TYPE
from memoryd.model.record import RECORD_KIND

TIME = datetime(2026, 11, 21, 12, 30, 15, 250_000, tzinfo=UTC)

ENTRY = Entry(
    key="user",
    value_json='{"name":"Ada"}',
    entry_id="e1",
    type_name="dict",
    type=EntryType.FACT,
    importance=0.5,
    tags=("a", "b"),
    metadata={"turn": 1},
    scope_id="",
    revision=7,
    create_time=TIME,
    update_time=TIME,
    expire_time=None,
    access_count=2,
    last_access_time=None,
    user_id="",
)

FRAGMENT = Fragment(
    fragment_id="mem_1",
    agent_id="ada",
    agent_fingerprint="0123456789abcdef",
    user_id="",
    content="one\n line",
    type="Fact",
    dynamic_type="",
    confidence=None,
    metadata={},
    participants=(),
    causal_chain=(),
    sources=(),
    create_time=TIME,
    expire_time=TIME,
    revision=7,
    flushed=False,
    delivery_count=0,
)

MEMORY = Memory(
    memory_id="m1",
    agent_id="ada",
    revision=7,
    create_time=TIME,
    update_time=TIME,
    expire_time=None,
    user_id="u",
    tags=(),
    metadata={},
    content="one\n line",
    aliases=(),
    type=MemoryType.SEMANTIC,
    status=MemoryStatus.ACTIVE,
    project_id="",
    provenance=Provenance(),
    importance=0.5,
    occur_time=TIME,
    embedding=None,
    confidence=0.5,
    salience=0.5,
    link_count=0,
    last_access_time=TIME,
    access_count=0,
    reinforce_time=None,
    reinforce_count=0,
    forget_time=None,
    purge_time=None,
)

WINDOW = EntityWindowInfo(
    "chat", "ada", "", (Entity("page", "p1", "Home", "home", TIME), Entity("page", "p2", "About")), 10, TIME, TIME, 7
)

PLAN = Plan("p1", "ada", "talk", "", "Go\nhome", (), (), (), {}, PlanStatus.IN_PROGRESS, TIME, TIME, None, 7)

LINK = MemoryLink("ada", 7, TIME, TIME, "m1", "m2", MemoryLinkType.DERIVED_FROM, 0.5)

_EVENT = Event(
    revision=7,
    index=0,
    type=EventType.ENTRY_SET,
    kind=RecordKind.ENTRY,
    cause=EventCause.REQUEST,
    agent_id="ada",
    event_time=TIME,
    subject=None,
)


def entry(**fields: Any) -> Entry:
    """An entry that differs in these fields."""
    return replace(ENTRY, **fields)


def event(type_: EventType, subject: EventSubject, **fields: Any) -> Event:
    """An event of this type about this subject."""
    kind = RECORD_KIND.word(RecordKind, EVENT_TYPE.number(type_) // 10)
    return replace(_EVENT, type=type_, kind=kind, subject=subject, **fields)
