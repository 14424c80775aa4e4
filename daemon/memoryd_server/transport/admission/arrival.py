"""The arrival of requests: how long one may take, and how many bytes may be on their way or in progress.

A transport receives a request while the gate waits for it, and does not report its size. A small one has arrived by
then, or arrives within milliseconds. The gate therefore lets every admitted call wait at no cost, and looks at those
that still wait after ARRIVAL_LOOK_S: each counts as a request of the maximum size until it has arrived.
"""

import asyncio
from collections.abc import Hashable
from typing import Any

from memoryd_server.domain.error import MalformedMessage, Refusal, RequestStalled
from memoryd_server.ports.auth import Caller
from memoryd_server.transport.admission.allocator import MemoryReturn
from memoryd_server.transport.admission.pool import Pool
from memoryd_server.transport.exchange import Exchange
from memoryd_server.transport.limit import (
    ARRIVAL_LOOK_S,
    ARRIVAL_LOOKS_MAX,
    LARGE_REQUEST_BYTES_MIN,
    MESSAGE_BYTES_MAX,
)

Owner = Caller | Any
"""The caller of a call, or its exchange where anybody may call: the connection has the share then."""


class Arrivals:
    """The requests that are arriving, and the large ones that are in progress, by the tasks of their calls.

    ``waiting`` has the owner of each request that has not arrived, oldest first. ``held`` has the place of each large
    request, and of each that takes long to arrive, with the bytes that it counts as.
    """

    def __init__(self, request_bytes: Pool, memory: MemoryReturn) -> None:
        self._pool = request_bytes
        self._memory = memory
        self._looks: dict[Any, int] = {}
        self._refused: dict[Any, Refusal] = {}
        self.waiting: dict[Any, Owner] = {}
        self.held: dict[Any, tuple[Hashable, int]] = {}
        self.is_looking = False

    async def receive(self, exchange: Exchange, task: object, owner: Owner) -> bytes:
        """Return the only request of a call, whose task must call ``leave`` at its end.

        Raises MalformedMessage, Overloaded.

        The gate has this written out where the time of a call counts.
        """
        self.waiting[task] = owner
        if not self.is_looking:
            self.look()
        request: Any = await exchange.receive()
        del self.waiting[task]
        self.hold(task, owner, request)
        return request  # type: ignore[no-any-return]  # hold has checked it

    def look(self) -> None:
        """Begin to look after the requests that arrive, until none does."""
        self.is_looking = True
        asyncio.get_running_loop().call_later(ARRIVAL_LOOK_S, self._look)

    def hold(self, task: object, owner: Owner, request: object) -> None:
        """Count a request that has arrived by its size. Raises Overloaded, and MalformedMessage if there is none."""
        self.leave(task)
        if not isinstance(request, bytes):
            raise MalformedMessage
        if len(request) >= LARGE_REQUEST_BYTES_MIN:
            self._hold(task, owner, len(request))

    def leave(self, task: object) -> None:
        """Count the request of a call no longer."""
        self.waiting.pop(task, None)
        if task in self.held:
            place, size = self.held.pop(task)
            self._pool.leave(place, size)
            self._memory.soon()

    def end(self, task: Any, refusal: Refusal) -> None:
        """Cancel a call in progress, whose client gets this refusal."""
        if task not in self._refused:
            self._refused[task] = refusal
            task.cancel()

    def refusal_of(self, task: Any) -> Refusal | None:
        """Return why ``end`` has cancelled a call; None if its own client cancelled it."""
        refusal = self._refused.pop(task, None)
        return None if refusal is None or task.uncancel() else refusal

    def _hold(self, task: object, owner: Owner, size: int) -> None:
        place = place_of(owner)
        self._pool.enter(place, size)
        self.held[task] = place, size

    def _look(self) -> None:
        if not self.waiting:
            self._looks = {}
            self.is_looking = False
            return
        self.look()
        looks = self._looks
        self._looks = {task: looks.get(task, 0) + 1 for task in self.waiting}
        for task, count in self._looks.items():
            if count > 1:
                self._look_at(task, count)

    def _look_at(self, task: asyncio.Task[Any], count: int) -> None:
        try:
            if count > ARRIVAL_LOOKS_MAX:
                raise RequestStalled(round(ARRIVAL_LOOKS_MAX * ARRIVAL_LOOK_S))
            if task not in self.held:
                self._hold(task, self.waiting[task], MESSAGE_BYTES_MAX)
        except Refusal as refusal:
            self.end(task, refusal)


def place_of(owner: Owner) -> Any:
    """Return whose share of a pool a call takes: its caller's, or its connection's where anybody may call."""
    address = getattr(owner, "address", None)
    return owner.account if address is None else address()
