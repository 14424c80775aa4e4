"""An event loop in which timeouts take no time, however slow the machine is."""

import asyncio
import selectors

_NOTHING_COMES_S = 0.02  # time: the kernel hands over what was written in this process at once


class HurriedLoop(asyncio.SelectorEventLoop):
    """Its time stands still while anything can happen, and else jumps to its next timer.

    So an answer that was sent always comes before a timeout, and a timeout that must pass is not waited for. Everybody
    must run in this loop: whoever works in a thread or a process of their own is not seen, and is timed out.
    """

    def __init__(self) -> None:
        self._hurried = _HurriedSelector()
        super().__init__(self._hurried)

    def time(self) -> float:
        """The seconds that were jumped over."""
        return self._hurried.jumped_s


class _HurriedSelector(selectors.DefaultSelector):
    def __init__(self) -> None:
        super().__init__()
        self.jumped_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        ready = super().select(_NOTHING_COMES_S)
        if not ready:
            self.jumped_s += timeout
        return ready
