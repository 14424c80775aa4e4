import pytest
from toy_store import ToyStore

from memoryd_server.testing.store_suite import DurableStoreSuite, EmbeddedStoreSuite, MakeStore


class TestToyStore(EmbeddedStoreSuite, DurableStoreSuite):
    @pytest.fixture
    def make_store(self) -> MakeStore:
        return ToyStore
