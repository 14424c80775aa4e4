"""EventService: decode the request, call the engine, encode the response.

A commit's events are serialised once for all watchers with the same selection. A response of a watch is a concatenation
of such parts, which protobuf reads as one message: repeated fields are joined, of a single field the last one counts.
"""

import contextlib
from collections.abc import AsyncGenerator

from memoryd.v1 import event_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.agent.event import EventSelection
from memoryd_server.domain.error import InvalidField
from memoryd_server.engine.agents.token import encode_resume
from memoryd_server.engine.watching.event_cursor import EventSlice
from memoryd_server.engine.watching.event_stream import WatchRequest, WatchStep
from memoryd_server.engine.watching.events import Events
from memoryd_server.transport.call import Call
from memoryd_server.transport.events.event_message import event_message, selection_of
from memoryd_server.transport.fields.request_fields import page_request_of
from memoryd_server.transport.fields.timestamp import duration_within


class EventService:
    """Serves events."""

    def __init__(self, events: Events) -> None:
        self._events = events

    async def watch_events(self, request: pb.WatchEventsRequest, call: Call) -> AsyncGenerator[bytes, None]:
        """Stream committed events as serialised WatchEventsResponses."""
        watch = _watch_request_of(request)
        call.require_agents(watch.selection.agent_ids)
        async with contextlib.aclosing(self._events.watch(watch)) as steps:
            async for step in steps:
                yield self._message(step, watch.selection, request.payload_mode)

    async def list_events(self, request: pb.ListEventsRequest, call: Call) -> pb.ListEventsResponse:
        """List past events."""
        selection = selection_of(request.filters)
        call.require_agents(selection.agent_ids)
        if request.after_revision:
            _check_one_agent(selection, request.after_revision)
        page = await self._events.page(selection, request.after_revision, page_request_of(request, call))
        return pb.ListEventsResponse(
            events=[event_message(agent_id, event, request.payload_mode) for agent_id, event in page.events],
            next_page_token=page.next_page_token,
            resume_token=encode_resume(self._events.store_id, page.point),
        )

    def _message(self, step: WatchStep, selection: EventSelection, payload_mode: int) -> bytes:
        """Return the message of a step. That of a whole commit is cached with the commit, for the other watchers."""
        if len(step.slices) != 1 or not step.slices[0].whole:
            return self._encode(step, selection, payload_mode)
        kept = step.slices[0].commit.encoded
        name = ("message", selection, payload_mode, step.revision)
        message: bytes | None = kept.get(name)
        if message is None:
            message = kept[name] = self._encode(step, selection, payload_mode)
        return message

    def _encode(self, step: WatchStep, selection: EventSelection, payload_mode: int) -> bytes:
        token = "" if step.point is None else encode_resume(self._events.store_id, step.point)
        head = pb.WatchEventsResponse(
            phase=int(step.phase),  # type: ignore[arg-type]
            revision=step.revision,
            resume_token=token,
            revision_continues=step.revision_continues,
        )
        pieces = [_piece(each, selection, payload_mode) for each in step.slices]
        return b"".join([head.SerializeToString(), *pieces])


def _piece(emitted: EventSlice, selection: EventSelection, payload_mode: int) -> bytes:
    kept = emitted.commit.encoded
    name = (selection, payload_mode)
    if emitted.whole and name in kept:
        return kept[name]  # type: ignore[no-any-return]
    agent_id = emitted.commit.agent_id
    events = [event_message(agent_id, event, payload_mode) for event in emitted.events]
    piece = pb.WatchEventsResponse(events=events).SerializeToString()
    if emitted.whole:
        kept[name] = piece
    return piece


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
    start = request.WhichOneof("start")
    if start == "resume_token":
        token = validation.text("resume_token", request.resume_token, limit.TOKEN_BYTES_MAX)
        return WatchRequest(selection, interval_ns, resume_token=token)
    if start == "after_revision":
        _check_one_agent(selection, request.after_revision)
        return WatchRequest(selection, interval_ns, after_revision=request.after_revision)
    return WatchRequest(selection, interval_ns, include_initial_state=request.include_initial_state)


def _check_one_agent(selection: EventSelection, after_revision: int) -> None:
    validation.within("after_revision", after_revision, 0, 2**63 - 1)
    if selection.agent_ids is None or len(selection.agent_ids) != 1:
        raise InvalidField("after_revision", "needs filters that name exactly one agent")
