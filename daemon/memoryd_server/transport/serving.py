"""The order in which a daemon starts and stops serving, the same for all transports."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable

from memoryd_server.engine.engine import Engine
from memoryd_server.engine.watching.store_watch import StoreWatch
from memoryd_server.ports.component import ComponentState
from memoryd_server.transport.auditing.audit_trail import AuditTrail
from memoryd_server.transport.gate import Gate
from memoryd_server.transport.health import AUDIT, WRITES, Health
from memoryd_server.transport.limit import CANCELLED_END_S, OPERATIONS_END_S, WATCHES_END_S

log = logging.getLogger("memoryd.server")


class Serving:
    """Starts and drains what all transports of a daemon share.

    A transport accepts calls before ``start``, and until ``drain`` has returned.
    """

    def __init__(self, engine: Engine, gate: Gate, health: Health, trail: AuditTrail | None = None) -> None:
        self._engine = engine
        self._gate = gate
        self._health = health
        self._trail = trail
        self._store_watch: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Report the health of the components from now on."""
        self._engine.components.observe(self._note_health)
        store = self._engine.store
        if store.sharing is not None:
            watch = StoreWatch(store.sharing, store.shard_count, self._note_store, self._engine.telemetry.engine)
            self._store_watch = asyncio.create_task(watch.run(), name="store watch")

    @property
    def fault(self) -> str:
        """The reason why the daemon does not serve; empty if it does, as with a full store, which can be read."""
        if self._gate.draining:
            return "draining"
        return self._engine.components.fault

    async def drain(self, timeout_s: float) -> None:
        """End all calls in the order that loses nothing. Afterwards the transports may close their connections.

        First the daemon reports that it no longer serves, and refuses new calls. Then admitted calls and running
        operations end, within ``timeout_s`` seconds; operations that take longer are stopped. Only then do watches end,
        so that they have emitted every change that these made. Watches of health end last.
        """
        if self._store_watch is not None:
            self._store_watch.cancel()
        self._health.set_all(serving=False)
        self._gate.drain()
        self._engine.end_waits()
        operations = self._engine.operations
        if not await _at_most(timeout_s, self._calls_and_operations(), "calls did not end in time"):
            # The calls that wait for an operation end with it.
            operations.stop()
            await _at_most(OPERATIONS_END_S, operations.wait_for_all(), "operations did not end in time")
        self._engine.hub.close()
        if self._trail is not None:
            self._trail.close()
        await _at_most(WATCHES_END_S, self._gate.wait_for_watches(), "watches did not end in time")
        self._health.end_watches()

    async def end(self) -> None:
        """Wait until the calls have ended that the transports have cancelled as they stopped."""
        await _at_most(CANCELLED_END_S, self._gate.wait_for_calls(), "cancelled calls did not end in time")
        await _at_most(CANCELLED_END_S, self._gate.wait_for_watches(), "cancelled watches did not end in time")

    async def _calls_and_operations(self) -> None:
        await self._engine.operations.wait_for_all()
        await self._gate.wait_for_calls()

    async def _note_store(self, unavailable_count: int) -> None:
        store, shard_count = self._engine.components.of("store"), self._engine.store.shard_count
        if unavailable_count == shard_count:
            store.fail("the store does not respond")
        elif unavailable_count:
            store.degrade(f"{unavailable_count} of {shard_count} shards do not respond")
        else:
            store.ok()

    def _note_health(self) -> None:
        components = self._engine.components
        serving = not self._gate.draining and not components.fault
        without = [] if components.accepts_changes else [WRITES]
        if self._trail is not None and components.of("audit").health.state is not ComponentState.OK:
            without.append(AUDIT)
        self._health.set_all(serving=serving, without=without)


async def _at_most(timeout_s: float, ended: Awaitable[None], message: str) -> bool:
    """Wait for an end, and return whether it came in time."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            await ended
            return True
    log.warning(message)
    return False
