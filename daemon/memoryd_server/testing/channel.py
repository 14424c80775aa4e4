"""A channel for generated stubs whose calls stay inside the process, with the interface of gRPC's own channels."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from typing import Any, NoReturn, Self

import grpc

from memoryd_server.transport.exchange import Metadata
from memoryd_server.transport.in_process import CallFailed, InProcessCall, InProcessTransport
from memoryd_server.transport.status import Status, StatusCode

DETAILS_KEY = "grpc-status-details-bin"
"""The trailer of gRPC that carries the details of a status."""

_CODES: dict[int, grpc.StatusCode] = {code.value[0]: code for code in grpc.StatusCode}
_END = object()


class InProcessError(grpc.RpcError):
    """A call ended with a status other than OK."""

    def __init__(self, status: Status) -> None:
        super().__init__(status)
        self._status = status

    def code(self) -> grpc.StatusCode:
        """Return the code of the status."""
        return _CODES[self._status.code]

    def details(self) -> str:
        """Return the message of the status, which gRPC calls its details."""
        return self._status.message

    def trailing_metadata(self) -> Any:
        """Return the details of the status, if it has any."""
        return ((DETAILS_KEY, self._status.details),) if self._status.details else ()

    def result(self, _timeout: float | None = None) -> NoReturn:
        """Raise the error. The interceptors of gRPC expect that an error is also the call that it ended."""
        raise self


class InProcessChannel(grpc.Channel):
    """Calls a transport whose event loop runs in another thread. ``metadata`` is sent with every call."""

    def __init__(self, transport: InProcessTransport, loop: asyncio.AbstractEventLoop, metadata: Metadata = ()) -> None:
        self._transport = transport
        self._loop = loop
        self._metadata = tuple(metadata)

    def unary_unary(self, method: str, *serializers: Any, **options: Any) -> Any:
        """Return what calls a method with one request and one response."""
        return _UnaryMethod(self, method, *_serializers(*serializers, **options))

    def stream_unary(self, method: str, *serializers: Any, **options: Any) -> Any:
        """Return what calls a method with a stream of requests and one response."""
        serialize, deserialize = _serializers(*serializers, **options)
        return _UnaryMethod(self, method, lambda requests: _serialized(requests, serialize), deserialize)

    def unary_stream(self, method: str, *serializers: Any, **options: Any) -> Any:
        """Return what calls a method with one request and a stream of responses."""
        return _StreamMethod(self, method, *_serializers(*serializers, **options))

    def stream_stream(self, method: str, *serializers: Any, **options: Any) -> Any:
        """Return what calls a method with streams in both directions."""
        serialize, deserialize = _serializers(*serializers, **options)
        return _StreamMethod(self, method, lambda requests: _serialized(requests, serialize), deserialize)

    def subscribe(self, callback: Callable[[grpc.ChannelConnectivity], None], try_to_connect: bool = False) -> None:
        """Report at once that the channel is ready, which it always is."""
        callback(grpc.ChannelConnectivity.READY)

    def unsubscribe(self, callback: Callable[[grpc.ChannelConnectivity], None]) -> None:
        """Do nothing: the state never changes."""

    def close(self) -> None:
        """Do nothing: calls end with the daemon."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin_unary(self, path: str, request: Any, timeout: float | None, metadata: Metadata) -> "Future[bytes]":
        """Begin a call with one response."""
        everything = (*self._metadata, *metadata)
        return self.run(self._transport.unary(path, request, metadata=everything, timeout_s=timeout))

    def begin(self, path: str, request: Any, timeout: float | None, metadata: Metadata) -> InProcessCall:
        """Begin a call with a stream of responses."""

        async def begun() -> InProcessCall:
            return self._transport.call(path, request, (*self._metadata, *metadata), timeout)

        call: InProcessCall = self.run(begun()).result()
        return call

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> "Future[Any]":
        """Run a coroutine in the event loop of the transport. Raises InProcessError when that has ended."""
        if self._loop.is_closed():
            coroutine.close()
            raise InProcessError(Status(StatusCode.UNAVAILABLE, "the daemon has stopped"))
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def cancel(self, call: InProcessCall) -> None:
        """End a call."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(call.cancel)


class _Method:
    def __init__(
        self,
        channel: InProcessChannel,
        path: str,
        serialize: Callable[[Any], Any],
        deserialize: Callable[[bytes], Any],
    ) -> None:
        self._channel = channel
        self._path = path
        self._serialize = serialize
        self._deserialize = deserialize


class _UnaryMethod(_Method):
    def __call__(self, request: Any, *arguments: Any, **options: Any) -> Any:
        return self.future(request, *arguments, **options).result()

    def with_call(self, request: Any, *arguments: Any, **options: Any) -> Any:
        call = self.future(request, *arguments, **options)
        return call.result(), call

    def future(
        self, request: Any, timeout: float | None = None, metadata: Metadata | None = None, *_: Any, **_options: Any
    ) -> "_UnaryCall":
        data = self._serialize(request)
        return _UnaryCall(self._channel.begin_unary(self._path, data, timeout, metadata or ()), self._deserialize)


class _StreamMethod(_Method):
    def __call__(
        self, request: Any, timeout: float | None = None, metadata: Metadata | None = None, *_: Any, **_options: Any
    ) -> "_StreamCall":
        call = self._channel.begin(self._path, self._serialize(request), timeout, metadata or ())
        return _StreamCall(self._channel, call, self._deserialize)


class _UnaryCall:
    """A call with one response, which gRPC's interface names a future."""

    def __init__(self, response: "Future[bytes]", deserialize: Callable[[bytes], Any]) -> None:
        self._response = response
        self._deserialize = deserialize
        self.cancel = response.cancel
        self.cancelled = response.cancelled
        self.done = response.done

    def result(self, timeout: float | None = None) -> Any:
        try:
            return self._deserialize(self._response.result(timeout))
        except CallFailed as failed:
            raise InProcessError(failed.status) from None
        except CancelledError:
            raise grpc.FutureCancelledError from None

    def exception(self, timeout: float | None = None) -> Exception | None:
        try:
            self.result(timeout)
        except InProcessError as error:
            return error
        return None


class _StreamCall:
    def __init__(self, channel: InProcessChannel, call: InProcessCall, deserialize: Callable[[bytes], Any]) -> None:
        self._channel = channel
        self._call = call
        self._deserialize = deserialize
        self._is_active = True

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        response = self._channel.run(_next(self._call)).result()
        if isinstance(response, bytes):
            return self._deserialize(response)
        self._is_active = False
        if response is None:
            raise StopIteration
        raise InProcessError(response)

    def cancel(self) -> None:
        self._is_active = False
        self._channel.cancel(self._call)

    def is_active(self) -> bool:
        return self._is_active


async def _next(call: InProcessCall) -> bytes | Status | None:
    """Return the next response, or the end: None after the last one, a status if the call failed.

    A future cannot carry StopAsyncIteration.
    """
    try:
        return await anext(call, None)
    except CallFailed as failed:
        return failed.status


def _serializers(
    request_serializer: Callable[[Any], bytes] | None = None,
    response_deserializer: Callable[[bytes], Any] | None = None,
    _registered_method: bool | None = False,
) -> tuple[Callable[[Any], bytes], Callable[[bytes], Any]]:
    return request_serializer or bytes, response_deserializer or bytes


async def _serialized(requests: Iterator[Any], serialize: Callable[[Any], bytes]) -> AsyncIterator[bytes]:
    """Yield the requests of an iterator that may block, and that therefore runs in a thread."""
    try:
        while (request := await asyncio.to_thread(next, requests, _END)) is not _END:
            yield serialize(request)
    except Exception as error:
        # As in gRPC, the client cancels a call when its own iterator fails.
        raise asyncio.CancelledError from error
