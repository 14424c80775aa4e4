import asyncio
import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.wait import PATIENT, WAIT_S_MAX

import memoryd
from memoryd import errors

CALLERS = 20


def test_one_factory_runs_for_all_callers(agent: memoryd.Agent) -> None:
    made: list[int] = []
    together = threading.Barrier(CALLERS)

    def factory() -> int:
        made.append(1)
        return 42

    def caller(_: int) -> int:
        together.wait()
        return agent.get_or_set("k", factory)

    with ThreadPoolExecutor(CALLERS) as pool:
        assert set(pool.map(caller, range(CALLERS))) == {42}
    assert len(made) == 1


@pytest.mark.whole
def test_a_slow_factory_keeps_its_lease(agent: memoryd.Agent) -> None:
    makers: list[str] = []
    second_may_wait = threading.Event()
    first_may_end = threading.Event()

    def slow() -> str:
        makers.append("first")
        second_may_wait.set()
        first_may_end.wait(WAIT_S_MAX)
        return "first"

    def fast() -> str:
        makers.append("second")
        return "second"

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(agent.get_or_set, "k", slow, lease=1)
        assert second_may_wait.wait(WAIT_S_MAX)
        # The second caller waits for more than three leases: without renewals it would take over.
        with pytest.raises(errors.DeadlineExceeded):
            agent.get_or_set("k", fast, lease=1, wait=3.5)
        first_may_end.set()
        assert first.result(WAIT_S_MAX) == "first"
    assert agent.get_or_set("k", fast) == "first"
    assert makers == ["first"]


def test_a_failing_factory_lets_the_next_caller_take_over(agent: memoryd.Agent) -> None:
    with pytest.raises(ZeroDivisionError):
        agent.get_or_set("k", lambda: 1 // 0)
    assert agent.get_or_set("k", lambda: 7, wait=5) == 7


def test_a_value_that_is_refused_frees_the_key(agent: memoryd.Agent) -> None:
    with pytest.raises(errors.TooLarge):
        agent.get_or_set("k", lambda: "x" * 1_100_000)
    assert agent.get_or_set("k", lambda: "short", wait=5) == "short"


def test_a_made_value_is_stored_with_its_options(agent: memoryd.Agent) -> None:
    agent.get_or_set("k", lambda: (1, 2), tags=["made"], entry_type="insight")
    entry = agent.get_entry("k")
    assert entry is not None
    assert (entry.value, entry.tags, entry.type_name) == ([1, 2], ("made",), "tuple")


def test_in_a_scope_the_parents_value_counts_unless_local_only(agent: memoryd.Agent) -> None:
    agent.set("k", "root")
    with agent.scope("task") as scope:
        assert scope.get_or_set("k", lambda: "scope") == "root"
        assert scope.get_or_set("k", lambda: "scope", local_only=True) == "scope"
    assert agent.get("k") == "root"


def _hold(address: str, agent_id: str, holding: Callable[[], None]) -> None:
    def factory() -> None:
        holding()
        threading.Event().wait(60)

    with memoryd.connect(address, **PATIENT) as client:
        client.agent(agent_id).get_or_set("k", factory, lease=0.5)


def test_when_the_makers_process_dies_another_takes_over(client: memoryd.Client, agent: memoryd.Agent) -> None:
    context = multiprocessing.get_context("spawn")
    holding = context.Event()
    process = context.Process(target=_hold, args=(client.target, agent.agent_id, holding.set))
    process.start()
    try:
        assert holding.wait(WAIT_S_MAX)
        process.kill()
        assert agent.get_or_set("k", lambda: "survivor", wait=20) == "survivor"
    finally:
        process.kill()
        process.join()


def test_no_update_is_lost(agent: memoryd.Agent) -> None:
    def caller(_: int) -> None:
        for _ in range(10):
            agent.update("count", lambda count: count + 1, default=0)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(caller, range(8)))
    assert agent.get("count", type=int) == 80


async def test_a_cancelled_get_or_set_leaves_no_reservation(aio_agent: memoryd.aio.Agent) -> None:
    for number in range(60):
        calling = asyncio.ensure_future(aio_agent.get_or_set(f"k{number}", asyncio.Event().wait, lease=600))
        for _ in range(number):
            await asyncio.sleep(0)
        calling.cancel()
        await asyncio.wait([calling])
        assert calling.cancelled()
    values = [await aio_agent.get_or_set(f"k{number}", lambda: 1, wait=60) for number in range(60)]
    assert values == [1] * 60
