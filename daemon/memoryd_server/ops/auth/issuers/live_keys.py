"""The keys of an issuer while the daemon runs: read again and again, and when a token names an unknown one."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable
from functools import partial

from memoryd_server.ops.auth.issuers.issuer_row import IssuerRow
from memoryd_server.ops.auth.issuers.key_set import IssuerKey, KeySet
from memoryd_server.ops.auth.issuers.key_source import KeysUnavailable, read_keys
from memoryd_server.ops.limit import KEYS_ASKED_S, KEYS_READ_S, KEYS_RETRY_S, UNKNOWN_KEYS_MAX
from memoryd_server.ports.instrument import Counter

log = logging.getLogger("memoryd.policy")

_Wanted = tuple[str, str | None]
"""The algorithm and the id of a key."""


class KeysPending(Exception):  # noqa: N818 - an expected outcome
    """The key is not known yet: the keys are still to be read. ``delay_s`` is the time until they will be."""

    def __init__(self, delay_s: float) -> None:
        super().__init__()
        self.delay_s = delay_s


class LiveKeys:
    """The keys of the issuer of a row. While they cannot be read, those that were read last are kept.

    ``failed`` counts the readings that fail. ``has_failed`` is True if the last one did.
    """

    def __init__(self, row: IssuerRow, name: str, failed: Counter) -> None:
        self.row = row
        self._name = name
        self.has_failed = False
        self._failed = failed
        self._keys: KeySet | None = None
        self._is_asked = asyncio.Event()
        self._next_read = 0.0
        # Asked for since the last reading began; and not found by it.
        self._unknown: set[_Wanted] = set()
        self._absent: set[_Wanted] = set()

    def find(self, algorithm: str, key_id: str | None) -> IssuerKey | None:
        """Return a key; None if there is none. Raises KeysPending if that is to be found out.

        An unknown key has the keys read again: so an issuer may use a new one at once.
        """
        found = None if self._keys is None else self._keys.find(algorithm, key_id)
        if found is not None:
            return found
        self._is_asked.set()
        wanted = (algorithm, key_id)
        has_room = len(self._unknown) < UNKNOWN_KEYS_MAX
        if has_room:
            self._unknown.add(wanted)
        if self._keys is not None and (wanted in self._absent or not has_room):
            return None
        raise KeysPending(max(0.0, self._next_read - asyncio.get_running_loop().time()))

    def ask(self) -> None:
        """Have the keys read as soon as that is allowed."""
        self._is_asked.set()

    async def follow(self, changed: Callable[[frozenset[str]], None]) -> None:
        """Read the keys again and again. Call ``changed`` with the thumbprints of those that are there.

        It is called when these have changed, and when a reading fails or succeeds unlike the one before.
        """
        while True:
            has_read = await self._read(changed)
            self._next_read = asyncio.get_running_loop().time() + KEYS_ASKED_S
            await asyncio.sleep(KEYS_ASKED_S)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout((KEYS_READ_S if has_read else KEYS_RETRY_S) - KEYS_ASKED_S):
                    await self._is_asked.wait()

    async def _read(self, changed: Callable[[frozenset[str]], None]) -> bool:
        self._is_asked.clear()
        looked_for, self._unknown = self._unknown, set()
        before = self.has_failed, self._thumbprints
        try:
            self._keys = await read_keys(self.row)
        except KeysUnavailable as error:
            self._unknown = looked_for
            self.has_failed = True
            self._failed.add()
            kept = len(self._thumbprints)
            log.error("keys of an issuer not read", extra={"issuer": self._name, "error": str(error), "kept": kept})
        else:
            self._absent = looked_for
            self.has_failed = False
        if before[1] != self._thumbprints:
            log.info("keys of an issuer read", extra={"issuer": self._name, "keys": len(self._thumbprints)})
        if before != (self.has_failed, self._thumbprints):
            changed(self._thumbprints)
        return not self.has_failed

    @property
    def _thumbprints(self) -> frozenset[str]:
        return frozenset() if self._keys is None else self._keys.thumbprints


class FollowedKeys:
    """The tasks that keep the keys of issuers up to date. ``changed`` is called with the keys that have changed."""

    def __init__(self, changed: Callable[[LiveKeys, frozenset[str]], None]) -> None:
        self._changed = changed
        self._tasks: dict[LiveKeys, asyncio.Task[None]] = {}

    def follow(self, keys: Iterable[LiveKeys]) -> None:
        """Follow these keys, and no others. Those that are followed already are read again."""
        followed = set(keys)
        for each in self._tasks.keys() - followed:
            self._tasks.pop(each).cancel()
        for each in followed:
            if each in self._tasks:
                each.ask()
            else:
                self._tasks[each] = asyncio.create_task(each.follow(partial(self._changed, each)), name="issuer keys")

    def end(self) -> None:
        """Follow none."""
        self.follow(())
