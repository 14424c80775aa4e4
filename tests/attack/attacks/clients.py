"""Many clients of the Python package that come and go, and callers that give up."""

import asyncio
from collections import Counter

from tests.attack.attack import Attack, Outcomes, Target

import memoryd
import memoryd.aio

_AGENT = "attacker-clients"
_TIMEOUT_S = 60.0
_LEASE_S = 300
"""A lease that is longer than the test: what waits for it fails."""
_WAIT_S = 100.0


async def _clients(target: Target, times: int) -> Outcomes:
    """Open and close clients, ``times`` of them, ten at a time."""
    outcomes: Outcomes = Counter()
    numbers = iter(range(times))

    async def work() -> None:
        for number in numbers:
            async with memoryd.aio.connect(target.address, token=target.token, timeout=_TIMEOUT_S) as client:
                await client.agent(_AGENT).set("key", number)
                outcomes["OK"] += 1

    await asyncio.gather(*(work() for _ in range(10)))
    return outcomes


async def _cancelled(target: Target, times: int) -> Outcomes:
    """Cancel get_or_set at different moments; afterwards each value must be had without waiting for a lease."""
    outcomes: Outcomes = Counter()
    async with memoryd.aio.connect(target.address, token=target.token, timeout=_TIMEOUT_S) as client:
        agent = client.agent(_AGENT)

        async def factory() -> int:
            await asyncio.sleep(0)
            return 1

        for number in range(times):
            key = f"cancelled-{number}"
            await agent.remove(key)
            task = asyncio.ensure_future(agent.get_or_set(key, factory, lease=_LEASE_S))
            for _ in range(number % 40):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        for number in range(times):
            try:
                await agent.get_or_set(f"cancelled-{number}", factory, wait=_WAIT_S)
                outcomes["OK"] += 1
            except memoryd.DeadlineExceeded:
                outcomes["a reservation was left"] += 1
    return outcomes


ATTACKS = (
    Attack("clients", "{times} clients that connect, write, and leave", _clients, 500, 20, frozenset({"OK"})),
    Attack(
        "cancellations",
        "{times} calls of get_or_set that are cancelled on the way",
        _cancelled,
        200,
        40,
        frozenset({"OK"}),
    ),
)
