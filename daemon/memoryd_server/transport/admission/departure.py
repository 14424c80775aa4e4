"""The departure of responses: how many bytes may wait in the transport for clients that do not read them.

A method has ended when its response is handed to the transport, and its place is free. The transport keeps the response
until the client has read it.
"""

import asyncio
from collections.abc import Hashable

from memoryd_server.transport.admission.allocator import MemoryReturn
from memoryd_server.transport.admission.arrival import Owner, place_of
from memoryd_server.transport.admission.pool import Pool
from memoryd_server.transport.limit import RESPONSE_UNREAD_S


class Departures:
    """The large responses that were handed to the transport and did not leave yet, by their callers."""

    def __init__(self, response_bytes: Pool, memory: MemoryReturn) -> None:
        self._pool = response_bytes
        self._memory = memory

    def check(self, place: Hashable) -> None:
        """Raise Overloaded if so much waits for a caller that it gets no further response."""
        taken = self._pool.of_caller.get(place, 0)
        if taken >= self._pool.share:
            self._pool.refuse(taken + 1)

    def hold(self, task: "asyncio.Task[object]", owner: Owner, size: int, *, is_refused: bool) -> None:
        """Count a response until its task has ended, which the transport lets happen once the client has it.

        Raises Overloaded if ``is_refused`` and there is no room: what has changed something must be answered. A task
        that lasts longer than RESPONSE_UNREAD_S is cancelled.
        """
        place: Hashable = place_of(owner)
        if is_refused:
            self._pool.enter(place, size)
        else:
            self._pool.force(place, size)
        deadline = asyncio.get_running_loop().call_later(RESPONSE_UNREAD_S, task.cancel)

        def leave(_: object) -> None:
            deadline.cancel()
            self._pool.leave(place, size)
            self._memory.soon()

        task.add_done_callback(leave)
