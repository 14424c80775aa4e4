"""The way of a watch's messages to its client, past the engine: what a transport implements for groups of watches."""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Any, Protocol

import msgspec

from memoryd_server.domain.agent.event import EventSelection
from memoryd_server.engine.watching.watch_step import WatchStep


class Crowd(Protocol):
    """The calls of a transport that can send one message to many of them, without a coroutine for each."""

    def broadcast(self, calls: list[Any], message: bytes) -> Sequence[int]:
        """Send a message to all these calls that have room. Return the indices of the others, in ascending order.

        A call has room if it has sent everything that it was given before, and has not ended. Does not wait.
        """

    def unsent_bytes(self) -> int:
        """Return the size of the messages of ``broadcast`` that a call has not sent yet, each counted once."""


class Outlet(Protocol):
    """The call of one watch. ``transport.exchange.Exchange`` is one."""

    @property
    def crowd(self) -> Crowd | None:
        """The crowd that the call belongs to; None if each of its messages is to be sent by ``send``."""

    @property
    def call(self) -> Any:
        """The object by which the crowd knows the call. Without a crowd, anything."""

    def send(self, message: bytes, /) -> Awaitable[None]:
        """Send a message. Returns once there is room for the next one."""


class WatchOutput(msgspec.Struct, frozen=True):
    """The encoder of a watch's messages, and the call that they go to.

    ``encode(step, selection, view)`` returns the same for all watches whose selections and views are equal.
    """

    view: Hashable
    encode: Callable[[WatchStep, EventSelection, Any], bytes]
    outlet: Outlet
