"""Monitors whether a shared store responds, for the daemon's health status."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from memoryd_server.engine.limit import STORE_LOOK_S
from memoryd_server.ports.engine_telemetry import EngineTelemetry
from memoryd_server.ports.store import Sharing

log = logging.getLogger("memoryd.store")


class StoreWatch:
    """Queries all shards once a second.

    ``on_change`` is called with the number of shards that do not respond, when it has changed. The daemon serves as
    long as one responds: requests for the agents of the other shards fail as unavailable.
    """

    def __init__(
        self,
        sharing: Sharing,
        shard_count: int,
        on_change: Callable[[int], Awaitable[None]],
        telemetry: EngineTelemetry | None = None,
    ) -> None:
        self._sharing = sharing
        self._shard_count = shard_count
        self._on_change = on_change
        self._telemetry = telemetry or EngineTelemetry()
        self._unavailable_count = 0

    async def run(self) -> None:
        """Query until cancelled."""
        while True:
            await asyncio.sleep(STORE_LOOK_S)
            try:
                await self.look()
            except Exception:
                log.exception("store health check failed")

    async def look(self) -> None:
        """Query all shards once."""
        started = time.perf_counter()
        count = len(await self._sharing.unavailable_shards(STORE_LOOK_S))
        if not count:
            self._telemetry.roundtrip_duration.observe(time.perf_counter() - started)
        self._telemetry.store_available.set(int(count < self._shard_count))
        before, self._unavailable_count = self._unavailable_count, count
        if count == before:
            return
        if count:
            log.error("store unavailable", extra={"shards_unavailable": count, "shards": self._shard_count})
        else:
            log.info("store available")
        await self._on_change(count)
