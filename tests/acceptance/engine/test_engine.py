"""The engine against the model, on every store that the daemon itself can host."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from tests.acceptance.engine.machine import EngineMachine

from memoryd_server.ports.store import Store
from memoryd_server.stores.in_memory import InMemoryStore
from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.store import SqliteStore


class KeptStore(InMemoryStore):
    """A store that keeps its id when it is opened again."""

    async def open(self) -> None:
        self.store_id = "kept"


class InMemoryMachine(EngineMachine):
    def __init__(self) -> None:
        self._kept = KeptStore()
        super().__init__()

    def make_store(self) -> Store:
        return self._kept


class SharedMachine(EngineMachine):
    """Two engines over one store, which take turns."""

    world_count = 2

    def __init__(self) -> None:
        self._kept = InMemoryStore(3, is_shared=True)
        super().__init__()

    def make_store(self) -> Store:
        return self._kept


class SqliteMachine(EngineMachine):
    def __init__(self) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="memoryd-test-"))
        super().__init__()

    def make_store(self) -> Store:
        return SqliteStore(self._directory, Durability.JOURNALED)  # type: ignore[return-value]

    def teardown(self) -> None:
        super().teardown()
        shutil.rmtree(self._directory)


def run(machine: type[EngineMachine], examples: int, steps: int) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        ),
    )


@pytest.mark.whole
@pytest.mark.parametrize(
    ("machine", "examples"),
    [(InMemoryMachine, 40), (SharedMachine, 20), (SqliteMachine, 8)],
    ids=["memory", "shared", "sqlite"],
)
def test_the_engine_agrees_with_the_model(machine: type[EngineMachine], examples: int) -> None:
    run(machine, examples, 40)


@pytest.mark.faults
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize(
    ("machine", "examples"),
    [(InMemoryMachine, 600), (SharedMachine, 400), (SqliteMachine, 150)],
    ids=["memory", "shared", "sqlite"],
)
def test_the_engine_agrees_with_the_model_over_long_histories(machine: type[EngineMachine], examples: int) -> None:
    run(machine, examples, 80)
