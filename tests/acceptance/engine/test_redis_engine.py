"""The engine against the model, two of them over one real server."""

import pytest
from tests.acceptance.engine.machine import EngineMachine
from tests.acceptance.engine.test_engine import run
from tests.unit.stores.redis.writing import fresh_store, prefix_of
from tests.valkey.server import ValkeyServer

from memoryd_server.ports.store import Store


def machine_on(url: str) -> type[EngineMachine]:
    """The machine, each run of which has a prefix of its own."""

    class RedisMachine(EngineMachine):
        world_count = 2

        def __init__(self) -> None:
            self._prefix = prefix_of(fresh_store(url))
            super().__init__()

        def make_store(self) -> Store:
            return fresh_store(url, self._prefix)

    return RedisMachine


def test_the_engine_does_what_the_model_says_on_a_shared_server(valkey: ValkeyServer) -> None:
    run(machine_on(valkey.url), 4, 30)


@pytest.mark.faults
@pytest.mark.timeout(1_800)
def test_the_engine_does_what_the_model_says_on_a_shared_server_for_long(valkey: ValkeyServer) -> None:
    run(machine_on(valkey.url), 100, 60)
