import asyncio
import logging
from collections.abc import AsyncIterator

import pytest
from tests.unit.stores.redis.scripted import HANG_UP, Error, ScriptedServer
from tests.wait import WAIT_S_MAX

from memoryd_server.stores.redis.servers.link import Disconnected
from memoryd_server.stores.redis.servers.topology import Cluster, Sentinel, Standalone, topology_of
from memoryd_server.stores.redis.url import ServerAddress, StoreUrl, parse_store_url


@pytest.fixture
async def servers() -> AsyncIterator[list[ScriptedServer]]:
    servers = [ScriptedServer() for _ in range(3)]
    for server in servers:
        await server.start()
    yield servers
    for server in servers:
        await server.stop()


def url(kind: str, servers: list[ScriptedServer], path: str = "") -> StoreUrl:
    return parse_store_url(f"redis{kind}://{','.join(str(server.address) for server in servers)}{path}")


def test_each_kind_has_its_topology() -> None:
    kinds = {"redis://a": Standalone, "redis+sentinel://a/m": Sentinel, "redis+cluster://a": Cluster}
    assert {text: type(topology_of(parse_store_url(text))) for text in kinds} == kinds


async def test_one_server_has_all_slots() -> None:
    topology = topology_of(parse_store_url("redis://a:1"))
    await topology.discover()
    address = ServerAddress("a", 1)
    assert (topology.address_of(0), topology.address_of(16_383), topology.addresses()) == (address, address, [address])
    topology.note_moved(0, ServerAddress("b", 2))
    assert topology.address_of(0) == address


async def test_the_first_sentinel_that_knows_the_primary_names_it(servers: list[ScriptedServer]) -> None:
    away, uninformed, informed = servers
    await away.stop()
    uninformed.answer("SENTINEL", None)
    informed.answer("SENTINEL", [b"10.0.0.1", b"7000"], [b"10.0.0.2", b"7001"])
    topology = topology_of(url("+sentinel", servers, "/memory"))
    with pytest.raises(Disconnected, match="no primary"):
        topology.address_of(0)
    assert topology.addresses() == []
    await topology.discover()
    assert topology.address_of(5) == ServerAddress("10.0.0.1", 7000)
    assert informed.received == [(b"SENTINEL", b"GET-MASTER-ADDR-BY-NAME", b"memory")]
    topology.note_moved(5, ServerAddress("b", 2))
    await topology.discover()
    assert topology.addresses() == [ServerAddress("10.0.0.2", 7001)]
    assert uninformed.count("SENTINEL") == 1
    await away.start()


async def test_sentinels_without_a_primary_are_logged(
    servers: list[ScriptedServer], caplog: pytest.LogCaptureFixture
) -> None:
    servers[0].answer("SENTINEL", Error("NOAUTH Authentication required."))
    servers[1].answer("SENTINEL", HANG_UP, None)
    servers[2].answer("SENTINEL", None)
    topology = topology_of(url("+sentinel", servers, "/memory"))
    with pytest.raises(Disconnected, match="'memory'"):
        await topology.discover()
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2


def slots(*ranges: tuple[int, int, bytes | None, int]) -> list[object]:
    return [[first, last, [host, port, b"id"], [b"replica", 1, b"id"]] for first, last, host, port in ranges]


async def test_the_slots_of_a_cluster_are_those_that_a_node_reports(servers: list[ScriptedServer]) -> None:
    first, second, third = servers
    await first.stop()
    second.answer("CLUSTER", [])
    third.answer("CLUSTER", slots((0, 99, b"10.0.0.1", 1), (100, 16_000, b"10.0.0.2", 2)))
    topology = topology_of(url("+cluster", servers))
    assert topology.addresses() == []
    await topology.discover()
    assert topology.addresses() == [ServerAddress("10.0.0.1", 1), ServerAddress("10.0.0.2", 2)]
    assert [topology.address_of(slot).port for slot in (0, 99, 100, 16_000)] == [1, 1, 2, 2]
    with pytest.raises(Disconnected, match="16001"):
        topology.address_of(16_001)
    topology.note_moved(99, ServerAddress("10.0.0.2", 2))
    assert [topology.address_of(slot).port for slot in (98, 99, 100)] == [1, 2, 2]
    await first.start()


@pytest.mark.parametrize("host", [b"", b"?", None])
async def test_a_node_without_a_host_has_the_host_that_was_asked(
    servers: list[ScriptedServer], host: bytes | None
) -> None:
    servers[0].answer("CLUSTER", slots((0, 16_383, host, 4_321)))
    topology = topology_of(url("+cluster", servers[:1]))
    await topology.discover()
    assert topology.addresses() == [ServerAddress("127.0.0.1", 4_321)]


async def test_known_nodes_are_asked_before_those_of_the_url(servers: list[ScriptedServer]) -> None:
    first, second, _ = servers
    first.answer("CLUSTER", slots((0, 16_383, b"127.0.0.1", second.port)))
    second.answer("CLUSTER", slots((0, 16_383, b"127.0.0.1", second.port)))
    topology = topology_of(url("+cluster", servers[:1]))
    await topology.discover()
    await topology.discover()
    assert (first.count("CLUSTER"), second.count("CLUSTER")) == (1, 1)


async def test_an_isolated_node_is_not_trusted_forever(servers: list[ScriptedServer]) -> None:
    """It still replies, and does not know that another node has been promoted."""
    isolated, dead, informed = servers
    await dead.stop()
    isolated.answer("CLUSTER", slots((0, 99, b"127.0.0.1", isolated.port), (100, 199, b"127.0.0.1", dead.port)))
    informed.answer("CLUSTER", slots((0, 99, b"127.0.0.1", isolated.port), (100, 199, b"127.0.0.1", informed.port)))
    topology = topology_of(url("+cluster", servers))
    for _ in range(3):
        await topology.discover()
    assert [topology.address_of(slot) for slot in (99, 100)] == [isolated.address, informed.address]
    await dead.start()


async def test_an_isolated_sentinel_is_not_trusted_forever(
    servers: list[ScriptedServer],
) -> None:
    isolated, informed, _ = servers
    isolated.answer("SENTINEL", [b"10.0.0.1", b"7000"])
    informed.answer("SENTINEL", [b"10.0.0.2", b"7001"])
    topology = topology_of(url("+sentinel", [isolated, informed], "/memory"))
    for _ in range(3):
        await topology.discover()
    assert topology.addresses() == [ServerAddress("10.0.0.2", 7001)]
    assert (isolated.count("SENTINEL"), informed.count("SENTINEL")) == (2, 1)


async def test_the_sentinel_that_reported_a_change_is_asked_first_next(servers: list[ScriptedServer]) -> None:
    first, second, _ = servers
    first.answer("SENTINEL", [b"10.0.0.1", b"7000"])
    second.answer("SENTINEL", [b"10.0.0.2", b"7001"], [b"10.0.0.3", b"7002"])
    topology = topology_of(url("+sentinel", [first, second], "/memory"))
    for _ in range(4):
        await topology.discover()
    assert topology.addresses() == [ServerAddress("10.0.0.3", 7002)]
    assert (first.count("SENTINEL"), second.count("SENTINEL")) == (2, 2)


async def test_a_silent_node_is_asked_last_next(
    servers: list[ScriptedServer], caplog: pytest.LogCaptureFixture
) -> None:
    silent, informed, _ = servers
    silent.answer("CLUSTER", HANG_UP, HANG_UP)
    informed.answer("CLUSTER", slots((0, 16_383, b"127.0.0.1", informed.port)))
    topology = topology_of(url("+cluster", [silent, informed]))
    for _ in range(2):
        await topology.discover()
    assert (silent.count("CLUSTER"), informed.count("CLUSTER")) == (1, 2)
    (record,) = caplog.records
    assert record.message == "cluster node does not respond"
    assert vars(record)["server"] == str(silent.address)
    assert vars(record)["error"].startswith("Connection closed")


async def test_a_server_without_cluster_support_is_logged(
    servers: list[ScriptedServer], caplog: pytest.LogCaptureFixture
) -> None:
    servers[0].answer("CLUSTER", Error("ERR This instance has cluster support disabled"))
    topology = topology_of(url("+cluster", servers[:1]))
    with pytest.raises(Disconnected, match="no node"):
        await topology.discover()
    assert "cluster support disabled" in vars(caplog.records[0])["error"]


async def test_the_known_topology_is_kept_while_no_node_replies(servers: list[ScriptedServer]) -> None:
    servers[0].answer("CLUSTER", slots((0, 16_383, b"127.0.0.1", servers[0].port)), HANG_UP, HANG_UP)
    topology = topology_of(url("+cluster", servers[:1]))
    await topology.discover()
    with pytest.raises(Disconnected):
        await asyncio.wait_for(topology.discover(), WAIT_S_MAX)
    assert topology.address_of(0) == servers[0].address
