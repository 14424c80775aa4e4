"""State machines of Hypothesis with long histories: the engine, over each store, agrees with a model of it."""

from collections.abc import Callable

import hypothesis
from hypothesis.stateful import run_state_machine_as_test
from tests.acceptance.engine.test_engine import InMemoryMachine, SharedMachine, SqliteMachine
from tests.attack.checked import Checked
from tests.unit.domain.fragments.test_fragment_machine import BufferMachine
from tests.unit.domain.memories.test_memory_machine import MemoryMachine

STEPS = 80
_SHARES = {InMemoryMachine: 6, SharedMachine: 4, SqliteMachine: 2, BufferMachine: 6, MemoryMachine: 2}
"""The part of all examples that each machine gets: fewer for a slow one."""


def check_machines(examples: int) -> Checked:
    """Run a number of examples of all machines together. Examples are new in each run; what fails is reproduced."""
    broken = []
    for machine, share in _SHARES.items():
        count = max(1, examples * share // sum(_SHARES.values()))
        if problem := _problem_of(lambda machine=machine, count=count: _run(machine, count)):  # type: ignore[misc]
            broken.append(f"{machine.__name__}: {problem}")
    names = ", ".join(machine.__name__ for machine in _SHARES)
    what = f"histories of up to {STEPS} steps of the state machines {names}, each compared with a model"
    return Checked("machines", what, examples, "histories", "; ".join(broken)[:300])


def _run(machine: type, count: int) -> None:
    settings = hypothesis.settings(
        max_examples=count,
        stateful_step_count=STEPS,
        derandomize=False,
        suppress_health_check=list(hypothesis.HealthCheck),
        print_blob=True,
    )
    run_state_machine_as_test(machine, settings=settings)  # type: ignore[arg-type]


def _problem_of(run: Callable[[], None]) -> str:
    try:
        run()
    except Exception as error:  # noqa: BLE001 - whatever a machine raises is what was found
        return f"{type(error).__name__}: {error}"
    return ""
