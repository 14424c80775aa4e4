"""The interface between a transport and the gate: one call. The gate and the services know nothing else of transports.

gRPC is one adapter (``transport.grpc``), calls inside one process are another (``transport.in_process``).
docs/contributing/adding-a-transport.md explains how to write one.
"""

from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from typing import Any, Protocol

import msgspec

from memoryd_server.engine.watching.outlet import Crowd
from memoryd_server.transport.call_facts import CallFacts
from memoryd_server.transport.status import Status

Metadata = Iterable[tuple[str, str | bytes]]
"""The keys and values that accompany a call, such as HTTP headers. Keys are in lower case. A value is bytes if its key
ends in ``-bin``."""


def text_of(metadata: Metadata, key: str) -> str | None:
    """Return the last text of a key; None without one."""
    found = None
    for name, value in metadata:
        if name == key and isinstance(value, str):
            found = value
    return found


class Peer(msgspec.Struct, frozen=True):
    """The other end of a call.

    ``identities`` are the subject alternative names and the common name of the client certificate, which the transport
    has verified; empty without one. ``address`` is the client's address in a form that people read.
    """

    identities: Sequence[str]
    address: str


class CallTask(Hashable, Protocol):
    """The methods of an asyncio.Task that the gate uses. Its end is when the transport has sent the response."""

    def cancel(self) -> bool:
        """Cancel the call."""

    def uncancel(self) -> int:
        """Take back one ``cancel``. Return how many are left."""

    def add_done_callback(self, callback: Callable[[Any], object], /) -> None:
        """Call a function with the task at its end."""


class Exchange(Protocol):
    """One call. The transport passes a new one to the method with each request.

    ``agent_id`` and ``refused`` are initially empty and None. The gate sets them, for those who observe the call: the
    agent that the request names, and the status by which the call was refused. ``facts`` is initially None. The
    auditor of the call sets it, and the gate notes there what the call is about.
    """

    agent_id: str
    refused: Status | None
    facts: CallFacts | None

    @property
    def crowd(self) -> Crowd | None:
        """The sender of one message to many of the transport's calls at once; None if the transport has none."""

    @property
    def call(self) -> Any:
        """The object by which the crowd knows this call. Without a crowd, anything."""

    def metadata(self, key: str, /) -> str | None:
        """Return the text of a key of the call's metadata, the last one if there are several; None without one."""

    def peer(self) -> Peer:
        """Return the other end of the call."""

    def address(self) -> str:
        """Return the other end's address, which calls on one connection have in common."""

    def remaining_s(self) -> float | None:
        """Return how many seconds the client will still wait; None when it has set no deadline.

        Once the deadline is over, the transport cancels the method.
        """

    def cancelled(self) -> bool:
        """Return true if the client no longer waits: it has cancelled the call, or the deadline is over.

        To be called in the task of the method, which the transport has cancelled by then.
        """

    def task(self) -> CallTask:
        """Return the task that serves the call: it is called within it. The same object each time."""

    def receive(self) -> Awaitable[object]:
        """Return the next message of the request as bytes; anything else after the last one.

        The transport asks the client for no more than what it may buffer before it is called.
        """

    def send(self, message: bytes, /) -> Awaitable[None]:
        """Send one message of a stream of responses.

        Returns once there is room for the next one: this is the backpressure by which a slow client slows the method.
        """

    def has_left(self, error: Exception) -> bool:
        """Return true if an error, such as of ``send``, only means that the client is no longer there."""

    async def refuse(self, status: Status) -> None:
        """End the call with a status other than OK, after what has been sent. The method returns after that.

        May raise an exception of the transport's own, which has to reach the transport.
        """
