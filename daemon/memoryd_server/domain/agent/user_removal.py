"""The removal of a user's records from all parts."""

from collections.abc import Callable

IsOfUser = Callable[[str], bool]
"""Returns True for the id of the user who is being forgotten."""


class UserRemoval:
    """The removal of a user's records by one command, which removes a bounded number of them.

    ``is_of`` is true for the user's id. An editor calls ``takes`` before it removes a record with those that it owns,
    and stops when that is false.
    """

    __slots__ = ("_left", "blocks_reimport", "is_complete", "is_of")

    def __init__(self, is_of: IsOfUser, records_max: int, *, blocks_reimport: bool = False) -> None:
        self.is_of = is_of
        self.blocks_reimport = blocks_reimport
        self.is_complete = True
        self._left = records_max

    def takes(self, record_count: int = 1) -> bool:
        """Return True if another record may be removed; ``record_count`` includes those that it owns."""
        if self._left <= 0:
            self.is_complete = False
            return False
        self._left -= record_count
        return True
