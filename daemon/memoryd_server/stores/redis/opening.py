"""Opening a store in Redis: it is found or created, and servers without the required durability are refused."""

import logging
import secrets
from collections.abc import Callable
from typing import Any

import msgspec
from redis.crc import key_slot
from redis.exceptions import ResponseError

from memoryd_server.domain.error import DataDamaged, SchemaTooNew
from memoryd_server.ports.durability import Durability as DurabilityLevel
from memoryd_server.ports.store_factory import UnfitStore
from memoryd_server.stores.redis.announcement import announced_count, announcements
from memoryd_server.stores.redis.key import ShardKeys, store_key
from memoryd_server.stores.redis.servers.durability import Durability
from memoryd_server.stores.redis.servers.link import Command, ask, ask_all
from memoryd_server.stores.redis.servers.topology import Topology
from memoryd_server.stores.redis.url import ServerAddress, StoreUrl

log = logging.getLogger("memoryd.redis")

FORMAT = 1
"""The version of the layout of keys and of the records in them."""
LOWEST_READER = 1
"""The lowest FORMAT of a daemon that may use a store to which this one writes. It is raised together with FORMAT by a
change that older daemons would damage or misread: then a rolling upgrade is not possible."""
VERSION_MIN = (6, 2)


class Opened(msgspec.Struct, frozen=True):
    """The store that was found or created."""

    store_id: str
    shard_count: int


async def open_store(url: StoreUrl, topology: Topology, prefix: str, shard_count: int | None) -> Opened:
    """Find the store under a prefix, or create it with ``shard_count`` shards; with None, it must exist.

    Raises UnfitStore, SchemaTooNew, DataDamaged, RedisError.
    """
    key = store_key(prefix)
    connection = url.connection(topology.address_of(key_slot(key.encode())))
    making: list[Command] = []
    if shard_count is not None:
        # Several daemons may create the store at once. For each field the first one wins, and all of them then read
        # the same values.
        wanted: dict[str, str | int] = {
            "format": FORMAT,
            "readers": LOWEST_READER,
            "store": secrets.token_hex(16),
            "shards": shard_count,
        }
        making = [("HSETNX", key, name, value) for name, value in wanted.items()]
    *_, description = await ask_all(
        connection, [*making, ("HMGET", key, "format", "readers", "store", "shards", "ready")]
    )
    format_, readers, store_id, shards, is_ready = description
    if None in description[:4]:
        raise UnfitStore(f"there is no store under the prefix {prefix!r}")
    if int(readers) > FORMAT:
        raise SchemaTooNew("the store", int(format_), FORMAT)
    opened = Opened(store_id.decode(), int(shards))
    found = await _shards(url, topology, prefix, opened, is_made=not is_ready)
    for shard, its_store_id in sorted(found.items()):
        if its_store_id != store_id:
            what = "is missing" if its_store_id is None else "belongs to another store, whose description is missing"
            raise DataDamaged(f"shard {shard} of the store {what}")
    if shard_count is not None and int(format_) < FORMAT:
        await _raise_format(url, topology, prefix, int(readers))
    # Only now: from here on, a missing shard means lost data, and is not created again.
    if not is_ready:
        await ask(connection, ("HSET", key, "ready", 1))
        log.info("store created", extra={"store_id": opened.store_id, "count": opened.shard_count})
    return opened


async def _raise_format(url: StoreUrl, topology: Topology, prefix: str, readers: int) -> None:
    """Record that this version writes to a store of an older one.

    Raises UnfitStore if that would exclude daemons of the older version while some use the store.
    """
    if readers < LOWEST_READER:
        first = ShardKeys(prefix, 0)
        count = announced_count(
            *await ask_all(url.connection(topology.address_of(first.slot)), list(announcements(first.daemons)))
        )
        if count:
            raise UnfitStore(
                f"{count} daemons of an older version use the store, and cannot together with this one: stop them first"
            )
    key = store_key(prefix)
    connection = url.connection(topology.address_of(key_slot(key.encode())))
    await ask(connection, ("HSET", key, "format", FORMAT, "readers", LOWEST_READER))
    log.info("store has a newer format", extra={"version": FORMAT, "readers": LOWEST_READER})


async def _shards(
    url: StoreUrl, topology: Topology, prefix: str, opened: Opened, *, is_made: bool
) -> dict[int, bytes | None]:
    """Return the id of the store to which each shard belongs. With ``is_made``, create missing shards before."""
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


class _Server(msgspec.Struct, frozen=True):
    """The durability of a server: ``syncs_always`` is its setting, if it is known; ``can_wait`` means WAITAOF."""

    address: ServerAddress
    syncs_always: bool
    can_wait: bool


async def check_servers(url: StoreUrl, topology: Topology, level: DurabilityLevel, replicas: int) -> Durability:
    """Return the durability to wait for. Raises UnfitStore if the servers cannot provide it."""
    servers = [await _checked(url, address, level) for address in topology.addresses()]
    if level != "synced":
        return Durability(replicas=replicas)
    if not all(each.can_wait for each in servers):
        for each in servers:
            _check_without_waiting(each, replicas)
        return Durability()
    for each in servers:
        if not each.syncs_always:
            log.warning(
                "store syncs once a second, which delays each commit: set appendfsync to always",
                extra={"server": str(each.address)},
            )
    # Wait even if all servers always sync: after a failover, the new primary may have another setting.
    return Durability(is_fsynced=True, replicas=replicas)


def _check_without_waiting(server: _Server, replicas: int) -> None:
    """Raise UnfitStore unless a server syncs each commit by itself, for servers without WAITAOF."""
    if not server.syncs_always:
        raise UnfitStore(
            f"{server.address} cannot sync on request, which needs Redis 7.2: set appendfsync to always, or start "
            "memoryd with --durability journaled"
        )
    if replicas:
        raise UnfitStore(
            f"{server.address} cannot wait for replicas to sync, which needs Redis 7.2: start memoryd without replicas "
            "in the store's URL, or with --durability journaled"
        )


async def _checked(url: StoreUrl, address: ServerAddress, level: DurabilityLevel) -> _Server:
    async def call(*command: bytes | str | int) -> Any:
        return await ask(url.connection(address), command)

    information = _information(await call("INFO", "everything"))
    _check_kind(address, information, is_cluster=url.kind == "cluster")
    settings: dict[str, str] = {}
    if level != "memory":
        settings = await _log_settings(call)
        _check_log(address, level, settings, is_on=information.get("aof_enabled") == "1")
    return _Server(
        address,
        syncs_always=settings.get("appendfsync") == "always",
        can_wait=level == "synced" and await _can_wait(call),
    )


def _check_kind(address: ServerAddress, information: dict[str, str], *, is_cluster: bool) -> None:
    version = information.get("redis_version", "0.0")
    if tuple(int(part) for part in version.split(".")[:2]) < VERSION_MIN:
        raise UnfitStore(f"{address} has version {version}: use Redis 6.2 or later, or Valkey")
    if information.get("cluster_enabled") == "1" and not is_cluster:
        raise UnfitStore(f"{address} is a node of a cluster: the store's URL must begin with redis+cluster://")
    policy = information.get("maxmemory_policy", "noeviction")
    if policy.startswith("allkeys") and information.get("maxmemory", "0") != "0":
        raise UnfitStore(f"{address} would evict agents when its memory is full: set maxmemory-policy to noeviction")


def _check_log(address: ServerAddress, level: DurabilityLevel, settings: dict[str, str], *, is_on: bool) -> None:
    if not is_on:
        raise UnfitStore(
            f"{address} has no append-only file, so that a restart loses acknowledged changes: set appendonly to yes, "
            "or start memoryd with --durability memory"
        )
    if settings.get("appendfsync") == "no":
        raise UnfitStore(
            f"{address} never syncs its append-only file: set appendfsync to always or everysec, or start memoryd with "
            "--durability memory"
        )
    if level == "synced" and settings.get("no-appendfsync-on-rewrite") == "yes":
        raise UnfitStore(
            f"{address} does not sync its append-only file while it rewrites it: set no-appendfsync-on-rewrite to no, "
            "or start memoryd with --durability journaled"
        )


async def _log_settings(call: Callable[..., Any]) -> dict[str, str]:
    """Return the settings for syncing the append-only file; empty if a managed server does not allow CONFIG."""
    try:
        reply = [each.decode() for each in await call("CONFIG", "GET", "*appendfsync*")]
    except ResponseError:
        return {}
    return dict(zip(reply[::2], reply[1::2], strict=True))


async def _can_wait(call: Callable[..., Any]) -> bool:
    try:
        await call("WAITAOF", 0, 0, 1)
    except ResponseError:
        return False
    return True


def _information(reply: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in reply.decode("utf-8", "replace").splitlines())
    return {name: value for name, colon, value in lines if colon}
