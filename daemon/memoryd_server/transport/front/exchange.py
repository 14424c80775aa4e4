"""The exchange of a call that the front end hands over."""

import asyncio
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Protocol

import msgspec

from memoryd_server.engine.watching.outlet import Crowd
from memoryd_server.transport.call_facts import CallFacts
from memoryd_server.transport.exchange import Peer
from memoryd_server.transport.status import Status


class Server(Crowd, Protocol):
    """The server of a call, as the call needs it."""

    def flush_soon(self) -> None:
        """Let what was done with calls take effect, together with what else is done in this turn of the loop."""

    def end(self, exchange: "FrontExchange", task: asyncio.Task[Any]) -> None:
        """End a call whose task has ended."""


class FrontExchange(msgspec.Struct, eq=False):
    """One call. ``call`` is the front end's; ``message`` is its request if that has arrived, otherwise None.

    ``parts`` are those that have arrived of a message that the call waits for. ``server`` is the one that serves it. It
    broadcasts messages to many calls.

    It also stands for the task of the call. Most calls end in the step in which they begin, and never get a task of
    their own; those that wait get one, ``task_of_rest``, to which all that concerns tasks is passed on.
    """

    call: Any
    message: bytes | None
    server: "Server"
    task_of_rest: asyncio.Task[Any] | None = None
    has_request: bool = False
    wait: asyncio.Future[bytes | None] | None = None
    callbacks: list[Callable[[Any], object]] | None = None
    parts: list[bytes] | None = None
    agent_id: str = ""
    refused: Status | None = None
    facts: CallFacts | None = None

    metadata = property(attrgetter("call.metadata"))
    address = property(attrgetter("call.address"))
    remaining_s = property(attrgetter("call.remaining_s"))
    cancelled = property(attrgetter("call.has_left"))
    crowd = property(attrgetter("server"))

    def peer(self) -> Peer:
        """Return the client's address, and the names of its certificate."""
        return Peer(self.call.identities(), self.call.address())

    def task(self) -> "FrontExchange":
        """Return itself: see above."""
        return self

    async def receive(self) -> bytes | None:
        """Return the next message of the request; None after the last."""
        if self.message is not None:
            request, self.message = self.message, None
            self.has_request = True
            return request
        # What comes after the end is the end.
        if self.has_request:
            return None
        self.call.want()
        self.parts = []
        try:
            message = await self._signal()
            parts = [*self.parts, message or b""]
        finally:
            self.parts = None
        if len(parts) > 1:
            # A large one: on a thread, and without the interpreter's lock.
            message = await asyncio.get_running_loop().run_in_executor(None, b"".join, parts)
        self.has_request = message is None
        return message

    async def send(self, message: bytes, /) -> None:
        """Send one message. Waits until it was sent if the client does not keep up."""
        if self.call.send(message):
            self.server.flush_soon()
        else:
            await self._signal()

    def has_left(self, _error: Exception) -> bool:
        """Return False: a client that goes away is no error here, its call is cancelled."""
        return False

    async def refuse(self, status: Status) -> None:
        """End the call with a status."""
        self.end(status)

    def end(self, status: Status) -> None:
        """End the call with a status, unless it has ended."""
        self.call.end(int(status.code), status.message, status.details)
        self.server.flush_soon()

    def answer(self, response: bytes) -> bool:
        """End the call with its only response. Return True if a signal comes once that was sent."""
        if self.callbacks is None:
            self.call.answer(response)
        else:
            self.call.answer_and_tell(response)
        self.server.flush_soon()
        return self.callbacks is not None

    async def _signal(self) -> bytes | None:
        self.wait = asyncio.get_running_loop().create_future()
        self.server.flush_soon()
        try:
            return await self.wait
        finally:
            self.wait = None

    def note_part(self, part: bytes) -> None:
        """Note a part of the message that the call waits for, which is not its last."""
        if self.parts is not None:
            self.parts.append(part)

    def note(self, message: bytes | None) -> bool:
        """Note what the call waits for: a message, the end of the request, or that a message was sent.

        Return True if there was nothing to wait for but the sending of its response: nothing more comes after that.
        """
        if self.wait is None:
            return self.give_up()
        if not self.wait.done():
            self.wait.set_result(message)
        return False

    def end_with(self, task: asyncio.Task[Any]) -> None:
        """End the call: the task of its rest has ended."""
        self.server.end(self, task)

    def give_up(self) -> bool:
        """Note that the response was sent, or will not be. Return True if anybody waited for it."""
        callbacks, self.callbacks = self.callbacks or (), None
        for callback in callbacks:
            callback(self)
        return bool(callbacks)

    # What asyncio asks of a task: see "Extending" in its documentation.

    def cancel(self, msg: object = None) -> bool:
        """Cancel the call's task. After its end, the rest of its response is no longer sent."""
        if self.task_of_rest is None or self.task_of_rest.done():
            self.call.reset()
            self.server.flush_soon()
            return False
        return self.task_of_rest.cancel(msg)

    def uncancel(self) -> int:
        """Take back one ``cancel``."""
        return 0 if self.task_of_rest is None else self.task_of_rest.uncancel()

    def cancelling(self) -> int:
        """Return how often the task was cancelled."""
        return 0 if self.task_of_rest is None else self.task_of_rest.cancelling()

    def add_done_callback(self, callback: Callable[[Any], object]) -> None:
        """Call a function once the response was sent, or will not be."""
        if self.callbacks is None:
            self.callbacks = []
        self.callbacks.append(callback)
