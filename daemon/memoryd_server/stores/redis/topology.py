"""Which server has which shard: one server for all, the one that sentinels name, or the nodes of a cluster."""

import logging
from collections.abc import Sequence
from typing import Any, Protocol

from redis.exceptions import RedisError

from memoryd_server.stores.redis.link import Disconnected, ask
from memoryd_server.stores.redis.url import ServerAddress, StoreUrl

log = logging.getLogger("memoryd.redis")

SLOTS = 16_384


class Topology(Protocol):
    """Finds the server of a slot. A method that asks servers raises Disconnected when none of them answers."""

    is_cluster: bool

    async def discover(self) -> None:
        """Ask who is there now."""

    def addresses(self) -> list[ServerAddress]:
        """The servers that have slots."""

    def address_of(self, slot: int) -> ServerAddress:
        """The server that has a slot, as far as is known. Raises Disconnected when none has it."""

    def note_moved(self, slot: int, address: ServerAddress) -> None:
        """A server says that another one has a slot now."""


class Standalone:
    """One server that has everything."""

    is_cluster = False

    def __init__(self, url: StoreUrl) -> None:
        self._address = url.addresses[0]

    async def discover(self) -> None:
        """There is nobody to ask."""

    def addresses(self) -> list[ServerAddress]:
        """See Topology."""
        return [self._address]

    def address_of(self, slot: int) -> ServerAddress:
        """See Topology."""
        return self._address

    def note_moved(self, slot: int, address: ServerAddress) -> None:
        """Only a cluster says so, and this is none."""


class Sentinel:
    """The primary that the sentinels agree on."""

    is_cluster = False

    def __init__(self, url: StoreUrl) -> None:
        self._url = url
        self._sentinels = list(url.addresses)
        self._address: ServerAddress | None = None

    async def discover(self) -> None:
        """See Topology. The sentinel that answered is asked first the next time."""
        for sentinel in list(self._sentinels):
            try:
                reply = await ask(
                    self._url.sentinel_connection(sentinel), ("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._url.service)
                )
            except (RedisError, OSError) as error:
                log.warning("sentinel %s does not answer: %s", sentinel, error)
                continue
            if reply is not None:
                self._address = ServerAddress(reply[0].decode(), int(reply[1]))
                self._sentinels.remove(sentinel)
                self._sentinels.insert(0, sentinel)
                return
        raise Disconnected(f"no sentinel knows a primary of {self._url.service!r}")

    def addresses(self) -> list[ServerAddress]:
        """See Topology."""
        return [] if self._address is None else [self._address]

    def address_of(self, slot: int) -> ServerAddress:
        """See Topology."""
        if self._address is None:
            raise Disconnected("no primary is known yet")
        return self._address

    def note_moved(self, slot: int, address: ServerAddress) -> None:
        """Only a cluster says so, and this is none."""


class Cluster:
    """The nodes of a cluster, each with some of the slots."""

    is_cluster = True

    def __init__(self, url: StoreUrl) -> None:
        self._url = url
        self._slots: list[ServerAddress | None] = [None] * SLOTS

    async def discover(self) -> None:
        """See Topology."""
        for address in dict.fromkeys([*self.addresses(), *self._url.addresses]):
            try:
                reply = await ask(self._url.connection(address), ("CLUSTER", "SLOTS"))
            except (RedisError, OSError) as error:
                log.warning("node %s does not answer: %s", address, error)
                continue
            if reply:
                self._take(reply, address)
                return
        raise Disconnected("no node of the cluster answers")

    def addresses(self) -> list[ServerAddress]:
        """See Topology."""
        return list(dict.fromkeys(each for each in self._slots if each is not None))

    def _take(self, ranges: Sequence[Any], asked: ServerAddress) -> None:
        self._slots = [None] * SLOTS
        for first, last, primary, *_ in ranges:
            # A node that does not know its own name stands for the one that was asked.
            host = primary[0].decode() if primary[0] not in (None, b"", b"?") else asked.host
            self._slots[first : last + 1] = [ServerAddress(host, primary[1])] * (last + 1 - first)

    def address_of(self, slot: int) -> ServerAddress:
        """See Topology."""
        address = self._slots[slot]
        if address is None:
            raise Disconnected(f"no node of the cluster has slot {slot}")
        return address

    def note_moved(self, slot: int, address: ServerAddress) -> None:
        """See Topology."""
        self._slots[slot] = address


def topology_of(url: StoreUrl) -> Topology:
    """The topology that an URL speaks of."""
    if url.kind == "cluster":
        return Cluster(url)
    return Sentinel(url) if url.kind == "sentinel" else Standalone(url)
