"""The daemon as users run it; where grpcio's server serves, with empty methods on the same server as a baseline.

Takes the arguments of ``memoryd``. The empty methods receive and return messages of the same types and sizes as the
real ones, (de)serialised by gRPC, and do nothing else. The bare watches write each published event to every stream, and
do nothing else.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from unittest import mock

import grpc
from google.protobuf.timestamp_pb2 import Timestamp
from tests.benchmarks import workload

from memoryd.v1 import entry_pb2, event_pb2, event_service_pb2
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd_server.ops.cli.main import main
from memoryd_server.transport.grpc import server as grpc_server
from memoryd_server.transport.grpc.router import Router

EMPTY_GET = "/benchmark.Empty/Get"
EMPTY_SET = "/benchmark.Empty/Set"
BARE_WATCH = "/benchmark.Bare/Watch"
BARE_PUBLISH = "/benchmark.Bare/Publish"


class _EmptyMethods(grpc.GenericRpcHandler):
    def __init__(self) -> None:
        watches = _BareWatches()
        self._handlers = {
            EMPTY_GET: _returning(pb.GetEntryRequest, _get_response()),
            EMPTY_SET: _returning(pb.SetEntryRequest, _set_response()),
            BARE_WATCH: grpc.unary_stream_rpc_method_handler(watches.watch),
            BARE_PUBLISH: grpc.unary_unary_rpc_method_handler(watches.publish),
        }

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        return self._handlers.get(handler_call_details.method)


class _BareWatches:
    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[bytes]] = []

    async def watch(self, _request: bytes, context: Any) -> None:
        """Write OPENED, then each event."""
        opened = event_service_pb2.WatchEventsResponse(phase=event_service_pb2.WATCH_PHASE_OPENED)
        await context.write(opened.SerializeToString())
        while True:
            published: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
            self._waiting.append(published)
            await context.write(await published)

    async def publish(self, request: bytes, _context: Any) -> bytes:
        """Publish the event of an entry that was set to all watches."""
        setting = pb.SetEntryRequest.FromString(request)
        entry = entry_pb2.Entry(key=setting.key, value_json=setting.value_json)
        subject = event_pb2.EntryEvent(key=setting.key, entry=entry)
        event = event_pb2.Event(agent_id=setting.agent_id, entry=subject)
        message = event_service_pb2.WatchEventsResponse(phase=event_service_pb2.WATCH_PHASE_LIVE, events=[event])
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            each.set_result(message.SerializeToString())
        return _set_response().SerializeToString()


class _RouterWithEmptyMethods(Router):
    """Its own methods come first: the daemon's router has a handler for any path."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._empty = _EmptyMethods()

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        return self._empty.service(handler_call_details) or super().service(handler_call_details)


def _returning(request_type: Any, response: Any) -> Any:
    async def handle(_request: Any, _context: Any) -> Any:
        return response

    handler: Callable[[Any, Any], Awaitable[Any]] = handle
    return grpc.unary_unary_rpc_method_handler(
        handler, request_deserializer=request_type.FromString, response_serializer=type(response).SerializeToString
    )


def _entry() -> entry_pb2.Entry:
    moment = Timestamp(seconds=1_795_302_829, nanos=123_456_789)
    return entry_pb2.Entry(
        key=workload.KEY,
        value_json=workload.VALUE_JSON,
        entry_id="0" * 20,
        type=entry_pb2.ENTRY_TYPE_FACT,
        importance=0.5,
        revision=10_000,
        create_time=moment,
        update_time=moment,
        access_count=10_000,
        last_access_time=moment,
    )


def _get_response() -> pb.GetEntryResponse:
    return pb.GetEntryResponse(found=True, entry=_entry(), revision=10_000)


def _set_response() -> pb.SetEntryResponse:
    entry = _entry()
    for name in ("value_json", "access_count", "last_access_time"):
        entry.ClearField(name)
    return pb.SetEntryResponse(entry=entry, created=False, revision=10_000)


if __name__ == "__main__":
    with mock.patch.object(grpc_server, "Router", _RouterWithEmptyMethods):
        main()
