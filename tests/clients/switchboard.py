"""A proxy with one address for two daemons that share a store: calls go to them in turn, or to the one that runs.

When a daemon is gone, the proxy does what our clients do: it retries at the other daemon with the same request id, and
resumes a watch. A scenario that is played over it does not notice that daemons are killed.
"""

import asyncio
import functools
import itertools
import threading
import uuid
from collections.abc import AsyncIterator, Sequence
from typing import Any, Self

import grpc
from tests.attack.channel import upload
from tests.integration.contract import METHODS, Method
from tests.wait import WAIT_S_MAX

from memoryd.v1.event_service_pb2 import (
    WATCH_PHASE_INITIAL_STATE_COMPLETE,
    WATCH_PHASE_OPENED,
    WatchEventsRequest,
    WatchEventsResponse,
)

RETRY_S = 0.02  # time: between two attempts
OPTIONS = [
    ("grpc.max_receive_message_length", 64 << 20),
    ("grpc.max_send_message_length", 64 << 20),
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 200),
    ("grpc.so_reuseport", 0),
]
DETAILS_KEY = "grpc-status-details-bin"
FIRST_ONLY = ("SnapshotService", "OperationService", "AgentService/EndAgent")
"""A snapshot is a file of the daemon that took it; an agent that ends may leave one; an operation is in one daemon."""
COUNTED = (
    "WorkingMemoryService/GetEntry",
    "LongTermMemoryService/GetMemory",
    "LongTermMemoryService/BatchGetMemories",
    "LongTermMemoryService/RecallMemories",
    "DocumentService/GetDocumentChunk",
)
"""Methods whose reads a daemon counts, and stores the counts later."""


class Switchboard:
    """The proxy, which serves on ``address`` in its own thread."""

    def __init__(self, daemons: Sequence[str]) -> None:
        self.address = ""
        self._daemons = daemons
        self._turns = itertools.count()
        self._serves = threading.Event()
        self._stopped = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="switchboard", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._serves.wait(WAIT_S_MAX)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(WAIT_S_MAX)

    def wait_until_connected(self) -> None:
        """Wait until there is a connection to each daemon: until then, calls go to another one."""
        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(self._connect(), self._loop).result(WAIT_S_MAX)

    async def _connect(self) -> None:
        for channel in self._channels:
            await channel.channel_ready()

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            self._loop = runner.get_loop()
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._channels: list[Any] = [grpc.aio.insecure_channel(each, options=OPTIONS) for each in self._daemons]
        server = grpc.aio.server(options=OPTIONS)
        handlers: dict[str, list[tuple[str, Any]]] = {}
        for method in METHODS:
            handlers.setdefault(method.descriptor.containing_service.full_name, []).append(
                (method.descriptor.name, self._handler(method))
            )
        for service, of_service in handlers.items():
            server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, dict(of_service)),))
        self.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        await server.start()
        self._serves.set()
        await self._stopped.wait()
        await server.stop(0)
        for channel in self._channels:
            await channel.close()

    def _handler(self, method: Method) -> Any:
        path = f"/{method.descriptor.containing_service.full_name}/{method.descriptor.name}"

        async def exporting(data: bytes, context: Any) -> AsyncIterator[bytes]:
            try:
                async for each in self._channels[0].unary_stream(path)(data, wait_for_ready=True):
                    yield each
            except grpc.aio.AioRpcError as error:
                await _forward(error, context)

        async def importing(parts: AsyncIterator[bytes], context: Any) -> Any:
            received = [each async for each in parts]
            try:
                return await upload(self._channels[0], path, received, wait_for_ready=True)
            except grpc.aio.AioRpcError as error:
                await _forward(error, context)

        if method.descriptor.client_streaming:
            return grpc.stream_unary_rpc_method_handler(importing)  # type: ignore[arg-type]
        if method.name == "EventService/WatchEvents":
            return grpc.unary_stream_rpc_method_handler(functools.partial(self._watch, path))  # type: ignore[arg-type]
        if method.descriptor.server_streaming:
            return grpc.unary_stream_rpc_method_handler(exporting)  # type: ignore[arg-type]
        return grpc.unary_unary_rpc_method_handler(functools.partial(self._call, method, path))  # type: ignore[arg-type]

    async def _call(self, method: Method, path: str, data: bytes, context: Any) -> Any:
        request = method.request_type.FromString(data)
        if "request_id" in request.DESCRIPTOR.fields_by_name and not request.request_id:
            request.request_id = uuid.uuid4().hex
        turn = next(self._turns)
        if method.name.startswith(FIRST_ONLY):
            turn = 0
        elif _is_by_agent(method):
            turn = sum(request.agent_id.encode())
        while True:
            call = self._channels[turn % len(self._channels)].unary_unary(path)
            try:
                return await call(request.SerializeToString(), timeout=context.time_remaining())
            except grpc.aio.AioRpcError as error:
                if not _is_cut(error):
                    await _forward(error, context)
            turn += not method.name.startswith(FIRST_ONLY)
            await asyncio.sleep(RETRY_S)  # time: the pause before a retry

    async def _watch(self, path: str, data: bytes, context: Any) -> AsyncIterator[bytes]:
        progress = _Progress(WatchEventsRequest.FromString(data))
        while True:
            channel = self._channels[next(self._turns) % len(self._channels)]
            call = channel.unary_stream(path)(progress.begin())
            try:
                async for each in call:
                    for message in progress.take(each):
                        yield message
                return
            except grpc.aio.AioRpcError as error:
                if not _is_cut(error):
                    await _forward(error, context)
            finally:
                call.cancel()
            await asyncio.sleep(RETRY_S)  # time: the pause before a retry


class _Progress:
    """The position of a watch, from which it is resumed.

    Messages of the initial state have no resume tokens: they are held back until the initial state is complete, so that
    it can be requested again.
    """

    def __init__(self, request: WatchEventsRequest) -> None:
        self._request = request
        self._held: list[bytes] | None = [] if request.include_initial_state else None
        self._has_opened = False

    def begin(self) -> bytes:
        """Return the encoded request that starts or resumes the watch."""
        if self._held is not None:
            self._held.clear()
        return self._request.SerializeToString()

    def take(self, data: bytes) -> list[bytes]:
        """Advance the position, and return the messages to send to the watcher now."""
        message = WatchEventsResponse.FromString(data)
        is_repeated = message.phase == WATCH_PHASE_OPENED and self._has_opened
        messages = [] if is_repeated else [data]
        if self._held is not None:
            self._held.append(data)
            if message.phase != WATCH_PHASE_INITIAL_STATE_COMPLETE:
                return []
            messages, self._held = self._held, None
        if message.resume_token:
            self._request.ClearField("after_revision")
            self._request.ClearField("include_initial_state")
            self._request.resume_token = message.resume_token
        self._has_opened = True
        return messages


def _is_by_agent(method: Method) -> bool:
    """Return True if the calls for one agent go to one daemon, while it runs.

    That daemon counts the reads, and keeps the state that a listing started with.
    """
    fields = method.request_type.DESCRIPTOR.fields_by_name
    return method.name in COUNTED or ("page_token" in fields and "agent_id" in fields)


def _is_cut(error: grpc.aio.AioRpcError) -> bool:
    """Return True if the connection broke, instead of the daemon ending the call."""
    has_details = any(name == DETAILS_KEY for name, _ in error.trailing_metadata() or ())
    return error.code() is grpc.StatusCode.UNAVAILABLE and not has_details


async def _forward(error: grpc.aio.AioRpcError, context: Any) -> None:
    details = [(name, value) for name, value in error.trailing_metadata() or () if name == DETAILS_KEY]
    await context.abort(error.code(), error.details() or "", tuple(details))
