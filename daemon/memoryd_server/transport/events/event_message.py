"""Events, between the domain and the contract."""

from collections.abc import Iterable

from memoryd.v1 import event_pb2
from memoryd_server.domain import limit, validation
from memoryd_server.domain.agent.event import Event, EventFilter, EventSelection, EventType
from memoryd_server.domain.error import InvalidField
from memoryd_server.transport.entries.entry_message import told_entry_message
from memoryd_server.transport.events.record_message import write_record
from memoryd_server.transport.fields.timestamp import timestamp
from memoryd_server.transport.fragments.fragment_message import fragment_message
from memoryd_server.transport.memories.memory_message import link_message, told_memory_message


def event_message(agent_id: str, event: Event, payload_mode: int) -> event_pb2.Event:
    """An event as it is told."""
    message = event_pb2.Event(
        revision=event.revision,
        index=event.index,
        type=int(event.type),  # type: ignore[arg-type]
        cause=int(event.cause),  # type: ignore[arg-type]
        agent_id=agent_id,
        scope_id=event.scope_id,
        scope_name=event.scope_name,
        parent_scope_id=event.ancestors[0] if event.ancestors else "",
        time=timestamp(event.time),
        key=event.key,
        is_update=event.is_update,
        entries_cleared=event.entries_cleared,
        snapshot_id=event.snapshot_id,
        origin=event.origin,
        fragment_id=event.fragment_id,
        fragment_count=event.fragment_count,
        memory_id=event.memory_id,
        memory_count=event.memory_count,
        memory_kind=event.memory_kind,  # type: ignore[arg-type]
        record_count=event.record_count,
    )
    if event.entry is not None:
        message.entry.CopyFrom(told_entry_message(event.entry, payload_mode))
        message.type_name = event.entry.type_name
    if event.fragment is not None:
        message.fragment.CopyFrom(fragment_message(agent_id, event.fragment, payload_mode))
    if event.memory is not None:
        message.memory.CopyFrom(told_memory_message(agent_id, event.memory, payload_mode))
    if event.link is not None:
        message.link.CopyFrom(link_message(event.link))
    if event.record is not None:
        write_record(message, agent_id, event.record, payload_mode)
    return message


def selection_of(filters: Iterable[event_pb2.EventFilter], exclude_origin: str = "") -> EventSelection:
    """The events that are asked for. Raises InvalidField."""
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
