"""What is asked of a server, until it is answered or its time is over."""

import asyncio
from collections.abc import Callable
from itertools import takewhile
from typing import Any, Literal

from memoryd_server.domain.error import Refusal, StoreUnavailable
from memoryd_server.stores.redis.failure import refusal_of
from memoryd_server.stores.redis.link import Command, Disconnected

LaneName = Literal["commits", "checks", "reads"]


class Request:
    """Commands that belong together, and where their replies go.

    ``future`` gets what ``convert`` makes of the replies; a single command's reply comes as it is, without a list.
    ``attempts`` counts how often it came back without an answer, ``error`` is why it did the last time,
    ``is_uncertain`` is whether it may have been carried out already. ``size_bytes`` is about what it sends, where that
    may be much.
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

    def came_back(self, error: Exception) -> None:
        """It was not answered this time."""
        self.asking = False
        self.attempts += 1
        self.error = error

    def succeed(self, replies: list[Any]) -> None:
        """Give the replies to who waits for them."""
        self._requests.remove(self)
        if self.future.done():
            return
        try:
            self.future.set_result(self.convert(replies[0] if len(replies) == 1 else replies, self.is_uncertain))
        except Exception as error:  # noqa: BLE001 - what the replies mean may be a refusal
            self.future.set_exception(error)

    def give_up(self) -> None:
        """Tell who waits that there is no answer, as the last error says."""
        error = self.error or Disconnected(f"no answer within {self._requests.timeout_s:g} s")
        self.refuse(refusal_of(error, is_uncertain=self.is_uncertain))

    def refuse(self, refusal: Refusal) -> None:
        """Give a Refusal to who waits."""
        self._requests.remove(self)
        if not self.future.done():
            self.future.set_exception(refusal)


class Requests:
    """Those that are neither answered nor given up, wherever they are. After ``timeout_s`` they are given up.

    As all have the same time, the first to come is the first whose time is over, and one timer does for all of them:
    one for each would cost a quarter of what a small request costs.
    """

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self._waiting: dict[Request, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, request: Request) -> None:
        """A new one."""
        self._waiting[request] = None
        if self._timer is None:
            self._set_timer()

    def remove(self, request: Request) -> None:
        """One that is answered or given up."""
        self._waiting.pop(request, None)

    def close(self) -> None:
        """Refuse all of them."""
        for request in list(self._waiting):
            request.refuse(StoreUnavailable())
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set_timer(self) -> None:
        first = next(iter(self._waiting))
        self._timer = asyncio.get_running_loop().call_at(first.deadline, self._look)

    def _look(self) -> None:
        now = asyncio.get_running_loop().time()
        self._timer = None
        for request in list(takewhile(lambda each: each.deadline <= now, self._waiting)):
            if request.future.done():
                self.remove(request)
            else:
                request.give_up()
        if self._waiting:
            self._set_timer()
