from functools import partial

import pytest

from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.store import SqliteStore
from memoryd_server.testing.store_suite import DurableStoreSuite, EmbeddedStoreSuite, MakeStore


class TestSyncedSqliteStore(EmbeddedStoreSuite, DurableStoreSuite):
    @pytest.fixture
    def make_store(self) -> MakeStore:
        return partial(SqliteStore, durability=Durability.SYNCED)


class TestJournaledSqliteStore(EmbeddedStoreSuite, DurableStoreSuite):
    @pytest.fixture
    def make_store(self) -> MakeStore:
        return partial(SqliteStore, durability=Durability.JOURNALED)
