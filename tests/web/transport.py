"""The transport of Connect over HTTP/1.1, by which tests call a daemon as web pages and curl do.

It is used as that of a daemon in the process: by the generated stubs, over an InProcessChannel.
"""

import asyncio
import base64
import json
import struct
from collections.abc import AsyncIterator
from typing import Any

import httpx
from google.protobuf import any_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.message import DecodeError
from google.rpc import status_pb2

from memoryd_server.transport.exchange import Metadata
from memoryd_server.transport.in_process import CallFailed
from memoryd_server.transport.status import Status, StatusCode

CODES = {code.name.lower(): code for code in StatusCode} | {"canceled": StatusCode.CANCELLED}
END = 2
"""The flag of the frame that ends a stream."""
_PREFIX = struct.Struct(">BI")


class HttpTransport:
    """Calls a daemon at ``http://HOST:PORT``: by JSON, or by binary messages if ``is_json`` is false."""

    def __init__(self, address: str, *, is_json: bool = True, verify: Any = True) -> None:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)
        self._client = httpx.AsyncClient(base_url=address, timeout=None, limits=limits, verify=verify, trust_env=False)
        self._is_json = is_json
        self._calls: set[asyncio.Task[Any]] = set()

    async def unary(self, path: str, request: Any, *, metadata: Metadata = (), timeout_s: float | None = None) -> bytes:
        """Return the only response. Raises CallFailed."""
        if not isinstance(request, bytes):
            call = self.call(path, request, metadata, timeout_s)
            try:
                return await anext(call)
            finally:
                call.cancel()
        codec = self._codec(path, request)
        headers = _headers(f"application/{codec.name}", metadata, timeout_s)
        try:
            response = await self._client.post(path, content=codec.written(request), headers=headers)
        except httpx.TransportError as error:
            raise CallFailed(Status(StatusCode.UNAVAILABLE, repr(error))) from None
        if response.status_code != httpx.codes.OK:
            raise CallFailed(status_of(response))
        return codec.read(response.content)

    def call(self, path: str, request: Any, metadata: Metadata = (), timeout_s: float | None = None) -> "HttpCall":
        """Begin a call with a stream of responses, or of requests."""
        codec = self._codec(path, request)
        headers = _headers(f"application/connect+{codec.name}", metadata, timeout_s)
        body = _frames(codec, request)
        call = HttpCall(self._client.stream("POST", path, content=body, headers=headers), codec)
        self._calls.add(call.task)
        call.task.add_done_callback(self._calls.discard)
        return call

    def _codec(self, path: str, request: Any) -> "Codec":
        codec = Codec(path, is_json=self._is_json)
        if isinstance(request, bytes):
            try:
                codec.written(request)
            except (DecodeError, ValueError, json_format.Error):
                # What JSON cannot say, such as a message that is none.
                return Codec(path, is_json=False)
        return codec

    async def close(self) -> None:
        """End all streams, and close all connections."""
        for task in self._calls:
            task.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)
        await self._client.aclose()


class HttpCall:
    """The responses of a call, as an asynchronous iterator. It raises CallFailed when the call fails."""

    def __init__(self, stream: Any, codec: "Codec") -> None:
        # One response waits: the next one is read once it was taken.
        self._responses: asyncio.Queue[bytes] = asyncio.Queue(1)
        self._end: asyncio.Future[Status] = asyncio.get_running_loop().create_future()
        self.task = asyncio.create_task(self._receive(stream, codec))
        self.task.add_done_callback(self._note_end)

    def __aiter__(self) -> "HttpCall":
        return self

    async def __anext__(self) -> bytes:
        if self._responses.empty():
            taken = asyncio.ensure_future(self._responses.get())
            await asyncio.wait((taken, self._end), return_when=asyncio.FIRST_COMPLETED)
            if taken.done():
                return taken.result()
            taken.cancel()
            status = self._end.result()
            if status.code is StatusCode.OK:
                raise StopAsyncIteration
            raise CallFailed(status)
        return self._responses.get_nowait()

    def cancel(self) -> None:
        """End the call, and close its connection."""
        self.task.cancel()

    def _note_end(self, task: "asyncio.Task[Status]") -> None:
        self._end.set_result(Status(StatusCode.CANCELLED) if task.cancelled() else task.result())

    async def _receive(self, stream: Any, codec: "Codec") -> Status:
        try:
            async with stream as response:
                if response.status_code != httpx.codes.OK:
                    await response.aread()
                    return status_of(response)
                async for flag, data in _read_frames(response.aiter_bytes()):
                    if flag == END:
                        error = json.loads(data).get("error")
                        return status_from(error) if error else Status(StatusCode.OK)
                    await self._responses.put(codec.read(data))
                return Status(StatusCode.UNAVAILABLE, "the stream was cut off")
        except httpx.TransportError as error:
            return Status(StatusCode.UNAVAILABLE, repr(error))


class Codec:
    """The messages of a method: as JSON where their descriptors are known."""

    def __init__(self, path: str, *, is_json: bool) -> None:
        self._method = _method_of(path) if is_json else None
        self.name = "proto" if self._method is None else "json"

    def written(self, request: bytes) -> bytes:
        """Return a serialized request in the format of the call."""
        if self._method is None:
            return request
        message = message_factory.GetMessageClass(self._method.input_type).FromString(request)
        return json_format.MessageToJson(message, indent=None, ensure_ascii=False).encode()

    def read(self, response: bytes) -> bytes:
        """Return a response as it is serialized."""
        if self._method is None:
            return response
        message = message_factory.GetMessageClass(self._method.output_type)()
        return json_format.Parse(response, message).SerializeToString()


def status_of(response: httpx.Response) -> Status:
    """Return the status that a response means, by Connect's JSON or by HTTP's status alone."""
    if response.headers.get("content-type") == "application/json":
        return status_from(response.json())
    return Status(StatusCode.UNKNOWN, f"HTTP {response.status_code}: {response.text}")


def status_from(error: dict[str, Any]) -> Status:
    """Return the status of an error in Connect's JSON."""
    code, message = CODES[error["code"]], error.get("message", "")
    details = [
        any_pb2.Any(type_url=f"type.googleapis.com/{each['type']}", value=base64.b64decode(each["value"] + "=="))
        for each in error.get("details", ())
    ]
    if not details:
        return Status(code, message)
    rich = status_pb2.Status(code=int(code), message=message, details=details)
    return Status(code, message, rich.SerializeToString())


def _headers(content_type: str, metadata: Metadata, timeout_s: float | None) -> dict[str, str]:
    headers = {"content-type": content_type, "connect-protocol-version": "1"}
    if timeout_s is not None:
        headers["connect-timeout-ms"] = str(max(0, round(timeout_s * 1000)))
    return headers | {key: value for key, value in metadata if isinstance(value, str)}


async def _frames(codec: Codec, request: Any) -> AsyncIterator[bytes]:
    if isinstance(request, bytes):
        yield _frame(codec.written(request))
        return
    async for message in request:
        yield _frame(codec.written(message))


def _frame(data: bytes) -> bytes:
    return _PREFIX.pack(0, len(data)) + data


async def _read_frames(pieces: AsyncIterator[bytes]) -> AsyncIterator[tuple[int, bytes]]:
    arrived = b""
    async for piece in pieces:
        arrived += piece
        while len(arrived) >= _PREFIX.size:
            flag, size = _PREFIX.unpack_from(arrived)
            end = _PREFIX.size + size
            if len(arrived) < end:
                break
            yield flag, arrived[_PREFIX.size : end]
            arrived = arrived[end:]


def _method_of(path: str) -> Any:
    service, _, name = path.removeprefix("/").partition("/")
    try:
        return descriptor_pool.Default().FindServiceByName(service).methods_by_name.get(name)
    except KeyError:
        return None
