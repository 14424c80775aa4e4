"""The exchange of a gRPC call."""

import asyncio
from operator import attrgetter
from typing import Any

import grpc
import msgspec

from memoryd_server.transport.call_facts import CallFacts
from memoryd_server.transport.exchange import Peer
from memoryd_server.transport.grpc.read import read_to_end
from memoryd_server.transport.status import Status

_CERTIFICATE_PROPERTIES = ("x509_subject_alternative_name", "x509_common_name")
_DETAILS_KEY = "grpc-status-details-bin"
_CODES: dict[int, grpc.StatusCode] = {code.value[0]: code for code in grpc.StatusCode}


class GrpcExchange(msgspec.Struct, eq=False):
    """One call. ``context`` is grpc.aio's ServicerContext.

    The properties that return a method of it are read without a call in Python, and so are these methods called.
    """

    context: Any
    agent_id: str = ""
    refused: Status | None = None
    facts: CallFacts | None = None
    first_sending: "asyncio.Future[None] | None" = None

    crowd = None
    call = None
    receive = read_to_end
    address = property(attrgetter("context.peer"))
    task = staticmethod(asyncio.current_task)

    def metadata(self, key: str, /) -> str | None:
        """Return the text of a key of the call's metadata; None without one."""
        found = None
        # As ``text_of``, written out: each call comes here.
        for name, value in self.context.invocation_metadata():
            if name == key and isinstance(value, str):
                found = value
        return found

    def peer(self) -> Peer:
        """Return the client's address, and the names of its certificate."""
        properties = self.context.auth_context()
        names = [value for name in _CERTIFICATE_PROPERTIES for value in properties.get(name, ())]
        return Peer([name.decode("utf-8", "replace") for name in names], self.context.peer())

    def remaining_s(self) -> float | None:
        """Return how many seconds the client will still wait; None when it has set no deadline."""
        remaining_s: float | None = self.context.time_remaining()
        return remaining_s

    def cancelled(self) -> bool:
        """Return true if the client no longer waits: gRPC has then cancelled the task of the method."""
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0

    def has_left(self, error: Exception) -> bool:
        """Return true if gRPC could not carry out a step of the call: it can always, until the call has ended."""
        return isinstance(error, grpc.aio.InternalError | grpc.aio.UsageError)

    async def send(self, message: bytes) -> None:
        """Send one message. gRPC waits while the client does not read.

        The first one is sent to the end, whatever becomes of the task. Only then does gRPC note that the call's headers
        are sent. It would send them again with the status of a refusal, its core would take neither, and the call would
        never end.
        """
        if self.first_sending is not None:
            await self.context.write(message)
            return
        self.first_sending = sending = asyncio.ensure_future(self.context.write(message))
        # A task that is cancelled does not ask for its error, which is that the call has ended.
        sending.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        await asyncio.wait((sending,))
        sending.result()

    async def refuse(self, status: Status) -> None:
        """End the call, once its first message is sent. Raises asyncio.CancelledError if it has ended already."""
        trailers = ((_DETAILS_KEY, status.details),) if status.details else ()
        if self.first_sending is not None:
            await asyncio.wait((self.first_sending,))
        try:
            await self.context.abort(_CODES[status.code], status.message, trailers)
        except grpc.aio.AbortError as aborted:
            # gRPC keeps it with the call, and raises it again once the method has returned. With the frames of its
            # traceback it would keep the call and the request, until the collector finds the cycle.
            aborted.with_traceback(None)
        except (grpc.aio.InternalError, grpc.aio.UsageError):
            raise asyncio.CancelledError from None
