"""The state of a store that can run out of space."""

from collections.abc import Callable


class Room:
    """A store's account of whether it has room for more data. It is used in the event loop only.

    Without room, a store carries out removals and refuses all other changes with StorageFull. It finds out by itself
    when there is room again.
    """

    def __init__(self) -> None:
        self.is_left = True
        self._observers: list[Callable[[bool], None]] = []

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
