"""An event loop in which timeouts take no time, however slow the machine is."""

import asyncio
import selectors
from collections.abc import Callable

import pytest

_QUIET_S = 0.02  # time: the kernel delivers at once what was written in this process


class HurriedLoop(asyncio.SelectorEventLoop):
    """An event loop whose time stands still while something can happen, and jumps to the next timer otherwise.

    A reply that was sent always arrives before a timeout, and no real time passes until a timeout expires. All parties
    of a test must run in this loop: it does not see the work of threads and other processes, so their timeouts expire
    at once.
    """

    def __init__(self) -> None:
        self._hurried = _HurriedSelector()
        super().__init__(self._hurried)

    def time(self) -> float:
        """Return the sum of the jumps, in seconds."""
        return self._hurried.jumped_s


def loop_factories(item: pytest.Item) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Return the loop of a test: the hook of a conftest whose folder has hurried tests."""
    return {"hurried": HurriedLoop} if item.get_closest_marker("hurried") else {"usual": asyncio.new_event_loop}


class _HurriedSelector(selectors.DefaultSelector):
    def __init__(self) -> None:
        super().__init__()
        self.jumped_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        ready = super().select(_QUIET_S)
        if not ready:
            self.jumped_s += timeout
        return ready
