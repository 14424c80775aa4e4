"""Event subjects of the fragment buffer: one fragment, or all of them."""

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
    def record_bytes(self) -> int:
        """The size of the fragment, 0 when it was deleted."""
        return 0 if self.fragment is None else self.fragment.size_bytes


class FragmentsSubject(Subject, frozen=True, array_like=True, tag=True):
    """All fragments: ``count`` is the number of those that were flushed or cleared."""

    count: int
