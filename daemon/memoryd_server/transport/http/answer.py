"""The response to a call, in its protocol."""

import base64
import struct
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from memoryd_server.engine.agents.lane import REQUESTS
from memoryd_server.transport.http.codec import JsonMessage, deflated
from memoryd_server.transport.http.limit import COMPRESSED_BYTES_MAX, COMPRESSED_BYTES_MIN
from memoryd_server.transport.http.problem import http_status, problem_of, trailers_of
from memoryd_server.transport.http.protocol import Form, Protocol
from memoryd_server.transport.http.visitors import Headers
from memoryd_server.transport.limit import PARSED_IN_LOOP_BYTES_MAX
from memoryd_server.transport.status import Status, StatusCode

Send = Callable[[Any], Awaitable[None]]

_PREFIX = struct.Struct(">BI")
_END, _WEB_END = 0x02, 0x80
"""The flags of the frames that end a stream: Connect's, and gRPC-Web's."""
_JSON_TYPE = ("content-type", "application/json")
_BREAKS = frozenset("\n\r\0")


class Responder:
    """Sends one response of HTTP's. ``headers`` are those of every response to its client."""

    def __init__(self, send: Send, headers: Headers) -> None:
        self._send = send
        self.headers = headers
        self.has_begun = False

    async def respond(self, status: int, headers: Headers, body: bytes = b"") -> None:
        """Send a response as a whole. A header of ``headers`` replaces that of every response."""
        own = {name for name, _ in headers}
        await self.begin(status, [*headers, *(each for each in self.headers if each[0] not in own)], len(body))
        await self.write(body, is_last=True)

    async def stream(self, headers: Headers) -> None:
        """Begin a response that has no size yet."""
        await self.begin(200, [*headers, *self.headers], None)

    async def begin(self, status: int, headers: Headers, size: int | None) -> None:
        """Send the head of a response. ``size`` is that of its body, if it is known."""
        self.has_begun = True
        sized = headers if size is None or status in (204, 304) else [*headers, ("content-length", str(size))]
        encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in sized]
        await self._send({"type": "http.response.start", "status": status, "headers": encoded})

    async def write(self, data: bytes, *, is_last: bool = False) -> None:
        """Send more of the body, once the client has room for it."""
        await self._send({"type": "http.response.body", "body": data, "more_body": not is_last})


class Answer:
    """The response to a call. ``json`` is the type of its messages, if the protocol has JSON."""

    def __init__(
        self, responder: Responder, protocol: Protocol, json: JsonMessage | None, *, accepts_gzip: bool
    ) -> None:
        self._responder = responder
        self._protocol = protocol
        self._json = json
        self._accepts_gzip = accepts_gzip

    async def send(self, message: bytes) -> None:
        """Send one message of a stream."""
        data = await self._framed(message)
        if not self._responder.has_begun:
            await self._begin()
        await self._responder.write(data)

    async def end(self, status: Status, message: bytes | None) -> None:
        """End the response: with the only message of a call that has succeeded, or the status."""
        if self._protocol.form is Form.WHOLE:
            await (self._fail(status) if message is None else self._whole(message))
            return
        if self._protocol.form is Form.EVENTS and status.code is not StatusCode.OK and not self._responder.has_begun:
            await self._fail(status)
            return
        data = b"" if message is None else await self._framed(message)
        if not self._responder.has_begun:
            await self._begin()
        await self._responder.write(data + self._end_of(status), is_last=True)

    async def _begin(self) -> None:
        headers = [("content-type", self._protocol.media_type)]
        if self._protocol.form is Form.EVENTS:
            headers.append(("cache-control", "no-store"))
        await self._responder.stream(headers)

    async def _whole(self, message: bytes) -> None:
        data = await self._written(message)
        headers = [("content-type", self._protocol.media_type)]
        if self._accepts_gzip and COMPRESSED_BYTES_MIN <= len(data) <= COMPRESSED_BYTES_MAX:
            data = deflated(data)
            headers.append(("content-encoding", "gzip"))
        await self._responder.respond(200, headers, data)

    async def _fail(self, status: Status) -> None:
        headers = [_JSON_TYPE]
        if status.code is StatusCode.UNAUTHENTICATED:
            headers.append(("www-authenticate", "Bearer"))
        await self._responder.respond(http_status(status), headers, msgspec.json.encode(problem_of(status)))

    async def _written(self, message: bytes) -> bytes:
        if self._json is None:
            return message
        if len(message) <= PARSED_IN_LOOP_BYTES_MAX:
            return self._json.text(message)
        json = self._json
        return await REQUESTS.run(lambda: json.text(message))

    async def _framed(self, message: bytes) -> bytes:
        data = await self._written(message)
        if self._protocol.form is not Form.EVENTS:
            return self._in_frame(0, data)
        token = "" if self._json is None else self._json.token(message)
        return _event("", "" if _BREAKS & set(token) else token, data)

    def _in_frame(self, flag: int, data: bytes) -> bytes:
        framed = _PREFIX.pack(flag, len(data)) + data
        return base64.b64encode(framed) if self._protocol.is_text else framed

    def _end_of(self, status: Status) -> bytes:
        is_ok = status.code is StatusCode.OK
        if self._protocol.form is Form.WEB:
            return self._in_frame(_WEB_END, trailers_of(status))
        problem = {} if is_ok else problem_of(status)
        if self._protocol.form is Form.EVENTS:
            return _event("end" if is_ok else "error", "", msgspec.json.encode(problem))
        return self._in_frame(_END, msgspec.json.encode({} if is_ok else {"error": problem}))


def _event(name: str, token: str, data: bytes) -> bytes:
    """Return an event. JSON has no line breaks."""
    head = "".join(f"{key}: {value}\n" for key, value in (("event", name), ("id", token)) if value)
    return head.encode() + b"data: " + data + b"\n\n"
