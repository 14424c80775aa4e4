"""A watch without I/O: its requests, its position, and its recovery from a broken connection."""

import logging
from collections.abc import Callable, Iterator

from memoryd.errors import CallFailed
from memoryd.model.event import Event, WatchMessage, WatchPhase, watch_message_from
from memoryd.protocol.retry import backoff, is_transient
from memoryd.v1 import event_service_pb2 as pb

log = logging.getLogger("memoryd")

DEFAULT_OUTAGE_MAX = 300.0
DELAY_S_MAX = 5.0


class WatchProgress:
    """The position of a watch, across all of its connections.

    ``connect_timeout`` and ``outage_max`` are the seconds for which the daemon may be unavailable before the first
    message, and after it. ``outage_max`` None means forever.
    """

    def __init__(
        self,
        request: pb.WatchEventsRequest,
        *,
        connect_timeout: float,
        outage_max: float | None,
        clock: Callable[[], float],
    ) -> None:
        self.resume_token: str = request.resume_token
        self.revision: int = 0
        self.initial_state_complete: bool = not request.include_initial_state
        self.resumes: int = 0
        self._request = request
        self._position = request.resume_token
        self._opened = False
        self._initial_state_begun = False
        self._clock = clock
        self._outage_max = outage_max
        self._failures = 0
        self._give_up_at: float | None = clock() + connect_timeout

    def request(self) -> pb.WatchEventsRequest:
        """Return the request for the next connection: from the start, or after the last message that was received."""
        request = pb.WatchEventsRequest()
        request.CopyFrom(self._request)
        if self._position:
            request.resume_token = self._position
        return request

    def receive(self, response: pb.WatchEventsResponse) -> WatchMessage:
        """Advance the position, and return the response as a message."""
        message = watch_message_from(response)
        self._failures = 0
        self._give_up_at = None
        if message.phase is WatchPhase.OPENED:
            self.resumes += self._opened
            self._opened = True
        elif message.phase is WatchPhase.INITIAL_STATE:
            self._initial_state_begun = True
        elif message.phase is WatchPhase.INITIAL_STATE_COMPLETE:
            self.initial_state_complete = True
        # Resuming from a token before the end of the initial state would skip the rest of it.
        if self.initial_state_complete:
            self._position = message.resume_token or self._position
        return message

    def deliver(self, message: WatchMessage) -> Iterator[Event]:
        """Yield the message's events. ``resume_token`` advances with the last of them: a watch that resumes from it
        gets all events that were not yielded yet.
        """
        last = len(message.events) - 1
        for index, event in enumerate(message.events):
            # Before the yield: the watcher reads the token while it has the last event and this generator is suspended.
            if index == last:
                self.delivered(message)
            yield event
        if not message.events:
            self.delivered(message)

    def delivered(self, message: WatchMessage) -> None:
        """Advance the public position after a message whose events the watcher has all received."""
        if self.initial_state_complete:
            self.resume_token = message.resume_token or self.resume_token
        self.revision = message.revision or self.revision

    def lose(self, error: CallFailed) -> float:
        """Return the seconds after which to reconnect. Raises the error if it is permanent, or the outage too long."""
        if not is_transient(error):
            raise error
        if self._give_up_at is None and self._outage_max is not None:
            self._give_up_at = self._clock() + self._outage_max
        self._failures += 1
        delay = max(error.retry_delay or 0.0, backoff(self._failures, delay_max=DELAY_S_MAX))
        if self._give_up_at is not None and self._clock() + delay >= self._give_up_at:
            raise error
        log.info("watch reconnects in %.1f s: %s", delay, error.message)
        return delay

    def restart(self) -> WatchMessage | None:
        """Return a RESTARTED message if the connection broke during the initial state, which begins again; else None.

        The watcher must discard the part that it has: a record in it may have been deleted before the new connection.
        """
        if not self._initial_state_begun or self.initial_state_complete:
            return None
        self._initial_state_begun = False
        log.warning("watch interrupted during its initial state, which begins again")
        return WatchMessage(WatchPhase.RESTARTED)
