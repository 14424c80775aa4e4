"""Finds the store in Redis, or makes it, and refuses a server that cannot keep what is promised."""

import logging
import secrets
from collections.abc import Callable
from typing import Any, Literal

import msgspec
from redis.crc import key_slot
from redis.exceptions import ResponseError

from memoryd_server.domain.error import DataDamaged, SchemaTooNew
from memoryd_server.stores.redis.durability import Durability
from memoryd_server.stores.redis.key import ShardKeys, store_key
from memoryd_server.stores.redis.link import Command, ask, ask_all
from memoryd_server.stores.redis.topology import Topology
from memoryd_server.stores.redis.unfit import UnfitServer
from memoryd_server.stores.redis.url import ServerAddress, StoreUrl

log = logging.getLogger("memoryd.redis")

FORMAT = 1
LEAST_VERSION = (6, 2)

DurabilityLevel = Literal["synced", "journaled", "memory"]


class Opened(msgspec.Struct, frozen=True):
    """The store that was found or made."""

    store_id: str
    shard_count: int


async def open_store(url: StoreUrl, topology: Topology, prefix: str, shard_count: int | None) -> Opened:
    """Find the store under a prefix, or make it with so many shards; without a number it must be there.

    Raises UnfitServer, SchemaTooNew, DataDamaged, RedisError.
    """
    key = store_key(prefix)
    connection = url.connection(topology.address_of(key_slot(key.encode())))
    making: list[Command] = []
    if shard_count is not None:
        # Whoever comes first decides; each field is decided by itself, and all daemons read the same.
        wanted: dict[str, str | int] = {"format": FORMAT, "store": secrets.token_hex(16), "shards": shard_count}
        making = [("HSETNX", key, name, value) for name, value in wanted.items()]
    *_, description = await ask_all(connection, [*making, ("HMGET", key, "format", "store", "shards", "ready")])
    format_, store_id, shards, is_ready = description
    if None in description[:3]:
        raise UnfitServer(f"there is no store under the prefix {prefix!r}")
    if int(format_) > FORMAT:
        raise SchemaTooNew("the store", int(format_), FORMAT)
    opened = Opened(store_id.decode(), int(shards))
    found = await _shards(url, topology, prefix, opened, is_made=not is_ready)
    for shard, its_store_id in sorted(found.items()):
        if its_store_id != store_id:
            what = "is gone" if its_store_id is None else "is of another store, whose description is gone"
            raise DataDamaged(f"shard {shard} of the store {what}")
    if not is_ready:
        await ask(connection, ("HSET", key, "ready", 1))
        log.info("store created", extra={"store_id": opened.store_id, "count": opened.shard_count})
    return opened


async def _shards(
    url: StoreUrl, topology: Topology, prefix: str, opened: Opened, *, is_made: bool
) -> dict[int, bytes | None]:
    """The store that each shard belongs to, once those that are missing are made."""
    shards_at: dict[ServerAddress, list[int]] = {}
    keys = [ShardKeys(prefix, shard) for shard in range(opened.shard_count)]
    for shard, each in enumerate(keys):
        shards_at.setdefault(topology.address_of(each.slot), []).append(shard)
    found: dict[int, bytes | None] = {}
    for address, shards in shards_at.items():
        commands: list[Command] = [("HGET", keys[shard].shard, "store") for shard in shards]
        if is_made:
            await ask_all(
                url.connection(address), [("HSETNX", keys[shard].shard, "store", opened.store_id) for shard in shards]
            )
        found.update(zip(shards, await ask_all(url.connection(address), commands), strict=True))
    return found


async def check_servers(url: StoreUrl, topology: Topology, level: DurabilityLevel, replicas: int) -> Durability:
    """Make sure that the servers can keep what is promised; answers what is to be waited for. Raises UnfitServer."""
    durabilities = [await _check_server(url, address, level, replicas) for address in topology.addresses()]
    return Durability(any(each.is_fsynced for each in durabilities), replicas)


async def _check_server(url: StoreUrl, address: ServerAddress, level: DurabilityLevel, replicas: int) -> Durability:
    async def call(*command: bytes | str | int) -> Any:
        return await ask(url.connection(address), command)

    info = _information(await call("INFO", "everything"))
    version = info.get("redis_version", "0.0")
    if tuple(int(part) for part in version.split(".")[:2]) < LEAST_VERSION:
        raise UnfitServer(f"{address} is version {version}; 6.2 is the least")
    if info.get("cluster_enabled") == "1" and url.kind != "cluster":
        raise UnfitServer(f"{address} is a node of a cluster: the store's URL must begin with redis+cluster://")
    policy = info.get("maxmemory_policy", "noeviction")
    if policy.startswith("allkeys") and info.get("maxmemory", "0") != "0":
        raise UnfitServer(f"{address} would forget agents when its memory is full: set maxmemory-policy to noeviction")
    if level == "memory":
        return Durability()
    if info.get("aof_enabled") != "1":
        raise UnfitServer(
            f"{address} has no append-only file, so that a restart loses what was acknowledged: set appendonly to yes, "
            "or begin memoryd with --durability memory"
        )
    if level == "journaled":
        return Durability()
    return await _synced(call, address, replicas)


async def _synced(call: Callable[..., Any], address: ServerAddress, replicas: int) -> Durability:
    try:
        configured = await call("CONFIG", "GET", "appendfsync")
    except ResponseError:
        configured = []  # a managed server does not tell
    if configured[1:] == [b"always"]:
        return Durability()
    try:
        await call("WAITAOF", 0, 0, 1)
    except ResponseError as error:
        raise UnfitServer(
            f"{address} cannot be asked to sync (that needs Redis 7.2): set appendfsync to always, or begin memoryd "
            "with --durability journaled"
        ) from error
    log.warning("%s syncs once a second, and each change waits for it: set appendfsync to always", address)
    return Durability(is_fsynced=True)


def _information(reply: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in reply.decode("utf-8", "replace").splitlines())
    return {name: value for name, colon, value in lines if colon}
