"""Event subjects of the fragment buffer: one fragment, or a flush of all of them."""

from typing import Any

from memoryd_server.domain.agent.event import Event, EventFilter, RecordView, Subject
from memoryd_server.domain.fragments.fragment import FRAGMENT_SHAPE, Fragment
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.response_size import response_bytes


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

    def view(self, event: Event) -> RecordView:
        """Return the fragment. Of a deleted one, nothing is known but its id."""
        return RecordView(FRAGMENT_SHAPE, self.fragment or self, FRAGMENT_SHAPE.unknown(self.fragment))

    @property
    def record_bytes(self) -> int:
        """The size of the fragment, 0 when it was deleted."""
        return 0 if self.fragment is None else response_bytes(self.fragment)


class FlushedSubject(Subject, frozen=True, array_like=True, tag=True):
    """A flush of all fragments: ``count`` is the number of those that were not flushed before."""

    count: int

    def may_concern(self, chosen: EventFilter, event: Event) -> bool:
        """Return True if the filter keeps any fragment: which of them were flushed is not known."""
        return RecordKind.FRAGMENT in chosen.record_kinds
