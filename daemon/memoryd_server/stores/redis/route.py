"""Brings each request to the server that has its shard, and tries again what a failover or a move turned away."""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from redis.asyncio.connection import Connection
from redis.exceptions import AskError, MovedError, RedisError

from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.stores.redis.durability import Durability
from memoryd_server.stores.redis.failure import is_passing, is_redirection
from memoryd_server.stores.redis.key import ShardKeys
from memoryd_server.stores.redis.limit import RETRY_S_MAX, RETRY_S_MIN
from memoryd_server.stores.redis.link import Command, Disconnected
from memoryd_server.stores.redis.node import Node
from memoryd_server.stores.redis.request import LaneName, Request, Requests
from memoryd_server.stores.redis.topology import Topology, address_told
from memoryd_server.stores.redis.trouble import log_trouble, words_of
from memoryd_server.stores.redis.url import ServerAddress, StoreUrl


class Route:
    """The way to all servers of a store.

    ``timeout_s`` is how long a request may take with all its attempts, however many wait. A server may take half of it
    for each reply.
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
        """Hang up everywhere. What waits fails."""
        self._is_closed = True
        self._requests.close()
        if self._discovering is not None:
            self._discovering.cancel()
            await asyncio.gather(self._discovering, return_exceptions=True)
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
            request.came_back(error)
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
        """A server did not carry it out: send it again if that may help; else tell who waits."""
        request.came_back(error)
        if request.future.done():
            return
        if not is_passing(error):
            request.give_up()
        elif isinstance(error, MovedError):
            self._topology.note_moved(error.slot_id, address_told(error.host, error.port, address))
            self._dispatch_later(request, is_urgent=request.attempts < 4)
        elif isinstance(error, AskError):
            request.asking = True
            self._node(address_told(error.host, error.port, address)).send(request)
        else:
            if is_redirection(error):
                self.discover_soon()
            self._dispatch_later(request)

    def discover_soon(self) -> None:
        """Ask again who is there, unless that is under way."""
        if self._discovering is None and not self._is_closed:
            self._discovering = asyncio.get_running_loop().create_task(self._discover())

    async def _discover(self) -> None:
        try:
            await self._find_servers()
            # Not at once again, however many requests find the same.
            await asyncio.sleep(RETRY_S_MAX)
        finally:
            self._discovering = None

    async def _find_servers(self) -> None:
        try:
            await self._topology.discover()
        except (RedisError, OSError) as error:
            log_trouble(logging.WARNING, "the servers are not found: %s", words_of(error))
        else:
            await self._forget_departed()

    async def _forget_departed(self) -> None:
        """Hang up on servers that have nothing any more. One that is asked something may be met again later."""
        there = set(self._topology.addresses())
        for address in list(self._nodes):
            if address not in there and self._nodes[address].is_idle:
                await self._nodes.pop(address).close()
