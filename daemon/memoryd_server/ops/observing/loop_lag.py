"""The lag of the event loop, for which all calls wait."""

import asyncio

from memoryd_server.ops.limit import LOOP_LOOK_S
from memoryd_server.ports.instrument import Histogram


class LoopLag:
    """The lag of the event loop: how much later than asked it wakes what sleeps."""

    def __init__(self) -> None:
        self.lag = Histogram("agents.memory.server.loop_lag", "How late the event loop wakes what sleeps")

    async def watch(self) -> None:
        """Measure until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + LOOP_LOOK_S
            await asyncio.sleep(LOOP_LOOK_S)
            self.lag.observe(max(0.0, loop.time() - due))
