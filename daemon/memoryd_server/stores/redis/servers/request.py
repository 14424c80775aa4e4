"""Requests to a server, until they are completed or their deadline passes."""

import asyncio
from collections.abc import Callable
from itertools import takewhile
from typing import Any, Literal

from memoryd_server.domain.error import Refusal, StoreUnavailable
from memoryd_server.stores.redis.servers.failure import refusal_of
from memoryd_server.stores.redis.servers.link import Command, Disconnected

LaneName = Literal["commits", "checks", "reads"]


class Request:
    """Commands that are sent together, and the future of their result.

    The result is that of ``convert`` for the list of replies, or for the reply of a single command. ``attempts`` is the
    number of failed attempts, and ``error`` the last one's error. If ``is_uncertain`` is true, the commands may have
    been carried out already. ``size_bytes`` is the approximate size of the commands, if they may be large.
    """

    __slots__ = (
        "_requests",
        "asking",
        "attempts",
        "commands",
        "convert",
        "deadline",
        "error",
        "future",
        "is_uncertain",
        "lane",
        "shard",
        "size_bytes",
    )

    def __init__(
        self,
        lane: LaneName,
        shard: int,
        commands: tuple[Command, ...],
        convert: Callable[[Any, bool], Any],
        size_bytes: int,
        requests: "Requests",
    ) -> None:
        loop = asyncio.get_running_loop()
        self.lane = lane
        self.shard = shard
        self.commands = commands
        self.convert = convert
        self.size_bytes = size_bytes
        self.future: asyncio.Future[Any] = loop.create_future()
        self.deadline = loop.time() + requests.timeout_s
        self.attempts = 0
        self.error: Exception | None = None
        self.is_uncertain = False
        self.asking = False
        self._requests = requests
        requests.add(self)

    def note_failure(self, error: Exception) -> None:
        """Count a failed attempt."""
        self.asking = False
        self.attempts += 1
        self.error = error

    def succeed(self, replies: list[Any]) -> None:
        """Complete the request with its replies."""
        self._requests.remove(self)
        if self.future.done():
            return
        try:
            self.future.set_result(self.convert(replies[0] if len(replies) == 1 else replies, self.is_uncertain))
        except Exception as error:  # noqa: BLE001 - convert may raise a refusal
            self.future.set_exception(error)

    def give_up(self) -> None:
        """Fail the request with the refusal for its last error."""
        error = self.error or Disconnected(f"the store did not respond within {self._requests.timeout_s:g} s")
        self.refuse(refusal_of(error, is_uncertain=self.is_uncertain))

    def refuse(self, refusal: Refusal) -> None:
        """Fail the request with a refusal."""
        self._requests.remove(self)
        if not self.future.done():
            self.future.set_exception(refusal)


class Requests:
    """The pending requests of all servers. Each fails after ``timeout_s``.

    All have the same timeout, so they expire in the order in which they were added, and one timer is enough: a timer
    for each would cost a quarter of a small request.
    """

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self._waiting: dict[Request, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, request: Request) -> None:
        """Add a new request."""
        self._waiting[request] = None
        if self._timer is None:
            self._set_timer()

    def remove(self, request: Request) -> None:
        """Remove a request that is completed."""
        self._waiting.pop(request, None)

    def close(self) -> None:
        """Fail all pending requests."""
        for request in list(self._waiting):
            request.refuse(StoreUnavailable())
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set_timer(self) -> None:
        first = next(iter(self._waiting))
        self._timer = asyncio.get_running_loop().call_at(first.deadline, self._expire)

    def _expire(self) -> None:
        now = asyncio.get_running_loop().time()
        self._timer = None
        for request in list(takewhile(lambda each: each.deadline <= now, self._waiting)):
            if request.future.done():
                self.remove(request)
            else:
                request.give_up()
        if self._waiting:
            self._set_timer()
