"""What the tests of the way to the servers ask for."""

from collections.abc import Awaitable, Callable
from typing import Any

from tests.unit.stores.redis.scripted import ScriptedServer

from memoryd_server.stores.redis.key import ShardKeys
from memoryd_server.stores.redis.link import Command
from memoryd_server.stores.redis.route import Route

ENOUGH_S = 200.0
"""Longer than any test takes."""
SHORT_S = 0.4  # time: of a loop in which nothing takes any
"""For requests that are to fail in the end."""
SHARD = ShardKeys("m", 0)
COMMIT: Command = ("EVALSHA", "digest", 1, SHARD.shard)
CHECK: Command = ("HGET", SHARD.agent("a"), "id")
READ: tuple[Command, ...] = (("HGET", SHARD.shard, "store"), ("HGETALL", SHARD.agent("a")))

Making = Callable[..., Awaitable[Route]]


def certainly(reply: Any, is_uncertain: bool) -> tuple[Any, bool]:
    """The reply, and whether the request may have been carried out before."""
    return reply, is_uncertain


def slots_of(server: ScriptedServer) -> list[object]:
    """What a cluster says of which all slots are at one node."""
    return [[0, 16_383, [b"127.0.0.1", server.port, b"id"]]]
