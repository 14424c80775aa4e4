"""EventService: decode the request, call the engine, encode the response.

A commit's events are serialised once for all watchers with the same selection. A response of a watch is a concatenation
of such parts, which protobuf reads as one message: repeated fields are joined, of a single field the last one counts.
"""

import contextlib
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import msgspec

from memoryd.v1 import event_pb2
from memoryd.v1 import event_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.agent.event import Event, EventSelection, EventSpan
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.domain.values.record_view import RecordView
from memoryd_server.engine.agents.token import encode_resume
from memoryd_server.engine.agents.watch_memory import WatchFlow
from memoryd_server.engine.watching.event_cursor import EventSlice
from memoryd_server.engine.watching.events import EventListing, Events
from memoryd_server.engine.watching.outlet import WatchOutput
from memoryd_server.engine.watching.watch_step import WatchRequest, WatchStep
from memoryd_server.transport.call import Call
from memoryd_server.transport.events.event_message import event_message, selection_of
from memoryd_server.transport.fields.request_fields import consistency_of, page_request_of
from memoryd_server.transport.fields.timestamp import duration_within, moment_of
from memoryd_server.transport.fields.view import order_of, view_of


class EventService:
    """Serves events."""

    def __init__(self, events: Events) -> None:
        self._events = events

    def watch_events(self, request: pb.WatchEventsRequest, call: Call) -> AsyncGenerator[bytes, None]:
        """Stream committed events as serialised WatchEventsResponses."""
        watch = _watch_request_of(request)
        call.require_agents(watch.selection.agents)
        view = view_of(request)
        flow = self._events.memory.flow(call.connection)
        if request.include_previous:
            return self._watch_with_previous(watch, view, flow)
        assert call.outlet is not None
        return self._events.messages(watch, flow, WatchOutput(view, self._message, call.outlet))

    async def _watch_with_previous(
        self, watch: WatchRequest, view: RecordView, flow: WatchFlow
    ) -> AsyncGenerator[bytes, None]:
        async with contextlib.aclosing(self._events.watch(watch, flow)) as steps:
            async for step in steps:
                message = self._encode(step, watch.selection, view, await self._previous_of(step, watch.selection))
                flow.send(message)
                # What the message was made of is not to be held until it is sent.
                del step
                yield message

    async def list_events(self, request: pb.ListEventsRequest, call: Call) -> pb.ListEventsResponse:
        """List past events."""
        listing, view = _listing_of(request), view_of(request)
        call.require_agents(listing.selection.agents)
        page = await self._events.page(listing, page_request_of(request, call))
        return pb.ListEventsResponse(
            revision=page.revision,
            events=await self._messages(page.events, view, listing.selection if request.include_previous else None),
            next_page_token=page.next_page_token,
            resume_token="" if page.point is None else encode_resume(self._events.store_id, page.point),
        )

    async def _messages(
        self, events: Sequence[tuple[str, Event]], view: RecordView, with_previous_of: EventSelection | None
    ) -> list[event_pb2.Event]:
        if with_previous_of is None:
            return [event_message(agent_id, event, view) for agent_id, event in events]
        found = self._events.previous_records(with_previous_of, events)
        previous = [await found.find(agent_id, (event,)) for agent_id, event in events]
        return [event_message(*event, view, *each) for event, each in zip(events, previous, strict=True)]

    async def _previous_of(self, step: WatchStep, selection: EventSelection) -> list[list[Any]]:
        """Return the records before the changes of a step's events, for each of its slices."""
        events = ((each.commit.agent_id, event) for each in step.slices for event in each.events)
        found = self._events.previous_records(selection, events)
        return [await found.find(each.commit.agent_id, each.events) for each in step.slices]

    def _message(self, step: WatchStep, selection: EventSelection, view: RecordView) -> bytes:
        """Return the message of a step. That of a whole commit is cached with the commit, for the other watchers."""
        if len(step.slices) != 1 or not step.slices[0].whole:
            return self._encode(step, selection, view)
        kept = step.slices[0].commit.encoded
        name = ("message", selection, view, step.revision)
        message: bytes | None = kept.get(name)
        if message is None:
            message = self._encode(step, selection, view)
            self._events.memory.keep(step.slices[0].commit, name, message)
        return message

    def _encode(
        self, step: WatchStep, selection: EventSelection, view: RecordView, previous: list[list[Any]] | None = None
    ) -> bytes:
        token = "" if step.point is None else encode_resume(self._events.store_id, step.point)
        head = pb.WatchEventsResponse(
            phase=int(step.phase),  # type: ignore[arg-type]
            revision=step.revision,
            resume_token=token,
            revision_continues=step.revision_continues,
        )
        if previous is None:
            pieces = [self._piece(each, selection, view) for each in step.slices]
        else:
            pieces = [_own_piece(*each, view) for each in zip(step.slices, previous, strict=True)]
        return b"".join([head.SerializeToString(), *pieces])

    def _piece(self, emitted: EventSlice, selection: EventSelection, view: RecordView) -> bytes:
        name = (selection, view)
        kept: bytes | None = emitted.commit.encoded.get(name) if emitted.whole else None
        if kept is not None:
            return kept
        agent_id = emitted.commit.agent_id
        events = [event_message(agent_id, event, view) for event in emitted.events]
        piece = pb.WatchEventsResponse(events=events).SerializeToString()
        if emitted.whole:
            self._events.memory.keep(emitted.commit, name, piece)
        return piece


def _own_piece(emitted: EventSlice, previous: list[Any], view: RecordView) -> bytes:
    """Return the events of a slice with the records before their changes, which watchers do not share."""
    pairs = zip(emitted.events, previous, strict=True)
    events = [event_message(emitted.commit.agent_id, event, view, each) for event, each in pairs]
    return pb.WatchEventsResponse(events=events).SerializeToString()


def _watch_request_of(request: pb.WatchEventsRequest) -> WatchRequest:
    selection = selection_of(request.filters, request.exclude_origin)
    interval_ns = limit.PROGRESS_INTERVAL_NS_DEFAULT
    if request.HasField("progress_interval"):
        interval_ns = duration_within(
            "progress_interval",
            request.progress_interval,
            limit.PROGRESS_INTERVAL_NS_MIN,
            limit.PROGRESS_INTERVAL_NS_MAX,
        )
    if request.progress_on_commit:
        _require_one_agent("progress_on_commit", selection)
    watch = WatchRequest(selection, interval_ns, request.progress_on_commit)
    start = request.WhichOneof("start")
    if start == "resume_token":
        token = validation.text("resume_token", request.resume_token, limit.TOKEN_BYTES_MAX)
        return msgspec.structs.replace(watch, resume_token=token)
    if start == "after_revision":
        after_revision = _revision_of("after_revision", request.after_revision, selection)
        return msgspec.structs.replace(watch, after_revision=after_revision)
    return msgspec.structs.replace(watch, include_initial_state=request.include_initial_state)


def _listing_of(request: pb.ListEventsRequest) -> EventListing:
    selection = selection_of(request.filters)
    order, consistency = order_of(request, ListOrder.CREATE_TIME), consistency_of(request)
    if order.ascending is not ListOrder.CREATE_TIME:
        raise InvalidField("order", "must be LIST_ORDER_CREATE_TIME or LIST_ORDER_CREATE_TIME_DESCENDING")
    min_revision, end_revision = consistency.min_revision, None
    if min_revision:
        _revision_of("consistency.min_revision", min_revision, selection)
    if request.after_revision:
        _revision_of("after_revision", request.after_revision, selection)
    if request.end_revision:
        end_revision = _revision_of("end_revision", request.end_revision, selection)
    span = EventSpan(
        request.after_revision,
        end_revision,
        moment_of(request.start_time, "start_time") if request.HasField("start_time") else None,
        moment_of(request.end_time, "end_time") if request.HasField("end_time") else None,
    )
    spanned = selection if span == EventSpan() else msgspec.structs.replace(selection, span=span)
    return EventListing(spanned, order.is_descending, min_revision)


def _revision_of(field: str, revision: int, selection: EventSelection) -> int:
    """Return a revision of the one agent that is selected. Raises InvalidField."""
    validation.within(field, revision, 0, 2**63 - 1)
    _require_one_agent(field, selection)
    return revision


def _require_one_agent(field: str, selection: EventSelection) -> None:
    if selection.agents.one_agent is None:
        raise InvalidField(field, "needs filters that name exactly one agent, by its id")
