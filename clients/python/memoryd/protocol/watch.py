"""A watch without its connection: what to ask for, what an answer means, and what to do when it breaks."""

import logging
from collections.abc import Callable, Iterator

from memoryd.errors import CallFailed
from memoryd.model.event import Event, WatchMessage, WatchPhase, watch_message_from
from memoryd.protocol.retry import backoff, may_pass
from memoryd.v1 import event_service_pb2 as pb

log = logging.getLogger("memoryd")

DEFAULT_OUTAGE_MAX = 300.0
LONGEST_DELAY = 5.0


class WatchProgress:
    """Where a watch stands, across as many connections as it takes.

    ``connect_timeout`` and ``outage_max`` are in seconds: how long the daemon may stay away at first, and later.
    """

    def __init__(
        self,
        request: pb.WatchEventsRequest,
        *,
        connect_timeout: float,
        outage_max: float | None,
        clock: Callable[[], float],
    ) -> None:
        self.resume_token = request.resume_token
        self.revision = 0
        self.initial_state_complete = not request.include_initial_state
        self.resumes = 0
        self._request = request
        self._position = request.resume_token
        self._opened = False
        self._heard_initial_state = False
        self._clock = clock
        self._outage_max = outage_max
        self._failures = 0
        self._give_up_at: float | None = clock() + connect_timeout

    def request(self) -> pb.WatchEventsRequest:
        """Answer what to ask the server for now: from the start, or after the last message that came."""
        request = pb.WatchEventsRequest()
        request.CopyFrom(self._request)
        if self._position:
            request.resume_token = self._position
        return request

    def receive(self, response: pb.WatchEventsResponse) -> WatchMessage:
        """Note a response, and answer what it says."""
        message = watch_message_from(response)
        self._failures = 0
        self._give_up_at = None
        if message.phase is WatchPhase.OPENED:
            self.resumes += self._opened
            self._opened = True
        elif message.phase is WatchPhase.INITIAL_STATE:
            self._heard_initial_state = True
        elif message.phase is WatchPhase.INITIAL_STATE_COMPLETE:
            self.initial_state_complete = True
        # A token before the end of the initial state would resume without the rest of it.
        if self.initial_state_complete:
            self._position = message.resume_token or self._position
        return message

    def deliver(self, message: WatchMessage) -> Iterator[Event]:
        """Yield the message's events. ``resume_token`` moves on with the last of them: what was not yielded yet is
        told again to a watch that is resumed from it.
        """
        last = len(message.events) - 1
        for index, event in enumerate(message.events):
            if index == last:
                self.delivered(message)
            yield event
        if not message.events:
            self.delivered(message)

    def delivered(self, message: WatchMessage) -> None:
        """Note that the watcher has all of the message."""
        if self.initial_state_complete:
            self.resume_token = message.resume_token or self.resume_token
        self.revision = message.revision or self.revision

    def lose(self, error: CallFailed) -> float:
        """Answer the seconds after which to connect again. Raises the error when that is no use."""
        if not may_pass(error):
            raise error
        if self._give_up_at is None and self._outage_max is not None:
            self._give_up_at = self._clock() + self._outage_max
        self._failures += 1
        delay = max(error.retry_delay or 0.0, backoff(self._failures, longest=LONGEST_DELAY))
        if self._give_up_at is not None and self._clock() + delay >= self._give_up_at:
            raise error
        log.info("the watch goes on in %.1f s: %s", delay, error.message)
        return delay

    def restart(self) -> WatchMessage | None:
        """Answer what to tell the watcher when its initial state has to begin again; None when nothing is lost."""
        if not self._heard_initial_state or self.initial_state_complete:
            return None
        self._heard_initial_state = False
        log.warning("the watch was interrupted in its initial state, which begins again")
        return WatchMessage(WatchPhase.RESTARTED)
