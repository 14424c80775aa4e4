"""The state of a store that can run out of space, or fail to write."""

from collections.abc import Callable


class Room:
    """A store's account of whether it has room for more data. It is used in the event loop only.

    Without room, a store carries out removals and refuses all other changes with StorageFull. It finds out by itself
    when there is room again.

    A store ``is_failing`` from a write that failed for another reason until one succeeds.
    """

    def __init__(self) -> None:
        self.is_left = True
        self.is_failing = False
        self._observers: list[Callable[[bool], None]] = []
        self._failure_observers: list[Callable[[bool], None]] = []

    def observe(self, observer: Callable[[bool], None]) -> None:
        """Call ``observer`` now, and after each change, with True if there is room."""
        self._observers.append(observer)
        observer(self.is_left)

    def change(self, *, is_left: bool) -> None:
        """Note that there is room, or that there is none."""
        if is_left != self.is_left:
            self.is_left = is_left
            for observer in self._observers:
                observer(is_left)

    def observe_failures(self, observer: Callable[[bool], None]) -> None:
        """Call ``observer`` after each change of ``is_failing``, with True if the last write failed."""
        self._failure_observers.append(observer)

    def note_write(self, *, is_failing: bool) -> None:
        """Note that a write has failed, or has succeeded."""
        if is_failing != self.is_failing:
            self.is_failing = is_failing
            for observer in self._failure_observers:
                observer(is_failing)
