"""A watch that is read in a thread, so that a test can wait for its events."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import grpc
from tests.integration.wire import Refused, Wire, details_of
from tests.wait import WAIT_S_MAX

from memoryd.v1 import event_service_pb2 as pb
from memoryd.v1.event_pb2 import Event, EventFilter


class Watcher:
    """Reads one watch until it ends. Use as a context manager, which cancels it."""

    def __init__(self, wire: Wire, *agent_ids: str, metadata: Sequence[tuple[str, str]] = (), **fields: Any) -> None:
        if agent_ids:
            fields["filters"] = [EventFilter(agent_ids=agent_ids)]
        self.messages: list[pb.WatchEventsResponse] = []
        self._error: grpc.RpcError | None = None
        self._ended = False
        self._changed = threading.Condition()
        self._call = wire.events.WatchEvents(pb.WatchEventsRequest(**fields), metadata=tuple(metadata))
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def __enter__(self) -> "Watcher":
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()

    def cancel(self) -> None:
        """End the watch, and its thread."""
        self._call.cancel()
        self._thread.join(WAIT_S_MAX)

    def opened(self) -> "Watcher":
        """Wait until the watch is open, and return self."""
        self.wait(lambda: bool(self.messages))
        assert self.messages[0].phase == pb.WATCH_PHASE_OPENED
        return self

    @property
    def events(self) -> list[Event]:
        """All events so far, in the order of their arrival."""
        return [event for message in list(self.messages) for event in message.events]

    @property
    def phases(self) -> list[int]:
        """The phases of the messages so far."""
        return [message.phase for message in list(self.messages)]

    @property
    def token(self) -> str:
        """The last token to resume with."""
        return next((each.resume_token for each in reversed(self.messages) if each.resume_token), "")

    def until_events(self, count: int) -> list[Event]:
        """Wait until there are at least ``count`` events, and return all."""
        self.wait(lambda: len(self.events) >= count)
        return self.events

    def until_phase(self, phase: int, count: int = 1) -> pb.WatchEventsResponse:
        """Wait for the ``count``-th message of this phase, and return it."""
        self.wait(lambda: self.phases.count(phase) >= count)
        return [message for message in self.messages if message.phase == phase][count - 1]

    def wait(self, holds: Callable[[], bool]) -> None:
        """Wait until ``holds`` returns true. Fails if the watch ends before, or after WAIT_S_MAX."""
        deadline = time.monotonic() + WAIT_S_MAX
        with self._changed:
            while not holds():
                assert not self._ended, f"watch ended: {self._error}; {self.phases}"
                remaining = deadline - time.monotonic()
                assert remaining > 0, f"waited too long; phases {self.phases}, {len(self.events)} events"
                # The condition may also depend on something else than this watch.
                self._changed.wait(min(remaining, 0.1))

    def refused(self) -> Refused:
        """Wait until the daemon ends the watch, and return the details of its error."""
        self._thread.join(WAIT_S_MAX)
        assert self._error is not None, f"the watch did not end: {self.phases}"
        return details_of(self._error)

    def ended(self) -> grpc.StatusCode:
        """Wait until the watch ends for any reason, and return the status."""
        self._thread.join(WAIT_S_MAX)
        assert self._error is not None
        code: grpc.StatusCode = self._error.code()
        return code

    def _read(self) -> None:
        try:
            for message in self._call:
                with self._changed:
                    self.messages.append(message)
                    self._changed.notify_all()
        except grpc.RpcError as error:
            self._error = error
        with self._changed:
            self._ended = True
            self._changed.notify_all()
