import pytest

from memoryd_server.stores.in_memory import InMemoryStore
from memoryd_server.testing.store_suite import EmbeddedStoreSuite, MakeStore, SharedStoreSuite


class TestInMemoryStore(EmbeddedStoreSuite):
    @pytest.fixture
    def make_store(self) -> MakeStore:
        return lambda _: InMemoryStore()


class TestSharedInMemoryStore(SharedStoreSuite):
    @pytest.fixture
    def make_store(self) -> MakeStore:
        return lambda _: InMemoryStore(4, is_shared=True)
