"""A gate with one handler behind it for each shape of call, and handlers and callers to test it with."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import pytest
from google.rpc import error_details_pb2, status_pb2

from memoryd.v1 import agent_service_pb2 as pb
from memoryd_server.domain.error import Unauthenticated
from memoryd_server.domain.limit import Limits
from memoryd_server.ops.auth.grant import Account, Grant, GrantRow
from memoryd_server.ports.auth import Caller
from memoryd_server.transport.access import AccessRule, CallCost, MethodPolicy
from memoryd_server.transport.admission.pool import Pools
from memoryd_server.transport.call import Call
from memoryd_server.transport.exchange import Peer
from memoryd_server.transport.gate import Gate
from memoryd_server.transport.in_process import CallFailed, InProcessTransport
from memoryd_server.transport.observing.observer import Observer
from memoryd_server.transport.routes import Method, MethodKind
from memoryd_server.transport.status import Status, StatusCode

LIMIT = 3
EVERYONE = Grant(Account("anonymous"), [GrantRow(("*",))])
METHOD = MethodPolicy("Service/Method")
OTHER = AccessRule.SELECTION
STREAM = MethodPolicy("Service/Method", OTHER)
PATH = "/test.Service/Method"
SHAPES = ["unary", "client_stream", "server_stream", "watch"]
CALLS = ["unary", "client_stream", "server_stream"]
"""The shapes that count as calls."""

Handler = Callable[[Any, Call], Awaitable[pb.GetAgentResponse | bytes]]


class Authenticator:
    """An authenticator of one token, whose caller may use the agents a and b. Records its calls in ``asked``."""

    def __init__(self) -> None:
        self.asked: list[tuple[str | None, list[str]]] = []

    def authenticate(self, authorization: str | None, peer_identities: Sequence[str]) -> Caller:
        self.asked.append((authorization, list(peer_identities)))
        if authorization != "Bearer secret":
            raise Unauthenticated
        return Grant(Account("someone"), [GrantRow(("a", "b"))])


class Gated:
    """One handler behind a gate for each shape of call, served inside this process."""

    def __init__(
        self, gate: Gate, handler: Handler, rule: AccessRule = AccessRule.AGENT, observer: Observer | None = None
    ) -> None:
        self.gate = gate
        self.handled = 0
        self.closed: list[int] = []
        self._handler = handler
        request = pb.GetAgentRequest
        watch = gate.server_stream(MethodPolicy("Service/Watch", OTHER, cost=CallCost.WATCH), request, self._responses)
        methods = {
            "unary": Method(MethodKind.UNARY, gate.unary(MethodPolicy("Service/Method", rule), request, self._unary)),
            "client_stream": Method(MethodKind.CLIENT_STREAM, gate.client_stream(STREAM, request, self._last)),
            "server_stream": Method(
                MethodKind.SERVER_STREAM,
                gate.server_stream(STREAM, request, self._responses),
            ),
            "watch": Method(MethodKind.SERVER_STREAM, watch),
        }
        methods = methods if observer is None else observer.methods(methods)
        self.transport = InProcessTransport(methods, Peer(["agent.example"], "here"))

    async def call(self, shape: str, request: bytes = b"", metadata: Any = ()) -> bytes:
        """Return the first response of a call."""
        sent = one_request(request) if shape == "client_stream" else request
        return await self.transport.unary(shape, sent, metadata=metadata)

    def begin(self, shape: str, request: bytes = b"") -> "asyncio.Task[bytes]":
        return asyncio.create_task(self.call(shape, request))

    async def _unary(self, request: Any, call: Call) -> pb.GetAgentResponse | bytes:
        self.handled += 1
        return await self._handler(request, call)

    async def _last(self, requests: AsyncIterator[Any], call: Call) -> pb.GetAgentResponse | bytes:
        last = [request async for request in requests][-1]
        return await self._unary(last, call)

    async def _responses(self, request: Any, call: Call) -> AsyncGenerator[pb.GetAgentResponse | bytes, None]:
        try:
            yield await self._unary(request, call)
        finally:
            self.closed.append(admitted(self.gate))


def admitted(gate: Gate) -> int:
    return gate.pools.unfinished + gate.pools.watches.value


async def one_request(request: bytes) -> AsyncIterator[bytes]:
    yield request


def request_of(agent_id: str) -> bytes:
    return pb.GetAgentRequest(agent_id=agent_id).SerializeToString()


ABOUT_A = request_of("a")
RESPONSE = pb.GetAgentResponse(revision=7)


async def respond(_request: Any, _call: Call) -> pb.GetAgentResponse:
    return RESPONSE


class Held:
    """A handler whose calls wait until they may end."""

    def __init__(self) -> None:
        self.may_end = asyncio.Event()
        self._begun = asyncio.Semaphore(0)

    async def __call__(self, _request: Any, _call: Call) -> pb.GetAgentResponse:
        self._begun.release()
        await self.may_end.wait()
        return RESPONSE

    async def begun(self, count: int = 1) -> None:
        """Wait until this many more calls have begun."""
        for _ in range(count):
            await self._begun.acquire()


def open_gate(**limits: int) -> Gate:
    limits = {"concurrent_calls": LIMIT, "concurrent_watches": LIMIT} | limits
    return Gate(Authenticator(), EVERYONE, Pools(Limits(**limits)))


async def refusal_of(call: Awaitable[object]) -> tuple[Status, error_details_pb2.ErrorInfo]:
    with pytest.raises(CallFailed) as failed:
        await call
    status = failed.value.status
    info = error_details_pb2.ErrorInfo()
    details = status_pb2.Status.FromString(status.details)
    assert any(detail.Unpack(info) for detail in details.details)
    return status, info


async def is_refused(call: Awaitable[object], code: StatusCode, reason: str, **metadata: str) -> None:
    status, info = await refusal_of(call)
    assert (status.code, info.reason.removeprefix("ERROR_REASON_"), dict(info.metadata)) == (code, reason, metadata)


class NeverRefused:
    """An exchange of a call that must not be refused."""

    crowd = None
    call = None
    facts = None

    def __init__(self, request: bytes, send: Callable[[bytes], Awaitable[None]] | None = None) -> None:
        self.send: Any = send
        self._messages = [request]

    def task(self) -> Any:
        return asyncio.current_task()

    async def receive(self) -> bytes | None:
        return self._messages.pop() if self._messages else None

    def metadata(self, _: str, /) -> None:
        return None

    def peer(self) -> Peer:
        return Peer((), "nowhere")

    def address(self) -> str:
        return "nowhere"

    def remaining_s(self) -> None:
        return None

    def cancelled(self) -> bool:
        return False

    def has_left(self, error: Exception) -> bool:
        return False

    async def refuse(self, status: Status) -> None:
        raise AssertionError(f"refused with {status}")
