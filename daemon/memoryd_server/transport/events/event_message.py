"""Events, between the domain and the contract."""

from collections.abc import Sequence
from typing import Any

from memoryd.v1 import event_pb2
from memoryd_server.domain import limit, validation
from memoryd_server.domain.agent.event import Event, EventFilter, EventSelection
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.kinds import kinds_kept_by
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.record_view import RecordView
from memoryd_server.transport.events.subject_message import write_subject
from memoryd_server.transport.fields.agent_filter import agent_filter_of
from memoryd_server.transport.fields.record_filter import check_known, record_filter_of
from memoryd_server.transport.fields.timestamp import timestamp
from memoryd_server.transport.fields.view import viewed


def event_message(agent_id: str, event: Event, view: RecordView, previous: Any = None) -> event_pb2.Event:
    """Encode an event. ``previous`` is the record before the change; None to leave it out."""
    author = event.author
    message = event_pb2.Event(
        revision=event.revision,
        index=event.index,
        type=int(event.type),  # type: ignore[arg-type]
        kind=int(event.type.kind),  # type: ignore[arg-type]
        cause=int(event.cause),  # type: ignore[arg-type]
        agent_id=agent_id,
        event_time=timestamp(event.time),
        origin=author.origin,
        principal=author.principal,
        request_id=author.request_id,
        previous_revision=event.previous_revision,
    )
    write_subject(message, agent_id, event, previous)
    return viewed(message, view)


def selection_of(filters: Sequence[event_pb2.EventFilter], exclude_origin: str = "") -> EventSelection:
    """Decode the filters of events. Raises InvalidField."""
    if len(filters) > limit.FILTERS_MAX:
        raise InvalidField("filters", f"must be at most {limit.FILTERS_MAX}")
    chosen = tuple(_filter_of(each, f"filters[{index}]") for index, each in enumerate(filters))
    return EventSelection(chosen, validation.optional_text("exclude_origin", exclude_origin, limit.ORIGIN_BYTES_MAX))


def _filter_of(message: event_pb2.EventFilter, field: str) -> EventFilter:
    for name in _TERMS:
        if len(getattr(message, name)) > limit.FILTER_TERMS_MAX:
            raise InvalidField(f"{field}.{name}", f"must be at most {limit.FILTER_TERMS_MAX}")
    record = None
    if message.HasField("record"):
        record = record_filter_of(message.record, None, f"{field}.record", default_users=None)
    decoded = EventFilter(
        agents=agent_filter_of(f"{field}.agent_ids", message.agent_ids),
        kinds=validation.all_known(f"{field}.kinds", message.kinds, RecordKind),
        event_types=validation.all_known(f"{field}.event_types", message.event_types, EventType),
        causes=validation.all_known(f"{field}.causes", message.causes, EventCause),
        scope_ids=frozenset(message.scope_ids),
        include_descendants=message.include_descendants,
        key_prefix=validation.optional_text(f"{field}.key_prefix", message.key_prefix, limit.KEY_BYTES_MAX),
        record=record,
        record_kinds=frozenset() if record is None else kinds_kept_by(record),
    )
    check_known(message, field)
    return decoded


_TERMS = tuple(field.name for field in event_pb2.EventFilter.DESCRIPTOR.fields if field.is_repeated)
"""The names of the fields of a filter that have several values."""
