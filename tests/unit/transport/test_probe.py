"""Probes: calls without a token. Those that last leave places for those that are answered at once."""

import asyncio
from collections.abc import AsyncIterator

from tests.unit.transport.gated import NeverRefused, open_gate

from memoryd_server.transport.exchange import Exchange
from memoryd_server.transport.gate import Gate
from memoryd_server.transport.status import Status, StatusCode


class Prober(NeverRefused):
    """An exchange with an address of its own."""

    def __init__(self, address: str) -> None:
        super().__init__(b"")
        self.status: Status | None = None
        self._address = address

    def address(self) -> str:
        return self._address

    async def refuse(self, status: Status) -> None:
        self.status = status


async def wait(_requests: AsyncIterator[bytes], _exchange: Exchange) -> None:
    await asyncio.Event().wait()


async def answer(_requests: AsyncIterator[bytes], _exchange: Exchange) -> bytes:
    return b"here"


async def probed(gate: Gate, address: str, *, lasts: bool) -> tuple[object, Status | None]:
    prober = Prober(address)
    begin = gate.probe("Health/Method", wait if lasts else answer, lasts=lasts)
    return await begin(lambda exchange: exchange, None, prober), prober.status


async def test_probes_that_last_leave_half_of_the_places() -> None:
    gate = open_gate(concurrent_probes=5, concurrent_probes_per_caller=1)
    lasting = [asyncio.create_task(probed(gate, f"client-{number}", lasts=True)) for number in range(4)]
    (refused,), waiting = await asyncio.wait(lasting, return_when=asyncio.FIRST_COMPLETED)
    _, status = refused.result()
    assert status is not None
    assert status.code is StatusCode.RESOURCE_EXHAUSTED
    assert (len(waiting), gate.pools.probes.value) == (3, 3)
    assert await probed(gate, "another", lasts=False) == (b"here", None)
    for each in waiting:
        each.cancel()
    await asyncio.wait(waiting)
    assert gate.pools.probes.value == 0
