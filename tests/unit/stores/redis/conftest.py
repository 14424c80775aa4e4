"""A store on the server that all tests share, and routes to scripted servers."""

from collections.abc import AsyncIterator

import pytest
from tests.hurried_loop import loop_factories
from tests.unit.stores.redis.routes import ENOUGH_S, SHARD, Making
from tests.unit.stores.redis.scripted import ScriptedServer
from tests.unit.stores.redis.writing import fresh_store
from tests.valkey.server import ValkeyServer
from tests.wait import WAIT_S_MAX

from memoryd_server.stores.redis.servers import link, trouble
from memoryd_server.stores.redis.servers.durability import Durability
from memoryd_server.stores.redis.servers.route import Route
from memoryd_server.stores.redis.servers.topology import topology_of
from memoryd_server.stores.redis.store import RedisStore
from memoryd_server.stores.redis.url import parse_store_url

pytest_asyncio_loop_factories = loop_factories


@pytest.fixture(autouse=True)
def nothing_logged_yet() -> None:
    trouble._log_times.clear()


@pytest.fixture
async def store(valkey: ValkeyServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RedisStore]:
    """Yield an open store with a prefix of its own."""
    monkeypatch.setattr(link, "ASK_S", WAIT_S_MAX)
    made = fresh_store(valkey.url)
    await made.open()
    yield made
    await made.close()


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


@pytest.fixture
async def other() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


@pytest.fixture
async def make() -> AsyncIterator[Making]:
    """Yield a function that creates routes, which are closed at the end of the test."""
    routes: list[Route] = []

    async def made(
        server: ScriptedServer,
        kind: str = "",
        path: str = "",
        *,
        durability: Durability | None = None,
        timeout_s: float = ENOUGH_S,
    ) -> Route:
        url = parse_store_url(f"redis{kind}://{server.address}{path}")
        topology = topology_of(url)
        await topology.discover()
        routes.append(Route(url, topology, lambda _: SHARD, durability or Durability(), timeout_s))
        return routes[-1]

    yield made
    for route in routes:
        await route.close()
