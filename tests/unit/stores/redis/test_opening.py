from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.stores.redis.scripted import Error, ScriptedServer
from tests.unit.stores.redis.writing import Writer, fresh_store, impatient, prefix_of
from tests.valkey.cluster import ValkeyCluster
from tests.valkey.relay import TlsRelay
from tests.valkey.server import ValkeyServer

from memoryd_server.domain.error import DataDamaged, SchemaTooNew, StoreUnavailable
from memoryd_server.ports.store_factory import UnfitStore
from memoryd_server.stores.redis.key import ShardKeys, store_key
from memoryd_server.stores.redis.opening import FORMAT, check_servers
from memoryd_server.stores.redis.servers.durability import Durability
from memoryd_server.stores.redis.servers.topology import topology_of
from memoryd_server.stores.redis.store import RedisStore
from memoryd_server.stores.redis.url import parse_store_url


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ValkeyServer]:
    """Yield a server of the test's own, whose settings it can change."""
    with ValkeyServer(tmp_path / "server") as running:
        yield running


async def opened(store: RedisStore) -> RedisStore:
    await store.open()
    return store


async def reopened(store: RedisStore, url: str) -> RedisStore:
    """Return another open store of the same data."""
    return await opened(fresh_store(url, prefix_of(store), shard_count=9))


async def test_a_later_daemon_opens_the_same_store_with_its_shards(store: RedisStore, valkey: ValkeyServer) -> None:
    again = await reopened(store, valkey.url)
    assert (again.store_id, again.shard_count) == (store.store_id, 2)
    await again.close()


async def test_stores_with_other_prefixes_are_separate(store: RedisStore, valkey: ValkeyServer) -> None:
    await Writer(store).write("k")
    other = await opened(fresh_store(valkey.url))
    assert other.store_id != store.store_id
    assert await other.load("a") is None
    await other.close()


async def test_an_interrupted_creation_of_a_store_is_completed_by_the_next_daemon(
    store: RedisStore, valkey: ValkeyServer
) -> None:
    valkey.command("HDEL", store_key(prefix_of(store)), "ready")
    valkey.command("DEL", ShardKeys(prefix_of(store), 1).shard)
    again = await reopened(store, valkey.url)
    assert again.store_id == store.store_id
    assert await again.journal_end(1) == 0
    await again.close()


async def test_a_newer_format_is_refused_with_both_versions(store: RedisStore, valkey: ValkeyServer) -> None:
    valkey.command("HSET", store_key(prefix_of(store)), "format", FORMAT + 1, "readers", FORMAT + 1)
    with pytest.raises(SchemaTooNew) as refused:
        await reopened(store, valkey.url)
    assert refused.value.metadata == {"found_version": str(FORMAT + 1), "supported_version": str(FORMAT)}


async def test_a_missing_shard_is_damage(store: RedisStore, valkey: ValkeyServer) -> None:
    valkey.command("DEL", ShardKeys(prefix_of(store), 1).shard)
    with pytest.raises(DataDamaged, match="shard 1 of the store is missing"):
        await reopened(store, valkey.url)


async def test_shards_of_a_missing_store_are_not_reused(store: RedisStore, valkey: ValkeyServer) -> None:
    valkey.command("DEL", store_key(prefix_of(store)))
    with pytest.raises(DataDamaged, match="shard 0 of the store belongs to another store"):
        await reopened(store, valkey.url)


async def test_a_server_without_a_log_is_accepted_only_at_level_memory(server: ValkeyServer) -> None:
    server.command("CONFIG", "SET", "appendonly", "no")
    for level in ("journaled", "synced"):
        with pytest.raises(UnfitStore, match="set appendonly to yes"):
            await fresh_store(server.url, level=level).open()
    store = await opened(fresh_store(server.url, level="memory"))
    assert await Writer(store).write("k")
    await store.close()


@pytest.mark.parametrize("policy", ["allkeys-lru", "allkeys-random"])
async def test_a_server_that_would_evict_agents_is_refused(server: ValkeyServer, policy: str) -> None:
    server.command("CONFIG", "SET", "maxmemory-policy", policy)
    await (await opened(fresh_store(server.url))).close()
    server.command("CONFIG", "SET", "maxmemory", "100mb")
    with pytest.raises(UnfitStore, match="set maxmemory-policy to noeviction"):
        await fresh_store(server.url).open()
    server.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
    await (await opened(fresh_store(server.url))).close()


async def test_a_server_that_never_syncs_its_log_is_accepted_only_at_level_memory(server: ValkeyServer) -> None:
    server.command("CONFIG", "SET", "appendfsync", "no")
    for level in ("journaled", "synced"):
        with pytest.raises(UnfitStore, match="set appendfsync to always or everysec"):
            await fresh_store(server.url, level=level).open()
    await (await opened(fresh_store(server.url, level="memory"))).close()


async def test_a_server_that_does_not_sync_while_it_rewrites_its_log_is_refused_for_synced(
    server: ValkeyServer,
) -> None:
    server.command("CONFIG", "SET", "no-appendfsync-on-rewrite", "yes")
    with pytest.raises(UnfitStore, match="set no-appendfsync-on-rewrite to no"):
        await fresh_store(server.url, level="synced").open()
    await (await opened(fresh_store(server.url, level="journaled"))).close()


@pytest.mark.parametrize("appendfsync", ["always", "everysec"])
async def test_synced_waits_for_each_commit(
    server: ValkeyServer, caplog: pytest.LogCaptureFixture, appendfsync: str
) -> None:
    server.command("CONFIG", "SET", "appendfsync", appendfsync)
    store = await opened(fresh_store(server.url, level="synced"))
    assert ("store syncs once a second" in caplog.text) is (appendfsync == "everysec")
    server.command("CONFIG", "RESETSTAT")
    assert await Writer(store).write("k")
    await store.close()
    assert server.information("commandstats")["cmdstat_waitaof"].startswith("calls=1,")


async def test_a_commit_fails_when_the_server_no_longer_syncs(server: ValkeyServer) -> None:
    """As after a failover to a server with other settings."""
    server.command("CONFIG", "SET", "appendfsync", "always")
    store = await opened(fresh_store(server.url, level="synced"))
    writer = Writer(store)
    await writer.write("k")
    server.command("CONFIG", "SET", "appendonly", "no")
    with impatient(store), pytest.raises(StoreUnavailable):
        await store.commit(writer.next("l"))
    await store.close()


@pytest.mark.whole
async def test_synced_waits_for_the_disks_of_replicas(server: ValkeyServer, tmp_path: Path) -> None:
    server.command("CONFIG", "SET", "appendfsync", "always")
    with ValkeyServer(tmp_path / "replica", options={"appendonly": "no"}) as replica:
        replica.replicate(server)
        store = await opened(fresh_store(server.url, level="synced", replicas=1))
        with impatient(store), pytest.raises(StoreUnavailable):
            await store.commit(Writer(store).next("k"))
        await store.close()
        replica.command("CONFIG", "SET", "appendonly", "yes")
        store = await opened(fresh_store(server.url, level="synced", replicas=1))
        assert await Writer(store).write("k")
        await store.close()


@pytest.mark.whole
async def test_a_node_of_a_cluster_needs_the_clusters_url(valkey_cluster: ValkeyCluster) -> None:
    with pytest.raises(UnfitStore, match=r"must begin with redis\+cluster://"):
        await fresh_store(valkey_cluster.url).open()


async def test_a_server_that_does_not_answer_is_unavailable(server: ValkeyServer) -> None:
    server.kill()
    with pytest.raises(StoreUnavailable):
        await fresh_store(server.url).open()


async def test_a_wrong_password_is_logged(server: ValkeyServer, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(StoreUnavailable):
        await fresh_store(server.url.replace("redis://", "redis://nobody:secret@")).open()
    assert "store refused memoryd's user" in caplog.text
    assert "secret" not in caplog.text


def info_reply(**fields: str) -> bytes:
    """Return the INFO of a suitable server, with these fields changed or added."""
    values = {"redis_version": "7.4.0", "maxmemory_policy": "noeviction", "aof_enabled": "1", **fields}
    return "".join(f"{name}:{value}\r\n" for name, value in values.items()).encode() + b"# Section\r\n\r\n"


@pytest.mark.parametrize("version", ["6.0.20", "5.0.14", "0.0"])
async def test_a_server_that_is_too_old_is_refused(version: str) -> None:
    async with ScriptedServer() as server:
        server.answer("INFO", info_reply(redis_version=version))
        with pytest.raises(UnfitStore, match=f"has version {version}: use Redis 6.2"):
            await fresh_store(f"redis://{server.address}").open()


async def test_a_server_that_can_sync_neither_always_nor_on_request_is_refused_for_synced() -> None:
    async with ScriptedServer() as server:
        server.answer("INFO", info_reply(redis_version="6.2.1"))
        server.answer("CONFIG", Error("ERR unknown command 'CONFIG'"))
        server.answer("WAITAOF", Error("ERR unknown command 'WAITAOF'"))
        with pytest.raises(UnfitStore, match=r"cannot sync on request, which needs Redis 7\.2"):
            await fresh_store(f"redis://{server.address}", level="synced").open()


async def test_a_server_that_always_syncs_without_waitaof_is_accepted_without_replicas() -> None:
    async with ScriptedServer() as server:
        server.answer("INFO", info_reply(redis_version="7.0.15"))
        server.answer("CONFIG", [b"appendfsync", b"always", b"no-appendfsync-on-rewrite", b"no"])
        server.answer("WAITAOF", Error("ERR unknown command 'WAITAOF'"))
        url = parse_store_url(f"redis://{server.address}")
        assert await check_servers(url, topology_of(url), "synced", 0) == Durability()
        with pytest.raises(UnfitStore, match="start memoryd without replicas in the store's URL"):
            await check_servers(url, topology_of(url), "synced", 1)
        assert await check_servers(url, topology_of(url), "journaled", 1) == Durability(replicas=1)


async def test_a_store_that_must_exist_is_not_created(valkey: ValkeyServer, store: RedisStore) -> None:
    missing = fresh_store(valkey.url, may_create=False)
    with pytest.raises(UnfitStore, match="there is no store under the prefix"):
        await missing.open()
    assert valkey.command("EXISTS", store_key(prefix_of(missing))) == 0
    found = fresh_store(valkey.url, prefix_of(store), may_create=False)
    await found.open()
    assert found.store_id == store.store_id
    await found.close()


async def test_a_certificate_is_trusted_only_if_its_authority_is(server: ValkeyServer, tmp_path: Path) -> None:
    with TlsRelay(server, tmp_path / "tls") as relay:
        with pytest.raises(StoreUnavailable):
            await fresh_store(relay.url).open()
        store = await opened(fresh_store(f"{relay.url}?ssl_ca_certs={relay.authority}"))
        assert await Writer(store).write("k")
        await store.close()
