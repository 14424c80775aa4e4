"""Responses that their clients do not read count against the share of their caller, until they have left."""

import asyncio
from typing import Any

import pytest
from tests.unit.transport.gated import ABOUT_A, EVERYONE, Authenticator, NeverRefused, respond

from memoryd.v1 import agent_service_pb2 as pb
from memoryd_server.domain.limit import Limits
from memoryd_server.transport.access import MethodPolicy
from memoryd_server.transport.admission import departure
from memoryd_server.transport.admission.pool import Pools
from memoryd_server.transport.call import Call
from memoryd_server.transport.gate import Gate
from memoryd_server.transport.limit import LARGE_RESPONSE_BYTES_MIN
from memoryd_server.transport.status import Status, StatusCode

LARGE = b"x" * LARGE_RESPONSE_BYTES_MIN


class Reader(NeverRefused):
    """An exchange whose client reads its response when the test says so."""

    def __init__(self, address: str = "nowhere") -> None:
        super().__init__(ABOUT_A)
        self.status: Status | None = None
        self.has_read = asyncio.Event()
        self.is_handed_over = asyncio.Event()
        self._address = address

    def address(self) -> str:
        return self._address

    async def refuse(self, status: Status) -> None:
        self.status = status

    async def call(self, gate: Gate, response: bytes = LARGE, *, is_read: bool = True) -> Any:
        """Serve the call as a transport does, whose task ends once the client has the response."""

        async def handler(request: Any, call: Call) -> pb.GetAgentResponse | bytes:
            return response or await respond(request, call)

        begin = gate.unary(MethodPolicy("Service/Method", is_read=is_read), pb.GetAgentRequest, handler)
        served = await begin(lambda exchange: exchange, None, self)
        self.is_handed_over.set()
        if self.status is None:
            await self.has_read.wait()
        return served

    def begin(self, gate: Gate, response: bytes = LARGE, *, is_read: bool = True) -> "asyncio.Task[Any]":
        return asyncio.create_task(self.call(gate, response, is_read=is_read))


def gate_with(share: int, total: int = 2**30) -> Gate:
    return Gate(Authenticator(), EVERYONE, Pools(Limits(response_bytes=total, response_bytes_per_caller=share)))


async def test_a_large_response_counts_until_its_client_has_it() -> None:
    gate = gate_with(2**20)
    unread, reader = gate.pools.response_bytes, Reader()
    call = reader.begin(gate)
    await reader.is_handed_over.wait()
    assert (unread.value, gate.pools.calls.value) == (len(LARGE), 0)
    reader.has_read.set()
    assert await call == LARGE
    await asyncio.sleep(0)
    assert (unread.value, unread.of_caller) == (0, {})


async def test_a_small_response_does_not_count() -> None:
    gate, reader = gate_with(1), Reader()
    call = reader.begin(gate, b"")
    await reader.is_handed_over.wait()
    assert gate.pools.response_bytes.value == 0
    reader.has_read.set()
    await call


async def test_a_caller_that_does_not_read_is_refused_before_its_request_and_others_are_served() -> None:
    gate = gate_with(len(LARGE))
    reader, again, other = Reader("a"), Reader("a"), Reader("b")
    calls = [reader.begin(gate)]
    await reader.is_handed_over.wait()
    await again.call(gate, b"")
    assert again.status is not None
    assert again.status.code is StatusCode.RESOURCE_EXHAUSTED
    assert b"response_bytes_per_caller" in again.status.details
    calls.append(other.begin(gate))
    await other.is_handed_over.wait()
    assert other.status is None
    for each in (reader, other):
        each.has_read.set()
    await asyncio.wait(calls)
    last = Reader("a")
    last.has_read.set()
    assert await last.call(gate) == LARGE


@pytest.mark.parametrize("is_read", [True, False], ids=["read", "change"])
async def test_without_room_a_read_is_refused_and_a_change_is_answered(is_read: bool) -> None:
    gate = gate_with(2**20, total=len(LARGE) + 1)
    first, second = Reader("a"), Reader("b")
    held = first.begin(gate)
    await first.is_handed_over.wait()
    second.has_read.set()
    assert (await second.call(gate, is_read=is_read) is None) == is_read
    assert (second.status is not None) == is_read
    first.has_read.set()
    await held


async def test_a_response_that_is_never_read_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(departure, "RESPONSE_UNREAD_S", 0)
    gate, reader = gate_with(2**20), Reader()
    with pytest.raises(asyncio.CancelledError):
        await reader.begin(gate)
    await asyncio.sleep(0)
    assert gate.pools.response_bytes.value == 0
