"""Performs the flows of steps that ``memoryd.protocol`` decides."""

from collections.abc import Awaitable, Callable, Generator
from typing import Any, TypeVar

Step = TypeVar("Step")
Result = TypeVar("Result")


async def drive(flow: Generator[Step, Any, Result], perform: Callable[[Step], Awaitable[Any]]) -> Result:
    """Perform the steps of a flow one after the other, and return what it returns."""
    try:
        step = next(flow)
        while True:
            try:
                answer = await perform(step)
            except BaseException as error:  # noqa: BLE001 - the flow cleans up and raises it
                step = flow.throw(error)
            else:
                step = flow.send(answer)
    except StopIteration as done:
        result: Result = done.value
        return result
