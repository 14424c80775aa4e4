"""The policy in force: read again when its file changes, with the calls in progress ended that it no longer allows."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from memoryd_server.ops.auth.authenticator import PolicyAuthenticator
from memoryd_server.ops.auth.policy_file import Policy, read_policy
from memoryd_server.ops.auth.token_use import TokenUses
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.limit import POLICY_LOOK_S
from memoryd_server.ports.component import Component

log = logging.getLogger("memoryd.policy")


class LivePolicy:
    """Keeps an authenticator and the tiers up to date.

    ``recheck`` ends the calls in progress that are no longer allowed, ``enforce_tiers`` takes the policy of the moment.
    """

    def __init__(
        self,
        path: Path,
        authenticator: PolicyAuthenticator,
        recheck: Callable[[], None],
        enforce_tiers: Callable[[Policy], None],
        uses: TokenUses | None = None,
        component: Component | None = None,
    ) -> None:
        self.path = path
        self._authenticator = authenticator
        self._recheck = recheck
        self._uses = uses
        self._component = component
        self._enforce_tiers = enforce_tiers
        self._changed = asyncio.Event()

    async def renew(self) -> None:
        """Read the file again. If it is not valid, keep the old policy, and log why."""
        try:
            policy = await asyncio.to_thread(read_policy, self.path)
        except OperatorError as error:
            log.error("policy not renewed, keeping the old one", extra={"error": error.message})
            if self._component is not None:
                self._component.degrade(
                    "the token file was not read again, and the old policy is in force: see the log"
                )
            return
        if self._component is not None:
            self._component.ok()
        self._enforce_tiers(policy)
        self._authenticator.enforce(policy, time.time())
        self._recheck()
        self._changed.set()
        counts = {"tokens": len(policy.tokens), "certificates": len(policy.certificates), "tiers": len(policy.tiers)}
        log.info("policy renewed", extra=counts)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """End what expires, and note what is used, during a with block."""
        looking = asyncio.create_task(self._look(), name="policy")
        try:
            yield
        finally:
            looking.cancel()
            await self._note_uses()

    async def _look(self) -> None:
        while True:
            await self._next_moment()
            if self._authenticator.expire(time.time()):
                log.info("tokens expired")
                self._recheck()
            await self._note_uses()

    async def _next_moment(self) -> None:
        """Wait until something expires, but no longer than POLICY_LOOK_S: the clock may be set, or have stood still."""
        expiry = self._authenticator.next_expiry
        wait_s = POLICY_LOOK_S if expiry is None else min(POLICY_LOOK_S, max(0.0, expiry - time.time()))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._changed.wait()
                self._changed.clear()

    async def _note_uses(self) -> None:
        if self._uses is None:
            return
        used = self._authenticator.used()
        self._authenticator.forget()
        if used:
            await asyncio.to_thread(self._uses.note, used, time.time())
