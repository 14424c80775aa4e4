"""Event subjects of working memory: an entry, or a scope."""

from typing import Any

from memoryd_server.domain.agent.event import Event, EventFilter, RecordView, Subject
from memoryd_server.domain.entries.entry import ENTRY_SHAPE, ROOT, Entry
from memoryd_server.domain.entries.scope import SCOPE_SHAPE, Scope
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.response_size import response_bytes


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

    def view(self, event: Event) -> RecordView:
        """Return the scope. Of one that was disposed, nothing is known but its id."""
        return RecordView(SCOPE_SHAPE, self.scope or self, SCOPE_SHAPE.unknown(self.scope))

    def may_concern(self, chosen: EventFilter, event: Event) -> bool:
        """Return True if the filter keeps the scope; if its entries were cleared, if it keeps any entry."""
        if event.type.kind is RecordKind.ENTRY:
            return RecordKind.ENTRY in chosen.record_kinds
        return super().may_concern(chosen, event)


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
        return 0 if self.entry is None else response_bytes(self.entry)

    def is_within(self, chosen: EventFilter) -> bool:
        """Return True if the key has the filter's prefix, and the filter includes the scope."""
        return self.key.startswith(chosen.key_prefix) and keeps_scope(chosen, self.scope_id, self.ancestors)

    def view(self, event: Event) -> RecordView:
        """Return the entry. Of one that was removed, nothing is known but its key."""
        return RecordView(ENTRY_SHAPE, self.entry or self, ENTRY_SHAPE.unknown(self.entry))


def keeps_scope(chosen: EventFilter, scope_id: str, ancestors: tuple[str, ...]) -> bool:
    """Return True if the filter includes events in this scope."""
    scope_ids = chosen.scope_ids
    if not scope_ids or scope_id in scope_ids:
        return True
    if not chosen.include_descendants:
        return False
    return ROOT in scope_ids or not scope_ids.isdisjoint(ancestors)
