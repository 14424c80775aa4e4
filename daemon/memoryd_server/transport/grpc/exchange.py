"""The exchange of a gRPC call."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

import grpc
import msgspec

from memoryd_server.transport.exchange import Metadata, Peer
from memoryd_server.transport.status import Status

_CERTIFICATE_PROPERTIES = ("x509_subject_alternative_name", "x509_common_name")
_DETAILS_KEY = "grpc-status-details-bin"
_CODES: dict[int, grpc.StatusCode] = {code.value[0]: code for code in grpc.StatusCode}


class GrpcExchange(msgspec.Struct, frozen=True):
    """One call. ``context`` is grpc.aio's ServicerContext; ``metadata`` is its own method, which costs no frame."""

    context: Any
    metadata: Callable[[], Metadata]

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

    @property
    def send(self) -> Callable[[bytes], Awaitable[None]]:
        """The method of gRPC itself, which waits while the client does not read."""
        send: Callable[[bytes], Awaitable[None]] = self.context.write
        return send

    async def refuse(self, status: Status) -> NoReturn:
        """End the call. Raises grpc.aio.AbortError."""
        trailers = ((_DETAILS_KEY, status.details),) if status.details else ()
        await self.context.abort(_CODES[status.code], status.message, trailers)
        raise AssertionError("abort does not return")
