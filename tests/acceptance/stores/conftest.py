"""The stores that the suite runs on. Another store adds one ``StoreKind``."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from memoryd_server.ports.store import Store
from memoryd_server.stores.in_memory import InMemoryStore
from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.store import SqliteStore


@dataclass(frozen=True)
class StoreKind:
    """``make`` builds a store of the data in a directory; ``durable`` is whether the data outlives the store."""

    name: str
    durable: bool
    make: Callable[[Path], Store]


KINDS = (
    StoreKind("in_memory", durable=False, make=lambda directory: InMemoryStore()),
    StoreKind("sqlite-synced", durable=True, make=lambda directory: SqliteStore(directory, Durability.SYNCED)),
    StoreKind("sqlite-journaled", durable=True, make=lambda directory: SqliteStore(directory, Durability.JOURNALED)),
)


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    opened: Store = request.param.make(tmp_path)
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture(params=[kind for kind in KINDS if kind.durable], ids=lambda kind: kind.name)
def open_again(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Store]:
    """Each call is another store of the same data."""
    return lambda: request.param.make(tmp_path)
