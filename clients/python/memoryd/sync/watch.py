"""A watch that goes on by itself when its connection breaks."""

import threading
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

import grpc

from memoryd.errors import CallFailed, Unavailable
from memoryd.model.event import Event, WatchMessage
from memoryd.protocol.event import WatchOptions
from memoryd.protocol.method import WATCH_EVENTS
from memoryd.protocol.status import client_closed
from memoryd.protocol.watch import DEFAULT_OUTAGE_MAX, WatchProgress
from memoryd.sync.channel import Channel
from memoryd.v1.event_service_pb2 import WatchEventsRequest


class Watch:
    """Committed events as they happen: each once, in order, also across restarts of the daemon.

    ``with agent.watch() as watch: for event in watch: ...``. From the beginning of the with block on, no commit is
    missed; without a with block that holds from the first iteration on. ``messages`` tells more than the events.

    Iterating raises RevisionCompacted when the journal no longer has what comes next, Unavailable when the daemon
    stays away, and other CallFailed for a watch that was never allowed. ``close`` ends it from any thread, and so does
    closing the client.
    """

    def __init__(self, channel: Channel, request: WatchEventsRequest, options: WatchOptions) -> None:
        self._channel = channel
        self._progress = WatchProgress(
            request,
            connect_timeout=channel.settings.connect_timeout,
            outage_max=options.get("outage_max", DEFAULT_OUTAGE_MAX),
            clock=time.monotonic,
        )
        self._closed = threading.Event()
        self._stream: Any = None
        self._opened: WatchMessage | None = None
        self._received = self._receive()

    @property
    def resume_token(self) -> str:
        """The token that continues after the last event that was yielded, for a later watch; empty at first.

        Keep it once that event is dealt with. Inside a message of many events it stays at the one before.
        """
        return self._progress.resume_token

    @property
    def revision(self) -> int:
        """The agent's revision up to which all was told, when the filters name exactly one agent, else 0."""
        return self._progress.revision

    @property
    def initial_state_complete(self) -> bool:
        """Whether what was there at the start has been told; true from the start when it was not asked for."""
        return self._progress.initial_state_complete

    @property
    def resumes(self) -> int:
        """How often the watch has connected again."""
        return self._progress.resumes

    def messages(self) -> Iterator[WatchMessage]:
        """Yield the messages of the watch with their phases instead of the events alone."""
        for message in self._all():
            self._progress.delivered(message)
            yield message

    def __iter__(self) -> Iterator[Event]:
        for message in self._all():
            yield from self._progress.deliver(message)

    def close(self) -> None:
        """End the watch; who iterates over it sees its end."""
        self._closed.set()
        if self._stream is not None:
            self._stream.cancel()

    def __enter__(self) -> Self:
        self._opened = next(self._received)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _all(self) -> Iterator[WatchMessage]:
        if self._opened is not None:
            opened, self._opened = self._opened, None
            yield opened
        yield from self._received

    def _receive(self) -> Iterator[WatchMessage]:
        if self._channel.closed:
            raise client_closed()
        while not self._is_over():
            self._stream = self._channel.download(WATCH_EVENTS, self._progress.request(), None)
            try:
                for response in self._stream:
                    yield self._progress.receive(response)
                lost: CallFailed = Unavailable("the server ended the watch", code=grpc.StatusCode.UNAVAILABLE)
            except grpc.RpcError as error:
                if self._is_over():
                    return
                lost = self._channel.failure(error)
            finally:
                self._stream.cancel()
            self._closed.wait(self._progress.lose(lost))
            if (restarted := self._progress.restart()) is not None:
                yield restarted

    def _is_over(self) -> bool:
        return self._closed.is_set() or self._channel.closed
