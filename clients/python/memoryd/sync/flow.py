"""Flows of steps that ``memoryd.protocol`` decides, performed in a thread."""

from collections.abc import Callable, Generator
from typing import Any, TypeVar

Step = TypeVar("Step")
Result = TypeVar("Result")


def drive(flow: Generator[Step, Any, Result], perform: Callable[[Step], Any]) -> Result:
    """Perform the steps of a flow one after the other, and answer what it returns."""
    try:
        step = next(flow)
        while True:
            try:
                answer = perform(step)
            except BaseException as error:  # noqa: BLE001 - the flow cleans up and raises it
                step = flow.throw(error)
            else:
                step = flow.send(answer)
    except StopIteration as done:
        result: Result = done.value
        return result
