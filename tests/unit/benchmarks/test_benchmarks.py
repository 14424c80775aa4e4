"""Benchmarks run rarely: these tests find what a change of the daemon breaks in them."""

import importlib
import pkgutil

import pytest
import tests.benchmarks
from tests.benchmarks.synthetic_memory import synthetic_memories, synthetic_questions

_OF_OTHER_LIBRARIES = ("tests.benchmarks.recall.libraries.", "tests.benchmarks.peers.programs.of_")
_MODULES = [
    module.name
    for module in pkgutil.walk_packages(tests.benchmarks.__path__, "tests.benchmarks.")
    if not module.name.startswith(_OF_OTHER_LIBRARIES) and not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", _MODULES)
def test_a_module_of_the_benchmarks_can_be_imported(name: str) -> None:
    importlib.import_module(name)


def test_synthetic_memories_are_the_same_each_time_and_can_be_asked_for() -> None:
    memories = synthetic_memories(30)
    assert synthetic_memories(10) == memories[:10]
    assert all(memory.conversation_id for memory in memories)
    assert len(synthetic_questions(memories, 3)) == 3
