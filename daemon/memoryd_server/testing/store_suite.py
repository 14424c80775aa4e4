"""The acceptance tests of the store port, as classes to derive from.

The tests of a store that one daemon uses at a time, and whose data outlives it::

    class TestShelfStore(EmbeddedStoreSuite, DurableStoreSuite):
        @pytest.fixture
        def make_store(self) -> MakeStore:
            return ShelfStore

See docs/contributing/adding-a-store.md.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import cast

import pytest
import pytest_asyncio

from memoryd_server.ports.store import Store
from memoryd_server.testing.stores.change import PointedStore
from memoryd_server.testing.stores.commits import Commits, EmbeddedCommits
from memoryd_server.testing.stores.durability import DurableCommits
from memoryd_server.testing.stores.embedded_machine import run_embedded_machine
from memoryd_server.testing.stores.erasure import Erasure
from memoryd_server.testing.stores.listing import Listing
from memoryd_server.testing.stores.rewriting import DurableRewriting, Rewriting, SharedRewriting
from memoryd_server.testing.stores.shared_machine import run_shared_machine
from memoryd_server.testing.stores.sharing import SharedCommits

MakeStore = Callable[[Path], Store]
"""Makes a store, not open yet, of the data that belongs to a directory. Each call makes another store of the same data.

A store with files has them in the directory. One without files keeps data apart by the directory's name.
"""


@pytest.mark.asyncio
class _Suite:
    """The fixtures of all suites."""

    @pytest.fixture
    def make_store(self) -> MakeStore:
        """To be overridden."""
        raise NotImplementedError("override the fixture make_store: it returns a MakeStore")


class StoreSuite(Commits, Listing, Rewriting, Erasure, _Suite):
    """The tests of every store. Derive from EmbeddedStoreSuite or SharedStoreSuite, which contain them."""

    @pytest_asyncio.fixture
    async def store(self, make_store: MakeStore, tmp_path: Path) -> AsyncIterator[Store]:
        """An open store that accepts commits without points, also if it is shared."""
        store = usable(make_store(tmp_path))
        await store.open()
        yield store
        await store.close()


class EmbeddedStoreSuite(EmbeddedCommits, StoreSuite):
    """The tests of a store that one daemon uses at a time."""

    async def test_random_histories_have_the_same_results_as_in_the_reference(
        self, make_store: MakeStore, tmp_path: Path
    ) -> None:
        is_durable = isinstance(self, DurableStoreSuite)
        await asyncio.to_thread(run_embedded_machine, make_store, tmp_path, is_durable=is_durable)


class SharingSuite(SharedCommits, SharedRewriting, _Suite):
    """The tests of ``ports.store.Sharing`` alone."""

    @pytest_asyncio.fixture
    async def shared_store(self, make_store: MakeStore, tmp_path: Path) -> AsyncIterator[Store]:
        """An open store."""
        store = make_store(tmp_path)
        await store.open()
        yield store
        await store.close()

    async def test_random_histories_are_followed_as_in_the_reference(
        self, make_store: MakeStore, tmp_path: Path
    ) -> None:
        await asyncio.to_thread(run_shared_machine, make_store, tmp_path)


class SharedStoreSuite(SharingSuite, StoreSuite):
    """The tests of a store that several daemons share."""


class DurableStoreSuite(DurableCommits, DurableRewriting, _Suite):
    """The tests of a store whose data outlives its process. Derive from it beside one of the other suites."""

    @pytest.fixture
    def open_again(self, make_store: MakeStore, tmp_path: Path) -> Callable[[], Store]:
        """Makes another store of the same data at each call."""
        return lambda: usable(make_store(tmp_path))


def usable(store: Store) -> Store:
    """Return a store that accepts commits without points."""
    return store if store.sharing is None else cast("Store", PointedStore(store))
