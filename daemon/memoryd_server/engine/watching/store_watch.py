"""Looks whether a shared store answers, so that health tells the truth while it does not."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from memoryd_server.ports.store import Sharing

log = logging.getLogger("memoryd.store")

LOOK_S = 1.0


class StoreWatch:
    """Asks all shards once a second.

    ``on_change`` is told whether any of them answers. As long as one does, the daemon is of use: its health stays, and
    the agents of the others are refused as unavailable.
    """

    def __init__(self, sharing: Sharing, shard_count: int, on_change: Callable[[bool], Awaitable[None]]) -> None:
        self._sharing = sharing
        self._shard_count = shard_count
        self._on_change = on_change
        self._unavailable_count = 0

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                await self.look()
            except Exception:
                log.exception("looking whether the store is available failed")

    async def look(self) -> None:
        """Ask once."""
        count = len(await self._sharing.unavailable_shards(LOOK_S))
        before, self._unavailable_count = self._unavailable_count, count
        if count == before:
            return
        if count:
            log.error("store unavailable", extra={"shards_unavailable": count, "shards": self._shard_count})
        else:
            log.info("store available")
        answered, answers = before < self._shard_count, count < self._shard_count
        if answered != answers:
            await self._on_change(answers)
