"""Brings each request to the server that has its shard, and tries again what a failover or a move turned away."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from redis.asyncio.connection import Connection
from redis.exceptions import AskError, MovedError, RedisError

from memoryd_server.stores.redis.durability import Durability
from memoryd_server.stores.redis.failure import is_passing, is_redirection, refusal_of
from memoryd_server.stores.redis.key import ShardKeys
from memoryd_server.stores.redis.link import Command, Disconnected
from memoryd_server.stores.redis.node import Lane, LaneName, Node, Request
from memoryd_server.stores.redis.topology import Topology
from memoryd_server.stores.redis.url import ServerAddress, StoreUrl

log = logging.getLogger("memoryd.redis")

RETRY_S_MIN = 0.01
RETRY_S_MAX = 0.25


class Route:
    """The way to all servers of a store.

    ``timeout_s`` is how long a request may take with all its attempts, and each exchange with a server half of it.
    """

    def __init__(
        self,
        url: StoreUrl,
        topology: Topology,
        shards: Callable[[int], ShardKeys],
        durability: Durability,
        timeout_s: float,
    ) -> None:
        self._url = url
        self._topology = topology
        self._shards = shards
        self._durability = durability
        self._timeout_s = timeout_s
        self._nodes: dict[ServerAddress, Node] = {}
        self._discovering: asyncio.Task[None] | None = None
        self._is_closed = False

    async def open(self) -> None:
        """Find the servers. Raises RedisError, OSError."""
        await self._topology.discover()

    async def close(self) -> None:
        """Hang up everywhere. What waits fails."""
        self._is_closed = True
        if self._discovering is not None:
            self._discovering.cancel()
        for node in self._nodes.values():
            await node.close()

    def connection(self, shard: int) -> Connection:
        """A connection of the caller's own to the server of a shard, not yet made."""
        return self._url.connection(self._topology.address_of(self._shards(shard).slot))

    def send(
        self,
        lane: LaneName,
        shard: int,
        *commands: Command,
        convert: Callable[[Any, bool], Any] = lambda reply, _: reply,
        size_bytes: int = 0,
    ) -> "asyncio.Future[Any]":
        """Send commands to the server of a shard.

        The future's result is what ``convert`` makes of the reply (of the list of replies for several commands) and of
        whether an earlier attempt may have been carried out; its failure is a Refusal. ``size_bytes`` is about what is
        sent, where that may be much.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._timeout_s
        request = Request(lane, shard, commands, convert, loop.create_future(), deadline, size_bytes)
        self._dispatch(request)
        return request.future

    def _dispatch(self, request: Request) -> None:
        if self._is_closed:
            self._on_error(request, Disconnected("closed"))
            return
        try:
            node = self._node(self._topology.address_of(self._shards(request.shard).slot))
        except Disconnected as error:
            self._on_error(request, error)
            return
        node.send(request)

    def _node(self, address: ServerAddress) -> Node:
        node = self._nodes.get(address)
        if node is None:
            node = self._nodes[address] = self._new_node(address)
        return node

    def _new_node(self, address: ServerAddress) -> Node:
        def lane(closing_command: Command | None = None) -> Lane:
            return Lane(
                lambda: self._url.connection(address),
                self._on_error,
                self._timeout_s / 2,
                may_be_replica=self._topology.is_cluster,
                closing_command=closing_command,
                is_enough=self._durability.is_enough,
            )

        commits = lane(self._durability.closing_command(self._timeout_s / 2))
        return Node({"commits": commits, "checks": lane(), "reads": lane()})

    def _on_error(self, request: Request, error: Exception) -> None:
        """Send it again if that may help and there is time; else tell who waits."""
        request.asking = False
        request.attempts += 1
        if request.future.done():
            return
        loop = asyncio.get_running_loop()
        if self._is_closed or not is_passing(error) or loop.time() >= request.deadline:
            request.future.set_exception(refusal_of(error, is_uncertain=request.is_uncertain))
            return
        delay_s = min(RETRY_S_MAX, RETRY_S_MIN * 2 ** min(request.attempts, 8))
        if isinstance(error, MovedError):
            self._topology.note_moved(error.slot_id, ServerAddress(error.host, error.port))
            delay_s = 0.0 if request.attempts < 4 else delay_s
        elif isinstance(error, AskError):
            request.asking = True
            self._node(ServerAddress(error.host, error.port)).send(request)
            return
        elif is_redirection(error):
            self.discover_soon()
        loop.call_later(delay_s, self._dispatch, request)

    def discover_soon(self) -> None:
        """Ask again who is there, unless that is under way."""
        if self._discovering is None and not self._is_closed:
            self._discovering = asyncio.get_running_loop().create_task(self._discover())

    async def _discover(self) -> None:
        try:
            await self._topology.discover()
            # Not at once again, however many requests find the same.
            await asyncio.sleep(RETRY_S_MAX)
        except (RedisError, OSError) as error:
            log.warning("the servers are not found: %s", error)
            await asyncio.sleep(RETRY_S_MAX)
        finally:
            self._discovering = None
