"""A thread that computes: one piece of work after the other."""

import asyncio
import threading
from contextvars import ContextVar

from memoryd_server.engine.agents.lane import Lane

NAME = ContextVar("NAME", default="none")


async def test_work_is_done_by_one_thread_in_its_order() -> None:
    lane, done = Lane("test"), list[tuple[int, str]]()

    def work(number: int) -> int:
        done.append((number, threading.current_thread().name))
        return number

    assert await asyncio.gather(*(lane.run(lambda n=number: work(n)) for number in range(5))) == [0, 1, 2, 3, 4]  # type: ignore[misc]
    assert done == [(number, "memoryd-test_0") for number in range(5)]


async def test_work_knows_the_context_of_its_caller() -> None:
    NAME.set("caller")
    assert await Lane("test").run(NAME.get) == "caller"


async def test_work_whose_caller_is_cancelled_is_not_begun() -> None:
    lane, may_end, done = Lane("test"), threading.Event(), list[str]()
    first = asyncio.create_task(lane.run(may_end.wait))
    second = asyncio.create_task(lane.run(lambda: done.append("second")))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    may_end.set()
    await first
    await lane.run(lambda: done.append("third"))
    assert done == ["third"]
