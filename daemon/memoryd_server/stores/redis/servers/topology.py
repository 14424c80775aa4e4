"""The servers of the shards: one server for all, the primary that sentinels name, or the nodes of a cluster."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from redis.exceptions import RedisError
from typing_extensions import override

from memoryd_server.stores.redis.servers.link import Disconnected, ask
from memoryd_server.stores.redis.servers.trouble import log_trouble, text_of
from memoryd_server.stores.redis.url import ServerAddress, StoreUrl

SLOTS = 16_384


class Topology(Protocol):
    """Maps slots to servers."""

    is_cluster: bool

    async def discover(self) -> None:
        """Update the mapping by asking servers. Raises Disconnected if none of them responds."""

    def addresses(self) -> list[ServerAddress]:
        """Return the servers that have slots."""

    def address_of(self, slot: int) -> ServerAddress:
        """Return the last known server of a slot. Raises Disconnected if there is none."""

    def note_moved(self, slot: int, address: ServerAddress) -> None:
        """Record a server's reply that another one has the slot."""


def reported_address(host: str, port: int, reporter: ServerAddress) -> ServerAddress:
    """Return the address in the reply of a cluster node. A node that does not know a host name means its own host."""
    return ServerAddress(reporter.host if host in ("", "?") else host, port)


class _Sources:
    """The servers that can be asked for the topology, in the order in which they are asked.

    A server that does not respond, or reports nothing new, is asked last the next time: it may be cut off from the
    others, and have missed a failover.
    """

    def __init__(self, addresses: Sequence[ServerAddress]) -> None:
        self._order = list(addresses)

    def set(self, addresses: Iterable[ServerAddress]) -> None:
        """Replace the servers. New ones come first, in this order."""
        wanted = dict.fromkeys(addresses)
        known = [each for each in self._order if each in wanted]
        self._order = [*(each for each in wanted if each not in known), *known]

    def in_turn(self) -> Iterator[ServerAddress]:
        """Yield all servers in order. Each is moved to the end."""
        for each in list(self._order):
            self._order.remove(each)
            self._order.append(each)
            yield each

    def prefer(self, address: ServerAddress) -> None:
        """Move a server to the front, because it reported something new."""
        self._order.remove(address)
        self._order.insert(0, address)


class Standalone(Topology):
    """One server with all slots."""

    is_cluster = False

    def __init__(self, url: StoreUrl) -> None:
        self._address = url.addresses[0]

    @override
    async def discover(self) -> None:
        """Do nothing: the only server is known."""

    @override
    def addresses(self) -> list[ServerAddress]:
        return [self._address]

    @override
    def address_of(self, slot: int) -> ServerAddress:
        return self._address

    @override
    def note_moved(self, slot: int, address: ServerAddress) -> None:
        """Do nothing: slots move only in a cluster."""


class Sentinel(Topology):
    """The primary that the sentinels report."""

    is_cluster = False

    def __init__(self, url: StoreUrl) -> None:
        self._url = url
        self._sentinels = _Sources(url.addresses)
        self._address: ServerAddress | None = None

    @override
    async def discover(self) -> None:
        for sentinel in self._sentinels.in_turn():
            try:
                reply = await ask(
                    self._url.sentinel_connection(sentinel), ("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._url.service)
                )
            except (RedisError, OSError) as error:
                log_trouble(logging.WARNING, "sentinel does not respond", server=str(sentinel), error=text_of(error))
                continue
            if reply is not None:
                self._take(ServerAddress(reply[0].decode(), int(reply[1])), sentinel)
                return
        raise Disconnected(f"no sentinel knows a primary of {self._url.service!r}")

    def _take(self, address: ServerAddress, sentinel: ServerAddress) -> None:
        if address != self._address:
            self._sentinels.prefer(sentinel)
        self._address = address

    @override
    def addresses(self) -> list[ServerAddress]:
        return [] if self._address is None else [self._address]

    @override
    def address_of(self, slot: int) -> ServerAddress:
        if self._address is None:
            raise Disconnected("no primary is known yet")
        return self._address

    @override
    def note_moved(self, slot: int, address: ServerAddress) -> None:
        """Do nothing: slots move only in a cluster."""


class Cluster(Topology):
    """The nodes of a cluster, each with some of the slots."""

    is_cluster = True

    def __init__(self, url: StoreUrl) -> None:
        self._url = url
        self._slots: list[ServerAddress | None] = [None] * SLOTS
        self._nodes = _Sources(url.addresses)

    @override
    async def discover(self) -> None:
        self._nodes.set([*self.addresses(), *self._url.addresses])
        for address in self._nodes.in_turn():
            try:
                reply = await ask(self._url.connection(address), ("CLUSTER", "SLOTS"))
            except (RedisError, OSError) as error:
                log_trouble(logging.WARNING, "cluster node does not respond", server=str(address), error=text_of(error))
                continue
            if reply:
                self._take(reply, address)
                return
        raise Disconnected("no node of the cluster responds")

    @override
    def addresses(self) -> list[ServerAddress]:
        return list(dict.fromkeys(each for each in self._slots if each is not None))

    def _take(self, ranges: Sequence[Any], node: ServerAddress) -> None:
        slots: list[ServerAddress | None] = [None] * SLOTS
        for first, last, primary, *_ in ranges:
            address = reported_address((primary[0] or b"").decode(), primary[1], node)
            slots[first : last + 1] = [address] * (last + 1 - first)
        if slots != self._slots:
            self._nodes.prefer(node)
        self._slots = slots

    @override
    def address_of(self, slot: int) -> ServerAddress:
        address = self._slots[slot]
        if address is None:
            raise Disconnected(f"no node of the cluster has slot {slot}")
        return address

    @override
    def note_moved(self, slot: int, address: ServerAddress) -> None:
        self._slots[slot] = address


def topology_of(url: StoreUrl) -> Topology:
    """Return the topology for the kind of a URL."""
    if url.kind == "cluster":
        return Cluster(url)
    return Sentinel(url) if url.kind == "sentinel" else Standalone(url)
