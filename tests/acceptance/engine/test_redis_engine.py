"""The engine against the model, two of them over one real server."""

import pytest
from tests.acceptance.engine.machine import EngineMachine
from tests.acceptance.engine.test_engine import run
from tests.unit.stores.redis.writing import fresh_store, prefix_of
from tests.valkey.server import ValkeyServer

from memoryd_server.ports.store import Store


def machine_on(url: str) -> type[EngineMachine]:
    """Return the machine, of which each run has its own prefix."""

    class RedisMachine(EngineMachine):
        world_count = 2

        def __init__(self) -> None:
            self._prefix = prefix_of(fresh_store(url))
            super().__init__()

        def make_store(self) -> Store:
            return fresh_store(url, self._prefix)

    return RedisMachine


def test_engines_that_share_a_server_agree_with_the_model(valkey: ValkeyServer) -> None:
    run(machine_on(valkey.url), 4, 30)


@pytest.mark.faults
@pytest.mark.timeout(1_800)
def test_engines_that_share_a_server_agree_with_the_model_over_long_histories(valkey: ValkeyServer) -> None:
    run(machine_on(valkey.url), 100, 60)
