"""Results of the client, as test data."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from memoryd import (
    Entity,
    EntityWindowInfo,
    Entry,
    Event,
    EventCause,
    EventType,
    Fragment,
    LongTermMemoryType,
    Memory,
    MemoryLink,
    MemoryLinkType,
    MemoryStatus,
    MemoryType,
    Plan,
    PlanStatus,
    Provenance,
    Temporal,
)

TIME = datetime(2026, 11, 21, 12, 30, 15, 250_000, tzinfo=UTC)

ENTRY = Entry(
    key="user",
    value_json='{"name":"Ada"}',
    entry_id="e1",
    type_name="dict",
    memory_type=MemoryType.FACT,
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
)

FRAGMENT = Fragment(
    fragment_id="mem_1",
    agent_id="ada",
    agent_fingerprint="0123456789abcdef",
    content="one\n line",
    type="Fact",
    dynamic_type="",
    confidence=None,
    properties={},
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
    type=LongTermMemoryType.SEMANTIC,
    content="one\n line",
    user_id="u",
    project_id="",
    status=MemoryStatus.ACTIVE,
    provenance=Provenance(),
    temporal=Temporal(
        create_time=TIME,
        update_time=TIME,
        occur_time=TIME,
        last_access_time=TIME,
        access_count=0,
        reinforce_time=None,
        reinforce_count=0,
        confidence_trajectory=(0.5,),
        expire_time=None,
        forget_time=None,
        purge_time=None,
    ),
    importance=0.5,
    current_salience=0.5,
    linked_memory_ids=(),
    tags=(),
    metadata={},
    embedding=None,
    revision=7,
)

WINDOW = EntityWindowInfo(
    "chat", "ada", (Entity("page", "p1", "Home", "home", TIME), Entity("page", "p2", "About")), 10, TIME, TIME, 7
)

PLAN = Plan("p1", "ada", "talk", "Go\nhome", (), (), PlanStatus.IN_PROGRESS, TIME, TIME, None, 7)

LINK = MemoryLink("m1", "m2", MemoryLinkType.DERIVED_FROM, 0.5, TIME, 7)

_EVENT = Event(
    revision=7,
    index=0,
    type=EventType.ENTRY_SET,
    cause=EventCause.REQUEST,
    agent_id="ada",
    scope_id="",
    scope_name="",
    parent_scope_id="",
    time=TIME,
    key="",
    entry=None,
    is_update=False,
    type_name="",
    entries_cleared=0,
    snapshot_id="",
    origin="",
)


def entry(**fields: Any) -> Entry:
    """An entry that differs in these fields."""
    return replace(ENTRY, **fields)


def event(type_: EventType, **fields: Any) -> Event:
    """An event of this type with these fields."""
    return replace(_EVENT, type=type_, **fields)
