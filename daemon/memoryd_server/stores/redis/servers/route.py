"""Sends each request to the server that has its shard, and again after a failover or the move of a slot."""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from redis.asyncio.connection import Connection
from redis.exceptions import AskError, MovedError, RedisError

from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.stores.redis.key import ShardKeys
from memoryd_server.stores.redis.limit import RETRY_S_MAX, RETRY_S_MIN
from memoryd_server.stores.redis.servers.durability import Durability
from memoryd_server.stores.redis.servers.failure import is_redirection, is_transient
from memoryd_server.stores.redis.servers.link import Command, Disconnected
from memoryd_server.stores.redis.servers.node import Node
from memoryd_server.stores.redis.servers.request import LaneName, Request, Requests
from memoryd_server.stores.redis.servers.topology import Topology, reported_address
from memoryd_server.stores.redis.servers.trouble import log_trouble, text_of
from memoryd_server.stores.redis.url import ServerAddress, StoreUrl


class Route:
    """The connections to all servers of a store.

    ``timeout_s`` limits a request with all its attempts and its time in queues. A server may take half of it for each
    reply.
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
        self._requests = Requests(timeout_s)
        self._nodes: dict[ServerAddress, Node] = {}
        self._discovering: asyncio.Task[None] | None = None
        self._is_closed = False

    async def close(self) -> None:
        """Disconnect from all servers. Pending requests fail."""
        self._is_closed = True
        self._requests.close()
        if self._discovering is not None:
            self._discovering.cancel()
            await asyncio.gather(self._discovering, return_exceptions=True)
        for node in self._nodes.values():
            await node.close()

    def connection(self, shard: int) -> Connection:
        """Return a separate connection to the server of a shard, which is not connected yet."""
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

        The future's result is that of ``convert``. Its arguments are the reply (for several commands, the list of
        replies), and True if an earlier attempt may have been carried out. The future's exception is a Refusal.
        ``size_bytes`` is the approximate size of the commands, if they may be large.
        """
        if self._is_closed:
            refused = asyncio.get_running_loop().create_future()
            refused.set_exception(StoreUnavailable())
            return refused
        request = Request(lane, shard, commands, convert, size_bytes, self._requests)
        self._dispatch(request)
        return request.future

    def _dispatch(self, request: Request) -> None:
        if request.future.done():
            return
        try:
            address = self._topology.address_of(self._shards(request.shard).slot)
        except Disconnected as error:
            request.note_failure(error)
            self.discover_soon()
            self._dispatch_later(request)
        else:
            self._node(address).send(request)

    def _dispatch_later(self, request: Request, *, is_urgent: bool = False) -> None:
        delay_s = 0.0 if is_urgent else min(RETRY_S_MAX, RETRY_S_MIN * 2 ** min(request.attempts, 8))
        asyncio.get_running_loop().call_later(delay_s, self._dispatch, request)

    def _node(self, address: ServerAddress) -> Node:
        node = self._nodes.get(address)
        if node is None:
            on_error = partial(self._on_error, address)
            node = Node(self._url, address, on_error, self._durability, self._requests.timeout_s / 2)
            self._nodes[address] = node
        return node

    def _on_error(self, address: ServerAddress, request: Request, error: Exception) -> None:
        """Send a failed request again if that may help; otherwise fail it."""
        request.note_failure(error)
        if request.future.done():
            return
        if not is_transient(error):
            request.give_up()
        elif isinstance(error, MovedError):
            self._topology.note_moved(error.slot_id, reported_address(error.host, error.port, address))
            self._dispatch_later(request, is_urgent=request.attempts < 4)
        elif isinstance(error, AskError):
            request.asking = True
            self._node(reported_address(error.host, error.port, address)).send(request)
        else:
            if is_redirection(error):
                self.discover_soon()
            self._dispatch_later(request)

    def discover_soon(self) -> None:
        """Discover the servers again, unless that is already in progress."""
        if self._discovering is None and not self._is_closed:
            self._discovering = asyncio.get_running_loop().create_task(self._discover())

    async def _discover(self) -> None:
        try:
            await self._find_servers()
            # Do not discover again for this time, however many requests fail.
            await asyncio.sleep(RETRY_S_MAX)
        finally:
            self._discovering = None

    async def _find_servers(self) -> None:
        try:
            await self._topology.discover()
        except (RedisError, OSError) as error:
            log_trouble(logging.WARNING, "store's servers not found", error=text_of(error))
        else:
            await self._forget_departed()

    async def _forget_departed(self) -> None:
        """Disconnect from idle servers without any slot. One with pending requests is disconnected another time."""
        there = set(self._topology.addresses())
        for address in list(self._nodes):
            if address not in there and self._nodes[address].is_idle:
                await self._nodes.pop(address).close()
