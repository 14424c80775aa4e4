"""The command of a language's program that scripts/bench uses."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.clients import measured
from tests.clients.language import Language
from tests.clients.program import Program
from tests.daemon import Daemon
from tests.integration.wire import Memory, Wire
from tests.wait import WAIT_S_MAX

import memoryd

CALLS = 20
WARM_UP_CALLS = 100


@pytest.fixture
def agent(wire: Wire, shared_daemon: Daemon) -> Memory:
    """Return an agent that has what the calls read."""
    agent = wire.agent()
    with memoryd.connect(shared_daemon.address, timeout=WAIT_S_MAX) as client:
        measured.write(client.agent(agent.id), memories=5, messages=5)
    return agent


@pytest.fixture
def measure(language: Language, start: Callable[..., Program], shared_daemon: Daemon, agent: Memory) -> Any:
    """Return a function that has a program measure calls, and skips the test of what its client lacks."""

    def measure(call: str, **options: Any) -> list[float]:
        took = start(language, shared_daemon.address).ask("measure", agent=agent.id, call=call, calls=CALLS, **options)
        if "lacks" in took:
            pytest.skip(f"{language.title} lacks {took['lacks']}")
        assert took["total_s"] > 0
        each: list[float] = took["each_s"]
        return each

    return measure


@pytest.mark.parametrize(
    ("call", "options"),
    [(call, {}) for call in ("set", "get", "recall", "compose")]
    + [(call, {"callers": 8, "batching": batching}) for call in ("set", "get") for batching in (False, True)],
)
def test_it_returns_the_duration_of_each_call(
    call: str, options: dict[str, Any], measure: Callable[..., list[float]], agent: Memory
) -> None:
    before = agent.revision
    durations = measure(call, **options)
    assert len(durations) == CALLS
    assert all(seconds > 0 for seconds in durations)
    (entry,) = agent.list().entries
    assert len(entry.value_json) == 200
    assert entry.access_count == (CALLS + WARM_UP_CALLS if call == "get" else 0)
    if call == "set" and not options.get("batching"):
        assert agent.revision == before + CALLS + WARM_UP_CALLS
    else:
        assert (agent.revision > before) == (call == "set")


def test_reads_of_a_near_cache_are_no_calls(measure: Callable[..., list[float]], agent: Memory) -> None:
    assert measure("near_get") == []
    (entry,) = agent.list().entries
    assert entry.access_count == 0
