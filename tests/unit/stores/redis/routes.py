"""Commands, time limits and helpers for the tests of routes to servers."""

from collections.abc import Awaitable, Callable
from typing import Any

from tests.unit.stores.redis.scripted import ScriptedServer

from memoryd_server.stores.redis.key import ShardKeys
from memoryd_server.stores.redis.servers.link import Command
from memoryd_server.stores.redis.servers.route import Route

ENOUGH_S = 200.0
"""Longer than any test takes."""
SHORT_S = 0.4  # time: of a loop in which timeouts take no time
"""A time limit for requests that must fail."""
SHARD = ShardKeys("m", 0)
COMMIT: Command = ("EVALSHA", "digest", 1, SHARD.shard)
CHECK: Command = ("HGET", SHARD.agent("a"), "id")
READ: tuple[Command, ...] = (("HGET", SHARD.shard, "store"), ("HGETALL", SHARD.agent("a")))

Making = Callable[..., Awaitable[Route]]


def with_certainty(reply: Any, is_uncertain: bool) -> tuple[Any, bool]:
    """Return the reply, and True if an earlier attempt may have been executed."""
    return reply, is_uncertain


def slots_of(server: ScriptedServer) -> list[object]:
    """Return the reply to CLUSTER SLOTS of a cluster whose slots are all at one node."""
    return [[0, 16_383, [b"127.0.0.1", server.port, b"id"]]]
