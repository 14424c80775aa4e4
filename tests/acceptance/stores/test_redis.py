from pathlib import Path

import pytest
from hypothesis.stateful import run_state_machine_as_test
from tests.unit.stores.redis.writing import fresh_store
from tests.valkey.cluster import ValkeyCluster
from tests.valkey.server import ValkeyServer
from tests.wait import WAIT_S_MAX

from memoryd_server.ports.store import Store
from memoryd_server.stores.redis import journal, tail
from memoryd_server.stores.redis.store import RedisSettings, RedisStore
from memoryd_server.stores.redis.url import parse_store_url
from memoryd_server.testing.store_suite import DurableStoreSuite, MakeStore, SharedStoreSuite, SharingSuite
from memoryd_server.testing.stores.shared_machine import ROUNDS, SharedStoreMachine


def stores_at(url: str) -> MakeStore:
    """Return a maker of stores whose keys begin with the name of the test's directory."""

    def make(directory: Path) -> Store:
        settings = RedisSettings(prefix=directory.name, shard_count=3, timeout_s=WAIT_S_MAX)
        return RedisStore(parse_store_url(url), settings)

    return make


class TestRedisStore(SharedStoreSuite, DurableStoreSuite):
    @pytest.fixture
    def make_store(self, valkey: ValkeyServer) -> MakeStore:
        return stores_at(valkey.url)


class TestRedisClusterStore(SharingSuite):
    """The tests of daemons that share a store. The others behave as with one server, and are slower."""

    @pytest.fixture
    def make_store(self, valkey_cluster: ValkeyCluster) -> MakeStore:
        return stores_at(valkey_cluster.url.removesuffix("/0").replace("redis://", "redis+cluster://"))


@pytest.mark.whole
@pytest.mark.parametrize(("block", "look_back_s"), [((100, 4096), 0.0), ((3, 200), 1_000.0)])
def test_random_histories_have_the_results_of_the_reference_for_any_block_size(
    valkey: ValkeyServer, monkeypatch: pytest.MonkeyPatch, block: tuple[int, int], look_back_s: float
) -> None:
    monkeypatch.setattr(journal, "BLOCK_ROWS_MAX", block[0])
    monkeypatch.setattr(journal, "BLOCK_BYTES_MAX", block[1])
    monkeypatch.setattr(tail, "LOOK_BACK_S", look_back_s)

    class Machine(SharedStoreMachine):
        follows_before_pruning = look_back_s > 0

        def make_store(self) -> Store:
            return fresh_store(valkey.url, shard_count=1)

    run_state_machine_as_test(Machine, settings=ROUNDS)
