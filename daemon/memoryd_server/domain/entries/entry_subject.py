"""Event subjects of working memory: an entry, or a scope."""

from memoryd_server.domain.agent.event import EventFilter, Subject
from memoryd_server.domain.entries.entry import ROOT, Entry


class ScopeSubject(Subject, frozen=True, array_like=True, tag=True):
    """A scope or the root, which was created, disposed or cleared of its entries.

    ``ancestors`` are those at the time of the event, the parent first, without the root.
    """

    scope_id: str = ROOT
    scope_name: str = ""
    ancestors: tuple[str, ...] = ()
    entries_cleared: int = 0

    def is_within(self, chosen: EventFilter) -> bool:
        """Return True if the filter names the scope, or includes it as a descendant."""
        return keeps_scope(chosen, self.scope_id, self.ancestors)


class EntrySubject(Subject, frozen=True, array_like=True, tag=True):
    """An entry in a scope, which is described as in ``ScopeSubject``. ``entry`` is None when it was removed."""

    scope_id: str
    scope_name: str
    ancestors: tuple[str, ...]
    key: str
    entry: Entry | None = None
    is_update: bool = False

    @property
    def record(self) -> Entry | None:
        """The entry that was set, None when it was removed."""
        return self.entry

    @property
    def record_bytes(self) -> int:
        """The size of the entry, 0 when it was removed."""
        return 0 if self.entry is None else self.entry.size_bytes

    def is_within(self, chosen: EventFilter) -> bool:
        """Return True if the key has the filter's prefix, and the filter includes the scope."""
        return self.key.startswith(chosen.key_prefix) and keeps_scope(chosen, self.scope_id, self.ancestors)


def keeps_scope(chosen: EventFilter, scope_id: str, ancestors: tuple[str, ...]) -> bool:
    """Return True if the filter includes events in this scope."""
    scope_ids = chosen.scope_ids
    if not scope_ids or scope_id in scope_ids:
        return True
    if not chosen.include_descendants:
        return False
    return ROOT in scope_ids or not scope_ids.isdisjoint(ancestors)
