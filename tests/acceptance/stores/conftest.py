"""The stores that the suite runs on. Another store adds one ``StoreKind``."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from tests.acceptance.stores.change import PointedStore

from memoryd_server.ports.store import Store
from memoryd_server.stores.in_memory import InMemoryStore
from memoryd_server.stores.redis.store import RedisSettings, RedisStore
from memoryd_server.stores.redis.url import parse_store_url
from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.store import SqliteStore


@dataclass(frozen=True)
class StoreKind:
    """``make`` builds a store of the data in a directory; ``durable`` is whether the data outlives the store.

    ``shared`` is whether several daemons may open the data at a time. Such a store does not commit without a row, needs
    to know an agent's last commit before the next one, and scans each agent at a moment of its own. ``server`` is the
    fixture of the server that it needs, whose URL ``make`` is given.
    """

    name: str
    durable: bool
    shared: bool
    make: Callable[[Path, str], Store]
    server: str = ""


def _synced(directory: Path, _: str) -> Store:
    return SqliteStore(directory, Durability.SYNCED)


def _journaled(directory: Path, _: str) -> Store:
    return SqliteStore(directory, Durability.JOURNALED)


def _redis(directory: Path, url: str) -> Store:
    # The directory is the test's own, and so is what has its name.
    return RedisStore(parse_store_url(url), RedisSettings(prefix=directory.name, shard_count=3, timeout_s=20.0))


def _redis_cluster(directory: Path, url: str) -> Store:
    return _redis(directory, url.removesuffix("/0").replace("redis://", "redis+cluster://"))


KINDS = (
    StoreKind("in_memory", durable=False, shared=False, make=lambda *_: InMemoryStore()),
    StoreKind("in_memory-shared", durable=False, shared=True, make=lambda *_: InMemoryStore(4, is_shared=True)),
    StoreKind("sqlite-synced", durable=True, shared=False, make=_synced),
    StoreKind("sqlite-journaled", durable=True, shared=False, make=_journaled),
    StoreKind("redis", durable=True, shared=True, make=_redis, server="valkey"),
)
CLUSTER = StoreKind("redis-cluster", durable=True, shared=True, make=_redis_cluster, server="valkey_cluster")
"""For what daemons share alone; the rest is the same as with one server, and slower."""


def kinds(*, durable: bool | None = None, shared: bool | None = None) -> list[StoreKind]:
    """The kinds that are so."""
    return [kind for kind in KINDS if durable in (None, kind.durable) and shared in (None, kind.shared)]


def made(request: pytest.FixtureRequest, directory: Path) -> Store:
    """A store of the fixture's kind."""
    kind: StoreKind = request.param
    return kind.make(directory, request.getfixturevalue(kind.server).url if kind.server else "")


def usable(request: pytest.FixtureRequest, directory: Path) -> Store:
    """A store that takes commits which name revisions alone."""
    store = made(request, directory)
    return cast("Store", PointedStore(store)) if request.param.shared else store


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    opened = usable(request, tmp_path)
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture(params=kinds(shared=False), ids=lambda kind: kind.name)
async def own_store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """A store that one daemon has for itself."""
    opened = made(request, tmp_path)
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture(params=[*kinds(shared=True), CLUSTER], ids=lambda kind: kind.name)
async def shared_store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """A store that several daemons share, as it is."""
    opened = made(request, tmp_path)
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture(params=kinds(durable=True), ids=lambda kind: kind.name)
def open_again(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Store]:
    """Each call is another store of the same data."""
    return lambda: usable(request, tmp_path)
