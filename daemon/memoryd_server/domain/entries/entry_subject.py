"""Event subjects of working memory: an entry, or a scope."""

from typing import Any

from memoryd_server.domain.agent.event import EventFilter, Subject
from memoryd_server.domain.entries.entry import ROOT, Entry
from memoryd_server.domain.entries.scope import Scope


class ScopeSubject(Subject, frozen=True, array_like=True, tag=True):
    """A scope or the root, which was created, disposed or cleared of its entries.

    ``ancestors`` are those at the time of the event, the parent first, without the root. ``scope`` is None if the scope
    was disposed, and for the root.
    """

    scope_id: str = ROOT
    scope_name: str = ""
    ancestors: tuple[str, ...] = ()
    entries_cleared: int = 0
    scope: Scope | None = None

    @property
    def record(self) -> Scope | None:
        """The scope that was created, None for other events."""
        return self.scope

    @property
    def place(self) -> tuple[Any, ...] | None:
        """The scope's id; None for the root."""
        return (ScopeSubject, self.scope_id) if self.scope_id else None

    def is_within(self, chosen: EventFilter) -> bool:
        """Return True if the filter names the scope, or includes it as a descendant."""
        return keeps_scope(chosen, self.scope_id, self.ancestors)

    def is_about(self, owner: str, ids: frozenset[str]) -> bool:
        """Return True if the scope is about one of these users, or has ended: whose it was is not known then."""
        return owner == "user_id" and (self.scope is None or self.scope.user_id in ids)


class EntrySubject(Subject, frozen=True, array_like=True, tag=True):
    """An entry in a scope, which is described as in ``ScopeSubject``. ``entry`` is None when it was removed."""

    scope_id: str
    scope_name: str
    ancestors: tuple[str, ...]
    key: str
    entry: Entry | None = None

    @property
    def record(self) -> Entry | None:
        """The entry that was set, None when it was removed."""
        return self.entry

    @property
    def place(self) -> tuple[Any, ...]:
        """The entry's scope and key."""
        return EntrySubject, self.scope_id, self.key

    @property
    def record_bytes(self) -> int:
        """The size of the entry, 0 when it was removed."""
        return 0 if self.entry is None else self.entry.size_bytes

    def is_within(self, chosen: EventFilter) -> bool:
        """Return True if the key has the filter's prefix, and the filter includes the scope."""
        return self.key.startswith(chosen.key_prefix) and keeps_scope(chosen, self.scope_id, self.ancestors)

    def is_about(self, owner: str, ids: frozenset[str]) -> bool:
        """Return True if the entry is about one of these users, or was removed: whose it was is not known then."""
        return owner == "user_id" and (self.entry is None or self.entry.user_id in ids)


def keeps_scope(chosen: EventFilter, scope_id: str, ancestors: tuple[str, ...]) -> bool:
    """Return True if the filter includes events in this scope."""
    scope_ids = chosen.scope_ids
    if not scope_ids or scope_id in scope_ids:
        return True
    if not chosen.include_descendants:
        return False
    return ROOT in scope_ids or not scope_ids.isdisjoint(ancestors)
