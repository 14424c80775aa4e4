"""A watch that resumes by itself when its connection breaks."""

import time
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, Self

import grpc

from memoryd.aio.channel import Channel
from memoryd.aio.connection import CutOff, RpcError
from memoryd.aio.runtime import Flag, is_cancelled, pause
from memoryd.errors import CallFailed, Unavailable
from memoryd.model.event import Event, WatchMessage
from memoryd.protocol.event import WatchOptions
from memoryd.protocol.method import WATCH_EVENTS
from memoryd.protocol.status import client_closed
from memoryd.protocol.watch import DEFAULT_OUTAGE_MAX, WatchProgress
from memoryd.v1.event_service_pb2 import WatchEventsRequest


class Watch:
    """Committed events as they happen: each once, in order, also across restarts of the daemon.

    ``async with agent.watch() as watch: async for event in watch: ...``. No commit after the beginning of the block is
    missed; without a block, none after the first iteration. ``messages`` yields the phases of the watch, too.

    Iterating raises RevisionCompacted when the journal no longer retains the next event, Unavailable when the daemon
    stays unavailable, and another CallFailed when the watch is refused. ``close`` ends the watch from any task, as
    does closing the client.
    """

    def __init__(self, channel: Channel, request: WatchEventsRequest, options: WatchOptions) -> None:
        self._channel = channel
        self._progress = WatchProgress(
            request,
            connect_timeout=channel.settings.connect_timeout,
            outage_max=options.get("outage_max", DEFAULT_OUTAGE_MAX),
            clock=time.monotonic,
        )
        self._closed = Flag()
        self._stream: Any = None
        self._opened: WatchMessage | None = None
        self._received = self._receive()

    @property
    def resume_token(self) -> str:
        """The token with which a later watch continues after the last event that was yielded; empty at first.

        Save it once that event is processed. Within a message of many events, it stays at the previous message.
        """
        return self._progress.resume_token

    @property
    def revision(self) -> int:
        """The agent's revision up to which all events were yielded if the filters name exactly one agent, else 0."""
        return self._progress.revision

    @property
    def initial_state_complete(self) -> bool:
        """True once the initial state was yielded completely, or from the start if none was requested."""
        return self._progress.initial_state_complete

    @property
    def resumes(self) -> int:
        """The number of times the watch has reconnected."""
        return self._progress.resumes

    async def messages(self) -> AsyncIterator[WatchMessage]:
        """Yield the messages of the watch with their phases instead of the events alone."""
        async for message in self._all():
            self._progress.delivered(message)
            yield message

    async def __aiter__(self) -> AsyncIterator[Event]:
        async for message in self._all():
            for event in self._progress.deliver(message):
                yield event

    async def close(self) -> None:
        """End the watch. Iterations over it end, too."""
        self._closed.set()
        if self._stream is not None:
            self._stream.cancel()

    async def __aenter__(self) -> Self:
        self._opened = await anext(self._received)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def _all(self) -> AsyncIterator[WatchMessage]:
        if self._opened is not None:
            opened, self._opened = self._opened, None
            yield opened
        async for message in self._received:
            yield message

    async def _receive(self) -> AsyncIterator[WatchMessage]:
        if self._channel.closed:
            raise client_closed()
        while not self._is_over():
            self._stream = self._channel.download(WATCH_EVENTS, self._progress.request(), None)
            try:
                async for response in self._stream:
                    yield self._progress.receive(response)
                lost: CallFailed = Unavailable("the server ended the watch", code=grpc.StatusCode.UNAVAILABLE)
            except CutOff:
                # Closing the watch or its channel cuts the stream off. Any other cause concerns the caller.
                if is_cancelled() or not self._is_over():
                    raise
                return
            except RpcError as error:
                if self._is_over():
                    return
                lost = self._channel.failure(error)
            finally:
                self._stream.cancel()
            await pause(self._progress.lose(lost), self._closed)
            if (restarted := self._progress.restart()) is not None:
                yield restarted

    def _is_over(self) -> bool:
        return self._closed.is_set() or self._channel.closed
