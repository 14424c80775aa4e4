"""The calls about events, and the requests of watches."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TypedDict

from memoryd.model.event import EVENT_CAUSE, EVENT_TYPE, Event, EventFilter, event_from
from memoryd.model.listing import LIST_ORDER, ListOrder
from memoryd.model.moment import duration_of, timestamp_if_given
from memoryd.model.record import RECORD_KIND
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, page_call
from memoryd.protocol.consistency import ReadOptions
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.option import any_of
from memoryd.protocol.record_filter import record_filter_message, select
from memoryd.v1 import event_pb2, listing_pb2
from memoryd.v1 import event_service_pb2 as pb
from memoryd.v1.record_filter_pb2 import RecordFilter


class WatchOptions(TypedDict, total=False):
    """The options of a watch. At most one of the first three may be given; without, it starts with the next commit.

    ``resume_token``: continue after the message of an earlier watch that had this token.
    ``after_revision``: start with the events after this revision; the filters must name exactly one agent.
    ``initial_state``: if true, first emit the records that exist now.
    ``content``: if false, leave out everything that a writer wrote, such as the values of entries.
    ``previous``: if true, add the records before the changes, as far as the journal has them.
    ``progress_interval``: time between PROGRESS messages while there are no events, in seconds or as a timedelta; 30 s.
    ``progress_on_commit``: if true, a PROGRESS message reports each commit of which no event is selected, at once; the
    filters must name exactly one agent.
    ``exclude_origin``: leave out the events that this origin caused.
    ``outage_max``: seconds that the daemon may be unavailable before the watch fails; 300. None waits forever.
    """

    resume_token: str | None
    after_revision: int | None
    initial_state: bool
    content: bool
    previous: bool
    progress_interval: timedelta | float | None
    progress_on_commit: bool
    exclude_origin: str
    outage_max: float | None


class EventListOptions(ReadOptions, total=False):
    """The options of a list of past events. Revisions need filters that name exactly one agent, by its id.

    ``order``: "create_time", the oldest first, by default; "create_time_descending" for the newest first.
    ``after_revision``: only the events after this revision.
    ``end_revision``: only the events up to this revision, which is included.
    ``start_time``: only the events that were committed at this time or later.
    ``end_time``: only the events that were committed before this time.
    ``content``: if false, leave out everything that a writer wrote, such as the values of entries.
    ``previous``: if true, add the records before the changes, as far as the journal has them.
    """

    order: ListOrder | str
    after_revision: int
    end_revision: int
    start_time: datetime | None
    end_time: datetime | None
    content: bool
    previous: bool


def filter_of(chosen: EventFilter) -> event_pb2.EventFilter:
    """Return the filter as a message.

    Raises TypeError for a string in place of a collection, ValueError for a list that is empty or given twice, and
    UnknownWord.
    """
    return event_pb2.EventFilter(
        agent_ids=any_of("agent_ids", chosen.agent_ids),
        scope_ids=any_of("scope_ids", chosen.scope_ids),
        include_descendants=chosen.include_descendants,
        key_prefix=chosen.key_prefix,
        event_types=[EVENT_TYPE.number(event_type) for event_type in any_of("event_types", chosen.event_types)],
        kinds=[RECORD_KIND.number(kind) for kind in any_of("kinds", chosen.kinds)],
        causes=[EVENT_CAUSE.number(cause) for cause in any_of("causes", chosen.causes)],
        record=_record_filter_of(chosen),
    )


def _record_filter_of(chosen: EventFilter) -> RecordFilter | None:
    message = record_filter_message(chosen.record)
    if message.all_users and chosen.user_ids is not None:
        raise ValueError("user_ids and all_users exclude each other: give at most one")
    select(message, user_ids=chosen.user_ids, conversation_ids=chosen.conversation_ids)
    return message if message.ByteSize() else None


def list_events(filters: Iterable[EventFilter], options: EventListOptions) -> Call[Page[Event]]:
    """List past events, page by page."""
    request = pb.ListEventsRequest(
        filters=[filter_of(chosen) for chosen in filters],
        order=LIST_ORDER.number(options.get("order", ListOrder.UNSPECIFIED)),
        after_revision=options.get("after_revision", 0),
        end_revision=options.get("end_revision", 0),
        start_time=timestamp_if_given(options.get("start_time")),
        end_time=timestamp_if_given(options.get("end_time")),
        view=_view(options.get("content", True)),
        include_previous=options.get("previous", False),
        page_size=LIST_PAGE_SIZE,
    )
    return page_call(method.LIST_EVENTS, request, lambda answer: [event_from(event) for event in answer.events])


def watch_request(filters: Iterable[EventFilter], options: WatchOptions) -> pb.WatchEventsRequest:
    """Return the first request of a watch. Raises ValueError if the options have more than one start."""
    request = pb.WatchEventsRequest(
        filters=[filter_of(chosen) for chosen in filters],
        view=_view(options.get("content", True)),
        exclude_origin=options.get("exclude_origin", ""),
        include_previous=options.get("previous", False),
        progress_on_commit=options.get("progress_on_commit", False),
    )
    if (progress_interval := options.get("progress_interval")) is not None:
        request.progress_interval.CopyFrom(duration_of(progress_interval))
    _write_start(request, options)
    return request


def _write_start(request: pb.WatchEventsRequest, options: WatchOptions) -> None:
    resume_token, after_revision = options.get("resume_token"), options.get("after_revision")
    initial_state = options.get("initial_state", False)
    if sum((resume_token is not None, after_revision is not None, initial_state)) > 1:
        raise ValueError("resume_token, after_revision and initial_state exclude each other: give at most one")
    if resume_token is not None:
        request.resume_token = resume_token
    elif after_revision is not None:
        request.after_revision = after_revision
    elif initial_state:
        request.include_initial_state = True


def _view(content: bool) -> listing_pb2.RecordView:
    return listing_pb2.RECORD_VIEW_FULL if content else listing_pb2.RECORD_VIEW_WITHOUT_CONTENT
