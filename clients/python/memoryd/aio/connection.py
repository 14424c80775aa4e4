"""gRPC for asyncio: the channel, and the errors of its calls.

Written by hand for each of the two clients, as ``runtime`` is.
"""

import asyncio
from collections.abc import AsyncIterable, Callable
from typing import Any
from weakref import WeakSet

import grpc.aio

from memoryd.aio.uploading import uploaded
from memoryd.errors import CallFailed
from memoryd.protocol.call import Call
from memoryd.protocol.setting import Settings
from memoryd.protocol.status import error_from

RpcError = grpc.aio.AioRpcError
# Raised by a call that is cut off because its stream or channel is closed, and by a task that is cancelled.
CutOff = asyncio.CancelledError


class _Connection:
    """A channel whose end is the end of its calls: before gRPC 1.83, streams of responses would then wait for ever."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.unary_unary = channel.unary_unary
        self._channel = channel
        self._streams: WeakSet[Any] = WeakSet()

    def unary_stream(self, path: str, **serialization: Any) -> Any:
        """Return the callable of a method that streams messages back."""
        method: Any = self._channel.unary_stream(path, **serialization)

        def begin(request: Any, **options: Any) -> Any:
            stream = method(request, **options)
            self._streams.add(stream)
            return stream

        return begin

    def stream_unary(self, path: str, **serialization: Any) -> Any:
        """Return the callable of a method that streams messages to the server: see ``uploaded``."""
        method: Any = self._channel.stream_unary(path, **serialization)

        async def upload(requests: AsyncIterable[Any], **options: Any) -> Any:
            return await uploaded(method(**options), requests)

        return upload

    async def close(self) -> None:
        """End the connection and all calls on it."""
        for stream in list(self._streams):
            stream.cancel()
        await self._channel.close()


def open_channel(settings: Settings) -> _Connection:
    """Return a channel of the running event loop, which connects with its first call."""
    if settings.credentials is None:
        return _Connection(grpc.aio.insecure_channel(settings.target, options=settings.options))
    return _Connection(grpc.aio.secure_channel(settings.target, settings.credentials, options=settings.options))


def open_batcher(perform: Callable[[Call[Any]], Any], window: float | None) -> Any:
    """Return what sends calls together that are made within a number of seconds; None if the window is None."""
    if window is None:
        return None
    from memoryd.aio.batching import Batcher

    return Batcher(perform, window)


def failure_of(error: RpcError, target: str) -> CallFailed:
    """Return this package's error for gRPC's."""
    return error_from(error.code(), error.details(), error.trailing_metadata(), target)
