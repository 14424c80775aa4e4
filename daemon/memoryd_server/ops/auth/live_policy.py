"""The policy in force: read again when its file changes, with the calls in progress ended that it no longer allows."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from memoryd_server.ops.auth.authenticator import PolicyAuthenticator
from memoryd_server.ops.auth.policy_file import Policy, read_policy
from memoryd_server.ops.auth.token_use import TokenUses
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.followed_files import Marks, marks_of
from memoryd_server.ops.limit import POLICY_LOOK_S, POLICY_SETTLED_S
from memoryd_server.ports.component import Component

if TYPE_CHECKING:
    from memoryd_server.ops.auth.issuers.live_keys import FollowedKeys, LiveKeys

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
        self._is_old = False
        self._enforce_tiers = enforce_tiers
        self._changed = asyncio.Event()
        self._read = self._marks()
        self._renewal: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()
        self._followed: FollowedKeys | None = None
        authenticator.expects = self._changed.set

    async def renew(self) -> None:
        """Read the file again. If it is not valid, keep the old policy, and log why."""
        # One at a time: what was read first must not be enforced last.
        async with self._turn:
            await self._renew()

    async def _renew(self) -> None:
        self._read = await asyncio.to_thread(self._marks)
        try:
            policy = await asyncio.to_thread(read_policy, self.path)
        except OperatorError as error:
            log.error("policy not renewed, keeping the old one", extra={"error": error.message})
            self._is_old = True
            self._report()
            return
        self._is_old = False
        self._enforce_tiers(policy)
        self._authenticator.enforce(policy, time.time())
        self._recheck()
        self._changed.set()
        self._follow_keys()
        self._report()
        counts = {
            "tokens": len(policy.tokens),
            "certificates": len(policy.certificates),
            "issuers": len(policy.issuers),
            "tiers": len(policy.tiers),
        }
        log.info("policy renewed", extra=counts)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """End what expires, note what is used, and keep issuers' keys up to date, during a with block."""
        looking = asyncio.create_task(self._look(), name="policy")
        self._authenticator.is_outdated = self._is_outdated
        self._follow_keys()
        try:
            yield
        finally:
            looking.cancel()
            self._authenticator.is_outdated = lambda: False
            if self._renewal is not None:
                self._renewal.cancel()
            if self._followed is not None:
                self._followed.end()
            await self._note_uses()

    def _is_outdated(self) -> bool:
        """Return True if the file is not the one that was read last; it is read again then."""
        if self._renewal is None and self._marks() != self._read:
            self._renewal = asyncio.create_task(self._renew_settled(), name="policy renewal")
        return self._renewal is not None

    async def _renew_settled(self) -> None:
        """Read the file once it stays the same: an editor may write it in parts."""
        try:
            before: Marks = {}
            while (marks := await asyncio.to_thread(self._marks)) != before:
                before = marks
                await asyncio.sleep(POLICY_SETTLED_S)
            await self.renew()
        finally:
            self._renewal = None

    def _marks(self) -> Marks:
        return marks_of([self.path])

    def _follow_keys(self) -> None:
        issued = self._authenticator.issued
        if issued is None:
            return
        if self._followed is None:
            from memoryd_server.ops.auth.issuers.live_keys import FollowedKeys

            self._followed = FollowedKeys(self._keys_changed)
        self._followed.follow(issued.all_keys())

    def _keys_changed(self, keys: "LiveKeys", thumbprints: frozenset[str]) -> None:
        self._authenticator.keep(keys, thumbprints)
        self._recheck()
        self._report()

    def _report(self) -> None:
        """Report the health of the policy."""
        if self._component is None:
            return
        issued = self._authenticator.issued
        if self._is_old:
            self._component.degrade("the token file was not read again, and the old policy is in force: see the log")
        elif issued is not None and any(keys.has_failed for keys in issued.all_keys()):
            self._component.degrade("the keys of an issuer cannot be read, and the last ones are in force: see the log")
        else:
            self._component.ok()

    async def _look(self) -> None:
        loop = asyncio.get_running_loop()
        next_note = loop.time() + POLICY_LOOK_S
        while True:
            await self._next_moment(next_note - loop.time())
            if self._authenticator.expire(time.time()):
                log.info("tokens expired")
                self._recheck()
            # Issuers' tokens may expire every second: uses are not noted as often.
            if loop.time() >= next_note:
                next_note = loop.time() + POLICY_LOOK_S
                await self._note_uses()

    async def _next_moment(self, wait_s_max: float) -> None:
        """Wait until something expires, at most for ``wait_s_max``: the clock may be set, or have stood still."""
        wait_s = max(0.0, min(wait_s_max, self._authenticator.next_expiry - time.time()))
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
