"""A state on its way to the next: what a command changes, recorded while it is decided."""

from typing import Any

import immutables
import msgspec

from memoryd_server.domain.agent.collection import Collection
from memoryd_server.domain.agent.event import CollectedRecord, Event, EventCause, EventType
from memoryd_server.domain.agent.state import EMPTY_ENTRIES, AgentState
from memoryd_server.domain.entries.entry import ROOT, Entry, EntryDraft, entry_of
from memoryd_server.domain.entries.reservation import Reservation
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.error import LimitExceeded
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.fragment_buffer import FragmentBuffer
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.domain.limit import DISPOSED_SCOPES_REMEMBERED_MAX, Limits
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.memories.memory import Memory, MemoryVersion, Purge
from memoryd_server.domain.memories.memory_link import MemoryLink
from memoryd_server.domain.values.deadline import earliest

RecordValue = (
    Entry
    | Scope
    | Reservation
    | Fragment
    | Lease
    | Memory
    | Embedding
    | MemoryLink
    | MemoryVersion
    | Purge
    | CollectedRecord
)


class ChangeKey(msgspec.Struct, frozen=True, gc=False):
    """Names a record of an agent: its kind, and its key within the kind."""

    kind: str
    key: str


Changes = dict[ChangeKey, RecordValue | None]
"""The records that a command puts, by name; None for those that it deletes."""


def entry_record(scope_id: str, key: str) -> ChangeKey:
    """The name of an entry's record. A scope id has no slash."""
    return ChangeKey("entry", f"{scope_id}/{key}")


def reservation_record(scope_id: str, key: str) -> ChangeKey:
    """The name of a reservation's record."""
    return ChangeKey("reservation", f"{scope_id}/{key}")


def fragment_record(fragment_id: str) -> ChangeKey:
    """The name of a fragment's record."""
    return ChangeKey("fragment", fragment_id)


def lease_record(token: str) -> ChangeKey:
    """The name of a lease's record."""
    return ChangeKey("lease", token)


def memory_record(memory_id: str) -> ChangeKey:
    """The name of a memory's record."""
    return ChangeKey("memory", memory_id)


def embedding_record(memory_id: str) -> ChangeKey:
    """The name of the record of a memory's vector."""
    return ChangeKey("embedding", memory_id)


def link_record(link: MemoryLink) -> ChangeKey:
    """The name of a link's record. A memory id has no slash."""
    return ChangeKey("link", link.key)


def version_record(version: MemoryVersion) -> ChangeKey:
    """The name of the record of what a memory was. A memory id has no slash."""
    return ChangeKey("version", f"{version.memory.memory_id}/{version.end_time}")


def purge_record(memory_id: str) -> ChangeKey:
    """The name of a purge's record."""
    return ChangeKey("purge", memory_id)


def scope_record(scope_id: str) -> ChangeKey:
    """The name of a scope's record."""
    return ChangeKey("scope", scope_id)


class Transition:
    """Collects one command's changes and events; ``finish`` makes the next state of them.

    What was put is seen by later lookups of the same command. ``fragments`` is changed by ``fragment_transition``
    alone, ``memories`` by ``memory_transition`` and ``collections`` by ``collection_transition``, which add to
    ``size_bytes``, too.
    """

    __slots__ = (
        "_deadlines",
        "_disposed_scopes",
        "_dropped_scopes",
        "_entries",
        "_entry_count",
        "_leaving_bytes",
        "_leaving_count",
        "_next_deadline",
        "_reservation_deadlines",
        "_reservations",
        "_scopes",
        "changes",
        "collections",
        "events",
        "fragments",
        "limits",
        "memories",
        "now",
        "origin",
        "revision",
        "size_bytes",
        "state",
    )

    def __init__(self, state: AgentState, now: int, limits: Limits, origin: str) -> None:
        self.state = state
        self.now = now
        self.limits = limits
        self.origin = origin
        self.revision = state.revision + 1
        self.changes: Changes = {}
        self.events: list[Event] = []
        self._entries: dict[str, immutables.MapMutation[str, Entry]] = {}
        self._dropped_scopes: list[str] = []
        self._scopes = state.scopes
        self._disposed_scopes = state.disposed_scopes
        self._reservations = state.reservations
        self._deadlines = state.deadlines
        self._reservation_deadlines = state.reservation_deadlines
        self._next_deadline = state.next_deadline
        self._entry_count = state.entry_count
        self.size_bytes = state.size_bytes
        self.fragments: FragmentBuffer = state.fragments
        self.memories: LongTermMemory = state.memories
        self.collections: immutables.Map[str, Collection[Any]] = state.collections
        self._leaving_count = 0
        self._leaving_bytes = 0

    def keep_revision(self) -> None:
        """Change records without a new revision, since nothing that an event would tell is changed."""
        self.revision = self.state.revision

    @property
    def changed(self) -> bool:
        """Whether there is anything to commit."""
        return bool(self.changes or self.events)

    @property
    def result_revision(self) -> int:
        """The agent's revision after the command."""
        return self.revision if self.changed else self.state.revision

    def expect_disposal(self, scope: Scope) -> None:
        """Do not count a scope's live entries against the limits any more, since the command will dispose it."""
        for entry in self.state.live_entries(scope.scope_id, self.now):
            self._leaving_count += 1
            self._leaving_bytes += entry.size_bytes

    def local_entry(self, scope_id: str, key: str) -> Entry | None:
        """The scope's own entry. One past its deadline is removed on the way, with its event."""
        pending = self._entries.get(scope_id)
        entries = self.state.entries.get(scope_id, EMPTY_ENTRIES) if pending is None else pending
        entry = entries.get(key)
        if entry is not None and not entry.is_live(self.now):
            self.remove_entry(entry, EventCause.EXPIRY)
            return None
        return entry

    def set_entry(
        self, scope_id: str, draft: EntryDraft, new_id: str, cause: EventCause = EventCause.REQUEST
    ) -> tuple[Entry, bool]:
        """Store a draft; answers the entry and whether it was an update. Raises LimitExceeded."""
        previous = self.local_entry(scope_id, draft.key)
        entry = entry_of(draft, scope_id, new_id, self.revision, self.now, previous)
        self._check_size(entry, previous)
        self.put_entry(entry, previous)
        self.tell(EventType.ENTRY_SET, cause, scope_id, key=entry.key, entry=entry, is_update=previous is not None)
        if self._reservations:
            self._fulfil_reservation(scope_id, entry.key)
        return entry, previous is not None

    def put_entry(self, entry: Entry, previous: Entry | None) -> None:
        """Put an entry in the place of ``previous``, without an event or a check."""
        self._mutable_entries(entry.scope_id)[entry.key] = entry
        self.changes[entry_record(entry.scope_id, entry.key)] = entry
        self.size_bytes += entry.size_bytes
        if previous is None:
            self._entry_count += 1
        else:
            self.size_bytes -= previous.size_bytes
            if previous.expire_time is not None:
                self._deadlines = self._deadlines.remove((entry.scope_id, entry.key), previous.expire_time)
        if entry.expire_time is not None:
            self._deadlines = self._deadlines.add((entry.scope_id, entry.key), entry.expire_time)
            self.note_deadline(entry.expire_time)

    def remove_entry(self, entry: Entry, cause: EventCause) -> None:
        """Remove an entry that is there, with its event."""
        self._drop_entry(entry)
        self.tell(EventType.ENTRY_REMOVED, cause, entry.scope_id, key=entry.key)

    def clear_entries(self, scope_id: str) -> int:
        """Remove all entries of a scope or of the root without an event; answers how many were still live."""
        entries = self._current_entries(scope_id)
        cleared = 0
        for entry in entries.values():
            cleared += entry.is_live(self.now)
            self._drop_entry(entry)
        for place in [place for place in self._reservations if place[0] == scope_id]:
            self.drop_reservation(*place)
        return cleared

    def create_scope(self, scope: Scope, cause: EventCause = EventCause.REQUEST) -> None:
        """Add an active scope, with its event."""
        self._scopes = self._scopes.set(scope.scope_id, scope)
        if scope.scope_id in self._disposed_scopes:
            self._disposed_scopes = self._disposed_scopes.delete(scope.scope_id)
        self._mutable_entries(scope.scope_id)
        self.changes[scope_record(scope.scope_id)] = scope
        self.tell(EventType.SCOPE_CREATED, cause, scope.scope_id)

    def dispose_scope(self, scope: Scope, cause: EventCause) -> int:
        """End one scope with its entries, with its event; answers how many live entries ended."""
        cleared = self.clear_entries(scope.scope_id)
        self.tell(EventType.SCOPE_DISPOSED, cause, scope.scope_id, entries_cleared=cleared)
        ended = Scope(
            scope.scope_id,
            scope.name,
            scope.ancestors,
            scope.create_time,
            scope.revision,
            dispose_revision=self.revision,
        )
        self._drop_scope(scope.scope_id)
        self._disposed_scopes = self._disposed_scopes.set(scope.scope_id, ended)
        self.changes[scope_record(scope.scope_id)] = ended
        if len(self._disposed_scopes) > DISPOSED_SCOPES_REMEMBERED_MAX:
            self._forget_oldest_disposed_scope()
        return cleared

    def reservation(self, scope_id: str, key: str) -> Reservation | None:
        """The key's reservation, unless its lease ran out."""
        reservation = self._reservations.get((scope_id, key))
        return reservation if reservation is not None and reservation.is_live(self.now) else None

    def put_reservation(self, reservation: Reservation) -> None:
        """Give or renew a reservation."""
        place = (reservation.scope_id, reservation.key)
        previous = self._reservations.get(place)
        if previous is not None:
            self._reservation_deadlines = self._reservation_deadlines.remove(place, previous.expire_time)
        self._reservations = self._reservations.set(place, reservation)
        self._reservation_deadlines = self._reservation_deadlines.add(place, reservation.expire_time)
        self.note_deadline(reservation.expire_time)
        self.changes[reservation_record(*place)] = reservation

    def drop_reservation(self, scope_id: str, key: str) -> None:
        """Take a reservation that is there away."""
        place = (scope_id, key)
        self._reservation_deadlines = self._reservation_deadlines.remove(place, self._reservations[place].expire_time)
        self._reservations = self._reservations.delete(place)
        self.changes[reservation_record(scope_id, key)] = None

    def put_record(self, value: RecordValue) -> None:
        """Put a record of working memory that was decided on elsewhere, without an event or a check."""
        if isinstance(value, Entry):
            self.put_entry(value, self._mutable_entries(value.scope_id).get(value.key))
        elif isinstance(value, Reservation):
            self.put_reservation(value)
        elif isinstance(value, Scope):
            self._put_scope(value)

    def delete_record(self, change: ChangeKey) -> None:
        """Delete a record of working memory if it is there, as was decided elsewhere, without an event."""
        scope_id, _, key = change.key.partition("/")
        if change.kind == "entry":
            entry = self.state.entries.get(scope_id, EMPTY_ENTRIES).get(key)
            if entry is not None:
                self._drop_entry(entry)
        elif change.kind == "reservation":
            if (scope_id, key) in self._reservations:
                self.drop_reservation(scope_id, key)
        elif change.kind == "scope" and change.key in self._scopes:
            # Disposed, and forgotten with the oldest ones, by the same commit.
            self._drop_scope(change.key)
            self.changes[change] = None
        elif change.kind == "scope" and change.key in self._disposed_scopes:
            self._disposed_scopes = self._disposed_scopes.delete(change.key)
            self.changes[change] = None

    def _put_scope(self, scope: Scope) -> None:
        self.changes[scope_record(scope.scope_id)] = scope
        if scope.disposed:
            self._disposed_scopes = self._disposed_scopes.set(scope.scope_id, scope)
            if scope.scope_id in self._scopes:
                self._drop_scope(scope.scope_id)
            return
        self._scopes = self._scopes.set(scope.scope_id, scope)
        if scope.scope_id in self._disposed_scopes:
            self._disposed_scopes = self._disposed_scopes.delete(scope.scope_id)
        self._mutable_entries(scope.scope_id)

    def tell(
        self,
        event_type: EventType,
        cause: EventCause,
        scope_id: str = ROOT,
        *,
        key: str = "",
        entry: Entry | None = None,
        is_update: bool = False,
        entries_cleared: int = 0,
        snapshot_id: str = "",
        fragment: Fragment | None = None,
        fragment_id: str = "",
        fragment_count: int = 0,
        memory: Memory | None = None,
        memory_id: str = "",
        link: MemoryLink | None = None,
        memory_count: int = 0,
        record: CollectedRecord | None = None,
        memory_kind: int = 0,
        record_count: int = 0,
    ) -> None:
        """Record what happened."""
        scope = self._scopes.get(scope_id)
        name, ancestors = ("", ()) if scope is None else (scope.name, scope.ancestors)
        event = Event(
            event_type,
            cause,
            self.revision,
            len(self.events),
            self.now,
            scope_id,
            name,
            ancestors,
            key,
            entry,
            is_update,
            entries_cleared,
            snapshot_id,
            self.origin,
            fragment,
            fragment_id,
            fragment_count,
            memory,
            memory_id,
            link,
            memory_count,
            record,
            memory_kind,
            record_count,
        )
        self.events.append(event)

    def expire(self, entries_max: int) -> int:
        """Remove entries and reservations whose time is over, at most so many entries; answers how many entries."""
        due = self._deadlines.due(self.now, entries_max)
        for scope_id, key in due:
            self.local_entry(scope_id, key)
        for place in self._reservation_deadlines.due(self.now):
            self.drop_reservation(*place)
        return len(due)

    def learn_next_deadline(self) -> None:
        """Find out when the next record expires; what was noted may have been taken away."""
        self._next_deadline = earliest(
            self._deadlines.first,
            self._reservation_deadlines.first,
            self.fragments.next_deadline,
            self.memories.next_deadline,
        )

    def note_deadline(self, deadline: int) -> None:
        """Remember that something expires then."""
        if self._next_deadline is None or deadline < self._next_deadline:
            self._next_deadline = deadline

    def finish(self) -> AgentState:
        """The next state; the state itself when nothing changed.

        It has the same revision when all that was learnt is when the next record expires.
        """
        if not self.changed:
            if self._next_deadline == self.state.next_deadline:
                return self.state
            return msgspec.structs.replace(self.state, next_deadline=self._next_deadline)
        entries = self.state.entries
        for scope_id in self._dropped_scopes:
            # One that the same command created was never among them.
            entries = entries.delete(scope_id) if scope_id in entries else entries
        for scope_id, pending in self._entries.items():
            entries = entries.set(scope_id, pending.finish())
        return AgentState(
            self.state.agent_id,
            self.revision,
            self.state.create_time or self.now,
            self.now if self.revision != self.state.revision else self.state.update_time,
            entries,
            self._scopes,
            self._disposed_scopes,
            self._reservations,
            self._deadlines,
            self._reservation_deadlines,
            self.fragments,
            self.memories,
            self.collections,
            self._next_deadline,
            self._entry_count,
            self.size_bytes,
        )

    def _mutable_entries(self, scope_id: str) -> "immutables.MapMutation[str, Entry]":
        pending = self._entries.get(scope_id)
        if pending is None:
            pending = self._entries[scope_id] = self.state.entries.get(scope_id, EMPTY_ENTRIES).mutate()
        return pending

    def _current_entries(self, scope_id: str) -> "immutables.Map[str, Entry]":
        pending = self._entries.pop(scope_id, None)
        if pending is None:
            return self.state.entries.get(scope_id, EMPTY_ENTRIES)
        entries = pending.finish()
        self._entries[scope_id] = entries.mutate()
        return entries

    def _drop_scope(self, scope_id: str) -> None:
        self._scopes = self._scopes.delete(scope_id)
        self._dropped_scopes.append(scope_id)
        self._entries.pop(scope_id, None)

    def _drop_entry(self, entry: Entry) -> None:
        del self._mutable_entries(entry.scope_id)[entry.key]
        self.changes[entry_record(entry.scope_id, entry.key)] = None
        self._entry_count -= 1
        self.size_bytes -= entry.size_bytes
        if entry.expire_time is not None:
            self._deadlines = self._deadlines.remove((entry.scope_id, entry.key), entry.expire_time)

    def _fulfil_reservation(self, scope_id: str, key: str) -> None:
        if (scope_id, key) in self._reservations:
            self.drop_reservation(scope_id, key)

    def _check_size(self, entry: Entry, previous: Entry | None) -> None:
        limits = self.limits
        if previous is None and self._entry_count - self._leaving_count >= limits.entries_per_agent:
            self.expire(self._entry_count)
            if self._entry_count - self._leaving_count >= limits.entries_per_agent:
                raise LimitExceeded("entries_per_agent", limits.entries_per_agent)
        growth = entry.size_bytes - (0 if previous is None else previous.size_bytes)
        if growth > 0 and self.size_bytes - self._leaving_bytes + growth > limits.storage_bytes_per_agent:
            raise LimitExceeded("storage_bytes_per_agent", limits.storage_bytes_per_agent)

    def _forget_oldest_disposed_scope(self) -> None:
        oldest = min(self._disposed_scopes.values(), key=lambda scope: (scope.dispose_revision or 0, scope.scope_id))
        self._disposed_scopes = self._disposed_scopes.delete(oldest.scope_id)
        self.changes[scope_record(oldest.scope_id)] = None
