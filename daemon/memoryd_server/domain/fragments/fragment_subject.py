"""Event subjects of the fragment buffer: one fragment, or a flush of all of them."""

from typing import Any

from memoryd_server.domain.agent.event import Subject
from memoryd_server.domain.fragments.fragment import Fragment


class FragmentSubject(Subject, frozen=True, array_like=True, tag=True):
    """One fragment. ``fragment`` is None when it was deleted."""

    fragment_id: str
    fragment: Fragment | None = None

    @property
    def record(self) -> Fragment | None:
        """The fragment that was stored, None when it was deleted."""
        return self.fragment

    @property
    def place(self) -> tuple[Any, ...]:
        """The fragment's id."""
        return FragmentSubject, self.fragment_id

    def is_about(self, owner: str, ids: frozenset[str]) -> bool:
        """Return True if the fragment belongs to one of these users, or was deleted: nothing says whose it was."""
        return owner == "user_id" and (self.fragment is None or self.fragment.user_id in ids)

    @property
    def record_bytes(self) -> int:
        """The size of the fragment, 0 when it was deleted."""
        return 0 if self.fragment is None else self.fragment.size_bytes


class FlushedSubject(Subject, frozen=True, array_like=True, tag=True):
    """A flush of all fragments: ``count`` is the number of those that were not flushed before."""

    count: int

    def is_about(self, owner: str, ids: frozenset[str]) -> bool:
        """Return True for users: fragments of any of them may have been flushed."""
        return owner == "user_id"
