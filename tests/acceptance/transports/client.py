"""Clients of each transport with one interface."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, Protocol, Self

import grpc

from memoryd_server.transport.exchange import Metadata
from memoryd_server.transport.in_process import CallFailed
from memoryd_server.transport.routes import Method, MethodKind
from memoryd_server.transport.status import Status, StatusCode

DETAILS_KEY = "grpc-status-details-bin"


class Responses(Protocol):
    """The responses of a call that has begun. Iterating raises CallFailed."""

    def __aiter__(self) -> Self: ...

    async def __anext__(self) -> bytes: ...

    def cancel(self) -> None: ...


class Client(Protocol):
    """A client that calls methods by path, as InProcessTransport does."""

    def call(
        self, path: str, request: bytes | AsyncIterator[bytes], metadata: Metadata = (), timeout_s: float | None = None
    ) -> Responses: ...


class GrpcClient:
    """A client over a channel of grpc.aio, which must know the kind of each method."""

    def __init__(self, channel: grpc.aio.Channel, methods: Mapping[str, Method]) -> None:
        self._channel: Any = channel
        self._methods = methods

    def call(
        self, path: str, request: bytes | AsyncIterator[bytes], metadata: Metadata = (), timeout_s: float | None = None
    ) -> Responses:
        kind = self._methods[path].kind if path in self._methods else MethodKind.UNARY
        requests, responses = ("stream" if is_stream else "unary" for is_stream in kind.value)
        method = getattr(self._channel, f"{requests}_{responses}")(path)
        return _GrpcResponses(method(request, metadata=tuple(metadata), timeout=timeout_s), is_stream=kind.value[1])


class _GrpcResponses:
    def __init__(self, call: Any, *, is_stream: bool) -> None:
        self._call = call
        self._responses = aiter(call) if is_stream else aiter(_only(call))

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        try:
            response: bytes = await anext(self._responses)
        except grpc.aio.AioRpcError as error:
            raise CallFailed(_status_of(error)) from None
        except asyncio.CancelledError:
            # gRPC raises the same error for a call that was cancelled and for a task that was.
            if not self._call.cancelled():
                raise
            raise CallFailed(Status(StatusCode.CANCELLED)) from None
        return response

    def cancel(self) -> None:
        self._call.cancel()


async def _only(call: Any) -> AsyncIterator[bytes]:
    yield await call


def _status_of(error: grpc.aio.AioRpcError) -> Status:
    details = next((value for key, value in error.trailing_metadata() or () if key == DETAILS_KEY), b"")
    return Status(
        StatusCode(error.code().value[0]), error.details() or "", details if isinstance(details, bytes) else b""
    )
