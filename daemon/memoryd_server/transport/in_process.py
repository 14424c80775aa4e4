"""Calls inside one process, without a socket: for tests, and for programs that contain the daemon.

The smallest transport that is complete. docs/contributing/adding-a-transport.md explains it step by step.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any, NoReturn, Self

from memoryd_server.transport.call_facts import CallFacts
from memoryd_server.transport.error import internal_status
from memoryd_server.transport.exchange import Metadata, Peer, text_of
from memoryd_server.transport.limit import UNREAD_RESPONSES_MAX
from memoryd_server.transport.routes import Method, unknown_method
from memoryd_server.transport.status import Status, StatusCode

log = logging.getLogger("memoryd.transport")


_LOCAL = Peer((), "in-process")


class CallFailed(Exception):  # noqa: N818 - named as in the clients
    """A call ended with a status other than OK."""

    def __init__(self, status: Status) -> None:
        super().__init__(f"{status.code.name}: {status.message}")
        self.status = status


class InProcessTransport:
    """Serves methods to callers in the event loop of the daemon, all of which are the same peer."""

    def __init__(self, methods: Mapping[str, Method], peer: Peer = _LOCAL) -> None:
        self._methods = methods
        self._peer = peer
        self._tasks: set[asyncio.Task[Status]] = set()

    def call(
        self, path: str, request: bytes | AsyncIterator[bytes], metadata: Metadata = (), timeout_s: float | None = None
    ) -> "InProcessCall":
        """Begin a call, and return an iterator over its responses.

        ``path`` is such as ``/memoryd.v1.EventService/ListEvents``. ``request`` is an iterator for a method with a
        stream of requests. After ``timeout_s`` seconds the call ends with DEADLINE_EXCEEDED.
        """
        requests = _only(request) if isinstance(request, bytes) else request
        exchange = _Exchange(requests, tuple(metadata), timeout_s, self._peer)
        method = self._methods.get(path) or unknown_method(path)
        task = asyncio.create_task(_serve(method, exchange), name=path)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # Not by the task itself: one that is cancelled before its first step never runs.
        task.add_done_callback(exchange.end)
        return InProcessCall(exchange, task)

    async def unary(self, path: str, request: bytes | AsyncIterator[bytes], **options: Any) -> bytes:
        """Return the only response of a call. Takes the options of ``call``. Raises CallFailed."""
        call = self.call(path, request, **options)
        try:
            return await anext(call)
        finally:
            call.cancel()

    async def stop(self, grace_s: float = 1.0) -> None:
        """Cancel the calls that have not ended after ``grace_s`` seconds. To be called after Serving.drain."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.gather(*self._tasks, return_exceptions=True), grace_s)


class InProcessCall:
    """The responses of a call, as an asynchronous iterator. It raises CallFailed when the call fails."""

    def __init__(self, exchange: "_Exchange", task: asyncio.Task[Status]) -> None:
        self._exchange = exchange
        self._task = task

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        return await self._exchange.next_response()

    def cancel(self) -> None:
        """End the call, unless it has ended."""
        if not self._task.done():
            self._exchange.is_cancelled = True
            self._task.cancel()


class _Exchange:
    crowd = None
    call = None

    def __init__(self, requests: AsyncIterator[bytes], metadata: Metadata, timeout_s: float | None, peer: Peer) -> None:
        self._requests = requests
        self._metadata = metadata
        self._peer = peer
        self._clock = asyncio.get_running_loop().time
        self._deadline = None if timeout_s is None else self._clock() + timeout_s
        self._room = asyncio.Semaphore(UNREAD_RESPONSES_MAX)
        self._responses: asyncio.Queue[bytes | Status] = asyncio.Queue()
        self.is_cancelled = False
        self.agent_id = ""
        self.refused: Status | None = None
        self.facts: CallFacts | None = None

    def metadata(self, key: str, /) -> str | None:
        return text_of(self._metadata, key)

    def peer(self) -> Peer:
        return self._peer

    def address(self) -> str:
        return self._peer.address

    def remaining_s(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - self._clock())

    def cancelled(self) -> bool:
        return self.is_cancelled or self.remaining_s() == 0

    def task(self) -> Any:
        return asyncio.current_task()

    async def receive(self) -> bytes | None:
        return await anext(self._requests, None)

    async def send(self, message: bytes, /) -> None:
        await self._room.acquire()
        self._responses.put_nowait(message)

    def has_left(self, error: Exception) -> bool:
        return False

    async def refuse(self, status: Status) -> NoReturn:
        raise CallFailed(status)

    def end(self, served: asyncio.Task[Status]) -> None:
        self._responses.put_nowait(Status(StatusCode.CANCELLED) if served.cancelled() else served.result())

    async def next_response(self) -> bytes:
        response = await self._responses.get()
        if isinstance(response, bytes):
            self._room.release()
            return response
        # The end stays the end, also for the next reader.
        self._responses.put_nowait(response)
        if response.code is StatusCode.OK:
            raise StopAsyncIteration
        raise CallFailed(response)


async def _only(request: bytes) -> AsyncIterator[bytes]:
    yield request


async def _serve(method: Method, exchange: _Exchange) -> Status:
    try:
        async with asyncio.timeout(exchange.remaining_s()):
            response = await method.serve(exchange)
    except CallFailed as failed:
        return failed.status
    except TimeoutError:
        return Status(StatusCode.DEADLINE_EXCEEDED, "the deadline is over")
    except Exception:
        log.exception("call failed")
        return internal_status()
    if response is not None:
        await exchange.send(response)
    return Status(StatusCode.OK)
