"""The application of ASGI that serves methods: https://asgi.readthedocs.io.

Connect: https://connectrpc.com/docs/protocol. gRPC-Web: ``PROTOCOL-WEB.md`` of gRPC.
"""

import asyncio
import base64
import binascii
import contextlib
import logging
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from memoryd_server.domain.error import Refusal, TooLarge
from memoryd_server.transport.error import internal_status, status_of
from memoryd_server.transport.http.answer import Answer, Responder, Send
from memoryd_server.transport.http.body import Body, Messages, Receive, Room
from memoryd_server.transport.http.codec import JsonMessage
from memoryd_server.transport.http.exchange import HttpExchange
from memoryd_server.transport.http.head import Head
from memoryd_server.transport.http.limit import LINGER_BYTES_MAX, LINGER_S
from memoryd_server.transport.http.problem import problem_of
from memoryd_server.transport.http.protocol import ACCEPTED, Form, Protocol, protocol_of
from memoryd_server.transport.http.visitors import Headers, NotAllowed, Visitors, allowing, preflight
from memoryd_server.transport.limit import CALL_METADATA_BYTES_MAX, MESSAGE_BYTES_MAX
from memoryd_server.transport.page import Page
from memoryd_server.transport.routes import Method, MethodKind, unknown_method
from memoryd_server.transport.status import CANCELLED, Status, StatusCode

log = logging.getLogger("memoryd.transport")

_OK = Status(StatusCode.OK)
_LATE = Status(StatusCode.DEADLINE_EXCEEDED, "the deadline is over")
_UNKNOWN_ENCODING = Status(StatusCode.UNIMPLEMENTED, "the compression of the request is unknown: use gzip, or none")
_NO_JSON = Status(StatusCode.UNIMPLEMENTED, "the messages of the method cannot be written as JSON")
_ENCODING_HEADERS = {
    Form.WHOLE: "content-encoding",
    Form.EVENTS: "content-encoding",
    Form.FRAMES: "connect-content-encoding",
    Form.WEB: "grpc-encoding",
}


class Refused(Exception):  # noqa: N818 - as domain.error.Refusal
    """A request is no call. ``status`` is that of HTTP."""

    def __init__(self, status: int, headers: Headers, body: bytes = b"") -> None:
        super().__init__(status)
        self.status = status
        self.headers = headers
        self.body = body


class Unreadable(Exception):  # noqa: N818 - as domain.error.Refusal
    """The head of a call cannot be read. The call ends with ``end``."""

    def __init__(self, end: Status) -> None:
        super().__init__(end.message)
        self.end = end


class _Route(msgspec.Struct, frozen=True):
    """A method, with the types of its messages if they have JSON."""

    method: Method
    bytes_max: int
    request: JsonMessage | None
    response: JsonMessage | None
    is_unknown: bool = False


class Door:
    """Serves methods, and pages, to those whom ``visitors`` lets in."""

    def __init__(self, methods: Mapping[str, Method], visitors: Visitors, pages: Iterable[Page] = ()) -> None:
        self._routes = {path: _route_of(method) for path, method in methods.items()}
        self._visitors = visitors
        self._pages = {page.path: page for page in pages}
        self._room = Room()
        self._serving: set[asyncio.Task[tuple[Status, bytes | None]]] = set()

    def cancel(self) -> None:
        """Cancel the calls that have not ended."""
        for serving in self._serving:
            serving.cancel()

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve one request."""
        head, body = Head(scope), Body(receive, self._room)
        try:
            await self._serve(head, body, send)
        except asyncio.CancelledError:
            if not body.has_left:
                raise
        finally:
            body.drop()

    async def _serve(self, head: Head, body: Body, send: Send) -> None:
        responder = Responder(_Lingering(head, body, send).send, allowing(None))
        try:
            origin = self._visitors.origin_of(head)
            responder.headers = allowing(origin)
            if head.method == "OPTIONS":
                await responder.respond(204, preflight(head))
            elif (page := self._pages.get(head.path)) is not None and head.method in ("GET", "HEAD"):
                await _show(page, head, responder)
            else:
                await self._call(head, body, responder)
        except NotAllowed as refused:
            await responder.respond(403, [("content-type", "text/plain; charset=utf-8")], f"{refused}\n".encode())
        except Refused as refused:
            await responder.respond(refused.status, refused.headers, refused.body)

    async def _call(self, head: Head, body: Body, responder: Responder) -> None:
        try:
            protocol = protocol_of(head)
        except ValueError:
            raise Refused(400, []) from None
        if protocol is None:
            raise Refused(415, [("accept-post", ACCEPTED)]) if head.method == "POST" else _only_post()
        route = self._routes.get(head.path) or _Route(
            unknown_method(head.path), MESSAGE_BYTES_MAX, None, None, is_unknown=True
        )
        if not route.is_unknown:
            _check_fit(protocol, route.method, head)
        accepts_gzip = head.names("accept-encoding", "gzip")
        response_json = route.response if protocol.is_json else None
        answer = Answer(responder, protocol, response_json, accepts_gzip=accepts_gzip)
        try:
            exchange = HttpExchange(head, body, _messages_of(head, body, protocol, route), answer, _timeout_s(head))
        except Unreadable as unreadable:
            await answer.end(unreadable.end, None)
            return
        status, message = await self._served(route.method, exchange, body)
        if route.is_unknown and protocol.form in (Form.WHOLE, Form.EVENTS):
            raise Refused(404, [("content-type", "application/json")], msgspec.json.encode(problem_of(status)))
        await answer.end(status, message)

    async def _served(self, method: Method, exchange: HttpExchange, body: Body) -> tuple[Status, bytes | None]:
        """Serve a call to its end. Raises asyncio.CancelledError if the client has left."""
        serving = asyncio.create_task(_end_of(method, exchange))
        self._serving.add(serving)
        serving.add_done_callback(self._serving.discard)
        leaving = asyncio.create_task(body.until_left())
        leaving.add_done_callback(lambda _: body.has_left and serving.cancel())
        try:
            await asyncio.wait((serving,))
        finally:
            serving.cancel()
            leaving.cancel()
        if not serving.cancelled():
            return serving.result()
        if body.has_left:
            raise asyncio.CancelledError
        return CANCELLED, None


class _Lingering:
    """Sends a response once a body has been received that nobody has read; that of a large one closes its connection.

    What would follow could be taken for another request.
    """

    def __init__(self, head: Head, body: Body, send: Send) -> None:
        self._head = head
        self._body = body
        self._send = send

    async def send(self, event: dict[str, Any]) -> None:
        if event["type"] == "http.response.start":
            if not self._body.is_complete:
                await self._linger()
            if self._head.is_ambiguous or not self._body.is_complete:
                event["headers"].append((b"connection", b"close"))
        await self._send(event)

    async def _linger(self) -> None:
        if (self._head.size or 0) > LINGER_BYTES_MAX:
            return
        # Of what comes in chunks, the size is not known before its end.
        left = LINGER_BYTES_MAX
        with contextlib.suppress(TimeoutError, Refusal):
            async with asyncio.timeout(LINGER_S):
                while left > 0 and await self._body.more():
                    left -= self._body.drop()


def _route_of(method: Method) -> _Route:
    maximum = MESSAGE_BYTES_MAX if method.admission is None else method.admission.bytes_max
    if method.descriptor is None:
        return _Route(method, maximum, None, None)
    return _Route(
        method, maximum, JsonMessage(method.descriptor.input_type), JsonMessage(method.descriptor.output_type)
    )


async def _end_of(method: Method, exchange: HttpExchange) -> tuple[Status, bytes | None]:
    try:
        async with asyncio.timeout(exchange.remaining_s()):
            message = await method.serve(exchange)
    except TimeoutError:
        return _LATE, None
    except Exception:
        log.exception("call failed")
        return internal_status(), None
    return exchange.status or _OK, message


def _check_fit(protocol: Protocol, method: Method, head: Head) -> None:
    """Raise Refused for a method that is not called in the way that its streams need."""
    match protocol.form:
        case Form.WHOLE if method.kind is not MethodKind.UNARY:
            why = "the method has a stream: call it with application/connect+json, or with accept: text/event-stream"
        case Form.WHOLE if head.method == "GET" and not _is_read(method):
            raise _only_post()
        case Form.FRAMES if method.kind is MethodKind.UNARY:
            why = "the method has no stream: call it with application/json or application/proto"
        case Form.EVENTS if method.kind is not MethodKind.SERVER_STREAM:
            why = "the method has no stream of responses alone"
        case _:
            return
    problem = problem_of(Status(StatusCode.INVALID_ARGUMENT, why))
    raise Refused(415, [("content-type", "application/json")], msgspec.json.encode(problem))


def _is_read(method: Method) -> bool:
    return method.policy is not None and method.policy.is_read


def _only_post() -> Refused:
    return Refused(405, [("allow", "POST")])


def _messages_of(head: Head, body: Body, protocol: Protocol, route: _Route) -> Messages:
    """Raises Unreadable."""
    if head.bytes > CALL_METADATA_BYTES_MAX:
        raise Unreadable(status_of(TooLarge("metadata_bytes", CALL_METADATA_BYTES_MAX)))
    is_get = head.method == "GET"
    encoding = head.query.get("compression") if is_get else head.get(_ENCODING_HEADERS[protocol.form])
    if encoding not in (None, "", "identity", "gzip"):
        raise Unreadable(_UNKNOWN_ENCODING)
    json = route.request if protocol.is_json else None
    if protocol.is_json and json is None and not route.is_unknown:
        raise Unreadable(_NO_JSON)
    return Messages(
        protocol,
        body,
        route.bytes_max,
        json,
        is_gzip=encoding == "gzip",
        is_single=not route.method.kind.value[0],
        resume_token=head.get("last-event-id") if protocol.form is Form.EVENTS else None,
        query=_queried(head) if is_get else None,
    )


def _queried(head: Head) -> bytes:
    """Return the message in a query: as text, or in base64 if the query says so. Raises Unreadable."""
    text = head.query.get("message", "{}")
    if head.query.get("base64") != "1":
        return text.encode("utf-8", "surrogateescape")
    try:
        # Either alphabet, with padding or without.
        plain = text.replace(" ", "+").replace("+", "-").replace("/", "_").rstrip("=")
        return base64.b64decode(plain + "=" * (-len(plain) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise Unreadable(Status(StatusCode.INVALID_ARGUMENT, "the message is not in base64")) from None


def _timeout_s(head: Head) -> float | None:
    """Return how long the client waits. Raises Unreadable."""
    try:
        milliseconds = head.milliseconds("connect-timeout-ms")
    except ValueError:
        message = "the header connect-timeout-ms is malformed"
        raise Unreadable(Status(StatusCode.INVALID_ARGUMENT, message)) from None
    if milliseconds is not None:
        return milliseconds / 1_000
    try:
        return head.grpc_timeout_s()
    except ValueError:
        raise Unreadable(Status(StatusCode.INVALID_ARGUMENT, "the header grpc-timeout is malformed")) from None


async def _show(page: Page, head: Head, responder: Responder) -> None:
    """Send a page, unless the browser has it as it is: RFC 9110, section 13.1.2."""
    tags = [value for name, value in page.headers if name == "etag"]
    known = [each.strip().removeprefix("W/") for value in head.all("if-none-match") for each in value.split(",")]
    if tags and any(each in ("*", *tags) for each in known):
        await responder.respond(304, page.headers)
    else:
        # The server leaves the body out of the response to HEAD.
        await responder.respond(page.status, page.headers, page.body)
