"""Events, between the domain and the contract."""

from collections.abc import Callable, Iterable
from typing import Any

from memoryd.v1 import event_pb2
from memoryd_server.domain import limit, validation
from memoryd_server.domain.agent.event import AgentSubject, ClearedSubject, Event, EventFilter, EventSelection, Subject
from memoryd_server.domain.entries.entry_subject import EntrySubject, ScopeSubject
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.fragments.fragment_subject import FragmentsSubject, FragmentSubject
from memoryd_server.domain.memories.memory_subject import LinkSubject, MemoriesSubject, MemorySubject
from memoryd_server.transport.entries.entry_message import committed_entry_message
from memoryd_server.transport.events.record_message import write_record
from memoryd_server.transport.fields.timestamp import timestamp
from memoryd_server.transport.fragments.fragment_message import fragment_message
from memoryd_server.transport.memories.memory_message import committed_memory_message, link_message


def event_message(agent_id: str, event: Event, payload_mode: int) -> event_pb2.Event:
    """Encode an event."""
    message = event_pb2.Event(
        revision=event.revision,
        index=event.index,
        type=int(event.type),  # type: ignore[arg-type]
        cause=int(event.cause),  # type: ignore[arg-type]
        agent_id=agent_id,
        time=timestamp(event.time),
        origin=event.origin,
    )
    write = _WRITERS.get(type(event.subject), write_record)
    write(message, agent_id, event.subject, payload_mode)
    return message


def _write_agent(message: event_pb2.Event, agent_id: str, subject: AgentSubject, payload_mode: int) -> None:
    message.snapshot_id = subject.snapshot_id
    message.entries_cleared = subject.counts.get("entries", 0)
    message.fragment_count = subject.counts.get("fragments", 0)
    message.memory_count = subject.counts.get("memories", 0)
    message.record_count = subject.counts.get("records", 0)


def _write_cleared(message: event_pb2.Event, agent_id: str, subject: ClearedSubject, payload_mode: int) -> None:
    message.memory_kind = subject.kind  # type: ignore[assignment]
    message.record_count = subject.count


def _write_scope(
    message: event_pb2.Event, agent_id: str, subject: ScopeSubject | EntrySubject, payload_mode: int
) -> None:
    message.scope_id = subject.scope_id
    message.scope_name = subject.scope_name
    message.parent_scope_id = subject.ancestors[0] if subject.ancestors else ""
    if isinstance(subject, ScopeSubject):
        message.entries_cleared = subject.entries_cleared
        return
    message.key = subject.key
    message.is_update = subject.is_update
    if subject.entry is not None:
        message.entry.CopyFrom(committed_entry_message(subject.entry, payload_mode))
        message.type_name = subject.entry.type_name


def _write_fragment(message: event_pb2.Event, agent_id: str, subject: FragmentSubject, payload_mode: int) -> None:
    message.fragment_id = subject.fragment_id
    if subject.fragment is not None:
        message.fragment.CopyFrom(fragment_message(agent_id, subject.fragment, payload_mode))


def _write_fragments(message: event_pb2.Event, agent_id: str, subject: FragmentsSubject, payload_mode: int) -> None:
    message.fragment_count = subject.count


def _write_memory(message: event_pb2.Event, agent_id: str, subject: MemorySubject, payload_mode: int) -> None:
    message.memory_id = subject.memory_id
    if subject.memory is not None:
        message.memory.CopyFrom(committed_memory_message(agent_id, subject.memory, payload_mode))


def _write_link(message: event_pb2.Event, agent_id: str, subject: LinkSubject, payload_mode: int) -> None:
    message.memory_id = subject.memory_id
    message.link.CopyFrom(link_message(subject.link))


def _write_memories(message: event_pb2.Event, agent_id: str, subject: MemoriesSubject, payload_mode: int) -> None:
    message.memory_count = subject.count


_WRITERS: dict[type[Subject], Callable[[event_pb2.Event, str, Any, int], None]] = {
    AgentSubject: _write_agent,
    ClearedSubject: _write_cleared,
    EntrySubject: _write_scope,
    ScopeSubject: _write_scope,
    FragmentSubject: _write_fragment,
    FragmentsSubject: _write_fragments,
    MemorySubject: _write_memory,
    LinkSubject: _write_link,
    MemoriesSubject: _write_memories,
}
"""The function that encodes each type of subject into an event. Records of collections share ``write_record``."""


def selection_of(filters: Iterable[event_pb2.EventFilter], exclude_origin: str = "") -> EventSelection:
    """Decode the filters of events. Raises InvalidField."""
    chosen = tuple(_filter_of(each, f"filters[{index}]") for index, each in enumerate(filters))
    if len(chosen) > limit.FILTERS_MAX:
        raise InvalidField("filters", f"must be at most {limit.FILTERS_MAX}")
    return EventSelection(chosen, validation.optional_text("exclude_origin", exclude_origin, limit.ORIGIN_BYTES_MAX))


def _filter_of(message: event_pb2.EventFilter, field: str) -> EventFilter:
    for name in ("agent_ids", "scope_ids", "event_types"):
        if len(getattr(message, name)) > limit.FILTER_TERMS_MAX:
            raise InvalidField(f"{field}.{name}", f"must be at most {limit.FILTER_TERMS_MAX}")
    return EventFilter(
        frozenset(validation.text(f"{field}.agent_ids", each, limit.AGENT_ID_BYTES_MAX) for each in message.agent_ids),
        frozenset(message.scope_ids),
        message.include_descendants,
        validation.optional_text(f"{field}.key_prefix", message.key_prefix, limit.KEY_BYTES_MAX),
        validation.all_known(f"{field}.event_types", message.event_types, EventType),
    )
