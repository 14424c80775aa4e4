"""Pools: the calls of one class that the daemon serves at a time, in total and of each caller."""

from collections.abc import Hashable
from typing import NoReturn

from memoryd_server.domain.error import Overloaded
from memoryd_server.domain.limit import Limits
from memoryd_server.ports.instrument import Counter, Gauge


class Pool(Gauge):
    """A number of places, of which one caller gets a share.

    ``limit`` is the name of the total, ``<limit>_per_caller`` that of the share. ``value`` is the number of places in
    use, ``of_caller`` the same by caller. Below ``unshared`` places, one may be taken that counts for no caller.
    """

    __slots__ = ("limit", "maximum", "of_caller", "refused", "share", "unshared")

    def __init__(self, limit: str, maximum: int, share: int, description: str) -> None:
        super().__init__(f"agents.memory.server.{limit}", description)
        self.limit = limit
        self.maximum = maximum
        self.share = share
        self.unshared = maximum // _UNSHARED_PART
        self.of_caller: dict[Hashable, int] = {}
        self.refused = Counter(
            "agents.memory.server.refused_total", "Calls that were refused as OVERLOADED", limit=limit
        )

    def enter(self, caller: Hashable, places: int = 1) -> None:
        """Take places for a caller. Raises Overloaded, naming the limit that is reached."""
        taken = self.of_caller.get(caller, 0) + places
        if taken > self.share or self.value + places > self.maximum:
            self.refuse(taken)
        self.of_caller[caller] = taken
        self.value += places

    def force(self, caller: Hashable, places: int) -> None:
        """Take places for a caller, whatever the limits."""
        self.of_caller[caller] = self.of_caller.get(caller, 0) + places
        self.value += places

    def leave(self, caller: Hashable, places: int = 1) -> None:
        """Return the places of a caller."""
        self.value -= places
        left = self.of_caller[caller] - places
        if left:
            self.of_caller[caller] = left
        else:
            del self.of_caller[caller]

    def refuse(self, taken: int) -> NoReturn:
        """Raise Overloaded for a caller that would have ``taken`` places."""
        self.refused.add()
        if taken > self.share:
            raise Overloaded(f"{self.limit}_per_caller", self.share)
        raise Overloaded(self.limit, self.maximum)


class Pools:
    """All pools of a daemon with these limits."""

    def __init__(self, limits: Limits) -> None:
        def pool(limit: str, description: str) -> Pool:
            return Pool(limit, getattr(limits, limit), getattr(limits, f"{limit}_per_caller"), description)

        self.limits = limits
        self.calls = pool("concurrent_calls", "Calls in progress")
        self.waits = pool("concurrent_waits", "Calls that may wait for other callers")
        self.transfers = pool("concurrent_transfers", "Files that are being uploaded, imported or exported")
        self.watches = pool("concurrent_watches", "Watches in progress")
        self.probes = pool("concurrent_probes", "Calls of health, reflection and GetServerInfo in progress")
        self.request_bytes = pool("request_bytes", "Bytes of large requests that arrive or are in progress")
        self.response_bytes = pool("response_bytes", "Bytes of large responses that clients have not read yet")

    def usage(self) -> dict[str, int]:
        """Return how much of each limit is in use, by the limit's name."""
        return {pool.limit: pool.value for pool in self._all()}

    def instruments(self) -> tuple[Gauge | Counter, ...]:
        """Return the metrics of all pools: what is in use, and what was refused."""
        return (*self._all(), *(pool.refused for pool in self._all()))

    @property
    def unfinished(self) -> int:
        """The number of calls that end by themselves: all but watches and probes."""
        return self.calls.value + self.waits.value + self.transfers.value

    def _all(self) -> tuple[Pool, ...]:
        in_progress = self.calls, self.waits, self.transfers, self.watches, self.probes
        return (*in_progress, self.request_bytes, self.response_bytes)


_UNSHARED_PART = 8
"""The part of a pool in which places need not count for a caller: while most are free, nobody lacks one."""
