"""Requests are received after admission, and counted by their bytes while they arrive and are carried out."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.transport.gated import ABOUT_A, Authenticator, Gated, Held, NeverRefused, open_gate, respond

from memoryd_server.domain.limit import Limits
from memoryd_server.transport import gate
from memoryd_server.transport.admission import arrival
from memoryd_server.transport.admission.pool import Pools
from memoryd_server.transport.gate import Gate
from memoryd_server.transport.limit import LARGE_REQUEST_BYTES_MIN, MESSAGE_BYTES_MAX
from memoryd_server.transport.status import Status, StatusCode

SINGLE = ["unary", "server_stream", "watch"]
"""The shapes with one request."""


class Sender(NeverRefused):
    """An exchange whose request arrives when the test says so."""

    def __init__(self, address: str = "nowhere") -> None:
        super().__init__(b"", self._send)
        self.asked = asyncio.Event()
        self.request: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self.status: Status | None = None
        self._address = address

    def address(self) -> str:
        return self._address

    async def receive(self) -> Any:
        self.asked.set()
        return await self.request

    async def refuse(self, status: Status) -> None:
        self.status = status

    async def _send(self, _message: bytes) -> None:
        pass


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate looks at arriving requests at each turn of the loop."""
    monkeypatch.setattr(arrival, "ARRIVAL_LOOK_S", 0)


def begin(gated: Gated, shape: str, sender: Sender) -> "asyncio.Task[Any]":
    async def serve() -> Any:
        return await gated.transport._methods[shape].serve(sender)

    return asyncio.create_task(serve())


async def turns(is_so: Callable[[], object]) -> None:
    """Let the loop turn until something is so."""
    async with asyncio.timeout(60):
        while not is_so():  # noqa: ASYNC110 - it is about the turns of the loop themselves
            await asyncio.sleep(0)


@pytest.mark.parametrize("shape", [*SINGLE, "client_stream"])
async def test_a_call_without_a_token_is_refused_before_its_request_is_received(shape: str) -> None:
    sender = Sender()
    await begin(Gated(Gate(Authenticator(), None, Pools(Limits())), respond), shape, sender)
    assert sender.status is not None
    assert sender.status.code is StatusCode.UNAUTHENTICATED
    assert not sender.asked.is_set()


@pytest.mark.parametrize("shape", [*SINGLE, "client_stream"])
async def test_a_caller_beyond_its_share_is_refused_before_its_request_is_received(shape: str) -> None:
    limits = dict.fromkeys(["concurrent_calls_per_caller", "concurrent_watches_per_caller"], 1)
    gated = Gated(open_gate(**limits), respond)
    first, second, other = Sender("a"), Sender("a"), Sender("b")
    calls = [begin(gated, shape, sender) for sender in (first, second, other)]
    await turns(lambda: first.asked.is_set() and other.asked.is_set() and second.status)
    assert second.status is not None
    assert second.status.code is StatusCode.RESOURCE_EXHAUSTED
    assert b"_per_caller" in second.status.details
    assert not second.asked.is_set()
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)
    assert gated.gate.pools.calls.value == gated.gate.pools.watches.value == 0


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("shape", SINGLE)
async def test_a_request_that_takes_long_to_arrive_counts_as_the_largest(shape: str) -> None:
    gated = Gated(open_gate(), respond)
    sender, pool = Sender(), gated.gate.pools.request_bytes
    call = begin(gated, shape, sender)
    await turns(lambda: pool.value == MESSAGE_BYTES_MAX)
    sender.request.set_result(ABOUT_A)
    await call
    assert (pool.value, sender.status) == (0, None)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("shape", SINGLE)
async def test_the_newest_of_too_many_late_requests_is_refused(shape: str) -> None:
    gated = Gated(open_gate(request_bytes_per_caller=MESSAGE_BYTES_MAX), respond)
    first, second = Sender(), Sender()
    calls = [begin(gated, shape, first), begin(gated, shape, second)]
    await turns(lambda: second.status)
    assert second.status is not None
    assert b"OVERLOADED" in second.status.details
    assert b"request_bytes_per_caller" in second.status.details
    first.request.set_result(ABOUT_A)
    await asyncio.gather(*calls)
    assert (first.status, gated.gate.pools.request_bytes.value) == (None, 0)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("shape", SINGLE)
async def test_a_request_that_never_arrives_is_refused(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrival, "ARRIVAL_LOOKS_MAX", 3)
    gated = Gated(open_gate(), respond)
    sender = Sender()
    await begin(gated, shape, sender)
    assert sender.status is not None
    assert sender.status.code is StatusCode.DEADLINE_EXCEEDED
    assert b"REQUEST_STALLED" in sender.status.details
    assert gated.gate.pools.calls.value == gated.gate.pools.request_bytes.value == 0


async def test_a_file_of_which_no_piece_comes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "STREAM_IDLE_S", 0.0)
    sender = Sender()
    await begin(Gated(open_gate(), respond), "client_stream", sender)
    assert sender.status is not None
    assert b"REQUEST_STALLED" in sender.status.details


@pytest.mark.usefixtures("quick")
async def test_a_client_that_leaves_while_its_request_arrives_is_no_refusal() -> None:
    gated = Gated(open_gate(), respond)
    sender = Sender()
    call = begin(gated, "unary", sender)
    await turns(lambda: gated.gate.pools.request_bytes.value)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert (sender.status, gated.gate.pools.request_bytes.value) == (None, 0)


@pytest.mark.parametrize("shape", SINGLE)
async def test_a_large_request_counts_until_its_call_has_ended(shape: str) -> None:
    held = Held()
    gated = Gated(open_gate(), held)
    # An unknown field of that size: field 15 as bytes.
    size = LARGE_REQUEST_BYTES_MIN
    request = ABOUT_A + b"\x7a" + bytes([size & 127 | 128, size >> 7 & 127 | 128, size >> 14]) + b"x" * size
    sender = Sender()
    sender.request.set_result(request)
    call = begin(gated, shape, sender)
    await held.begun()
    assert gated.gate.pools.request_bytes.value == len(request)
    held.may_end.set()
    await call
    assert (gated.gate.pools.request_bytes.value, sender.status) == (0, None)


@pytest.mark.parametrize("shape", SINGLE)
async def test_a_call_without_a_request_is_malformed(shape: str) -> None:
    sender = Sender()
    sender.request.set_result(None)
    await begin(Gated(open_gate(), respond), shape, sender)
    assert sender.status is not None
    assert b"MALFORMED_MESSAGE" in sender.status.details


@pytest.mark.parametrize("shape", [*SINGLE, "client_stream"])
async def test_a_client_that_has_left_is_no_error_in_the_log(shape: str, caplog: pytest.LogCaptureFixture) -> None:
    class Gone(Sender):
        def has_left(self, error: Exception) -> bool:
            return isinstance(error, ConnectionError)

    async def leave(_request: Any, _call: Any) -> Any:
        raise ConnectionError

    sender = Gone()
    call = begin(Gated(open_gate(), leave), shape, sender)
    sender.request.set_result(ABOUT_A)
    messages = iter([ABOUT_A, None])

    async def receive() -> Any:
        return next(messages)

    sender.receive = receive  # type: ignore[method-assign]
    with pytest.raises(asyncio.CancelledError):
        await call
    assert caplog.records == []
