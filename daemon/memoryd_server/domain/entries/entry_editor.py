"""Editing of an agent's working memory within a transition: its value, its records, its size and its events."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import immutables
import msgspec

from memoryd_server.domain.agent.part import Access, ChangeKey, Changes, Counts, Growth, Records
from memoryd_server.domain.agent.trace import without_traces
from memoryd_server.domain.agent.transition import Transition, changed_fields
from memoryd_server.domain.agent.user_removal import UserRemoval
from memoryd_server.domain.agents.agent import defaults_of
from memoryd_server.domain.entries.entry import ROOT, Entry, EntryDraft, entry_of
from memoryd_server.domain.entries.entry_subject import EntrySubject, ScopeSubject
from memoryd_server.domain.entries.reservation import Reservation
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.entries.working_memory import EMPTY_ENTRIES, ENTRY_OVERHEAD_BYTES, WorkingMemory
from memoryd_server.domain.error import QuotaExceeded
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.limit import DISPOSED_SCOPES_REMEMBERED_MAX, EXPIRED_ENTRIES_PER_SWEEP_MAX
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.deadline import earliest

if TYPE_CHECKING:
    from memoryd_server.domain.entries.working_memory_part import WorkingMemoryPart


class EntryEditor:
    """The editor of working memory; see ``domain.agent.part.Editor``.

    ``before`` is the value before the transition. ``scopes``, and the look-ups of this class, have the changes since.
    """

    __slots__ = (
        "_deadlines",
        "_disposed_scopes",
        "_dropped_scopes",
        "_entries",
        "_entry_count",
        "_leaving_bytes",
        "_leaving_count",
        "_reservation_deadlines",
        "_reservations",
        "_scope_deadlines",
        "_transition",
        "before",
        "part",
        "scopes",
    )

    def __init__(self, part: "WorkingMemoryPart", before: WorkingMemory, transition: Transition) -> None:
        self.part = part
        self.before = before
        self._transition = transition
        self._entries: dict[str, immutables.MapMutation[str, Entry]] = {}
        self._dropped_scopes: list[str] = []
        self.scopes = before.scopes
        self._disposed_scopes = before.disposed_scopes
        self._reservations = before.reservations
        self._deadlines = before.deadlines
        self._reservation_deadlines = before.reservation_deadlines
        self._scope_deadlines = before.scope_deadlines
        self._entry_count = before.entry_count
        self._leaving_count = 0
        self._leaving_bytes = 0

    @property
    def next_deadline(self) -> int | None:
        """The time at which the next entry, reservation or scope expires, after the changes so far."""
        return earliest(self._deadlines.first, self._reservation_deadlines.first, self._scope_deadlines.first)

    def finish(self) -> WorkingMemory:
        """Return the working memory after the transition."""
        before = self.before
        entries = before.entries
        for scope_id in self._dropped_scopes:
            # A scope that this transition created is not in ``entries`` yet.
            entries = entries.delete(scope_id) if scope_id in entries else entries
        for scope_id, pending in self._entries.items():
            # A scope may have pending entries after it was dropped: setting them would leave an empty map for it.
            if scope_id == ROOT or scope_id in self.scopes:
                entries = entries.set(scope_id, pending.finish())
        return WorkingMemory(
            before.agent_id,
            entries,
            self.scopes,
            self._disposed_scopes,
            self._reservations,
            self._deadlines,
            self._reservation_deadlines,
            self._entry_count,
            self._scope_deadlines,
        )

    def growth(self) -> Growth:
        """Return the growth of working memory within the transition."""
        before = self.before
        entries = self._entry_count - before.entry_count
        are_scopes_as_before = self.scopes is before.scopes and self._disposed_scopes is before.disposed_scopes
        if are_scopes_as_before and self._reservations is before.reservations:
            return entries, entries * ENTRY_OVERHEAD_BYTES
        scopes = len(self.scopes) + len(self._disposed_scopes) - len(before.scopes) - len(before.disposed_scopes)
        reservations = len(self._reservations) - len(before.reservations)
        return entries + scopes + reservations, entries * ENTRY_OVERHEAD_BYTES

    def expect_disposal(self, scope: Scope) -> None:
        """Stop counting a scope's live entries against the limits, since the command will dispose the scope."""
        for entry in self.before.live_entries(scope.scope_id, self._transition.now):
            self._leaving_count += 1
            self._leaving_bytes += entry.size_bytes

    def local_entry(self, scope_id: str, key: str) -> Entry | None:
        """Return the scope's own entry. An expired one is removed first, with its event."""
        pending = self._entries.get(scope_id)
        entries = self.before.entries.get(scope_id, EMPTY_ENTRIES) if pending is None else pending
        entry = entries.get(key)
        if entry is not None and entry.expire_time is not None and self._transition.now >= entry.expire_time:
            self.remove_entry(entry, EventCause.EXPIRY)
            return None
        return entry

    def set_entry(
        self,
        scope_id: str,
        draft: EntryDraft,
        new_id: str,
        cause: EventCause = EventCause.REQUEST,
        *,
        keeps_expiry: bool = False,
    ) -> tuple[Entry, bool]:
        """Upsert an entry; return it, and True if it replaced one. Raises QuotaExceeded.

        An entry that a request sets without an expiry gets the agent's default, unless it keeps that it never expires.
        """
        transition = self._transition
        if draft.expire_time is None and cause is EventCause.REQUEST and not keeps_expiry:
            ttl_ns = defaults_of(transition.state).entry_ttl_ns
            if ttl_ns is not None:
                draft = msgspec.structs.replace(draft, expire_time=transition.now + ttl_ns)
        previous = self.local_entry(scope_id, draft.key)
        entry = entry_of(draft, scope_id, new_id, transition.revision, transition.now, previous)
        self._check_size(entry, previous)
        self.put_entry(entry, previous)
        self._emit_entry(EventType.ENTRY_SET, cause, entry, entry, previous)
        if self._reservations and (scope_id, entry.key) in self._reservations:
            self.drop_reservation(scope_id, entry.key)
        return entry, previous is not None

    def put_entry(self, entry: Entry, previous: Entry | None) -> None:
        """Put an entry in place of ``previous``, without a check and without an event."""
        transition = self._transition
        self._mutable_entries(entry.scope_id)[entry.key] = entry
        transition.changes[ChangeKey("entry", f"{entry.scope_id}/{entry.key}")] = entry
        if previous is None:
            self._entry_count += 1
            transition.size_bytes += entry.size_bytes
        else:
            transition.size_bytes += entry.size_bytes - previous.size_bytes
            if previous.expire_time is not None:
                self._deadlines = self._deadlines.remove((entry.scope_id, entry.key), previous.expire_time)
        if entry.expire_time is not None:
            self._deadlines = self._deadlines.add((entry.scope_id, entry.key), entry.expire_time)
            transition.note_deadline(entry.expire_time)

    def remove_entry(self, entry: Entry, cause: EventCause) -> None:
        """Remove an existing entry, and emit its event."""
        self._drop_entry(entry)
        self._emit_entry(EventType.ENTRY_REMOVED, cause, entry, None, entry)

    def clear_entries(self, scope_id: str) -> int:
        """Remove all entries of a scope or of the root without an event, and return the number of live ones."""
        entries = self._current_entries(scope_id)
        cleared = 0
        for entry in entries.values():
            cleared += entry.is_live(self._transition.now)
            self._drop_entry(entry)
        for place in [place for place in self._reservations if place[0] == scope_id]:
            self.drop_reservation(*place)
        return cleared

    def create_scope(self, scope: Scope, cause: EventCause = EventCause.REQUEST) -> None:
        """Add an active scope, and emit its event."""
        self._put_active_scope(scope)
        subject = ScopeSubject(scope.scope_id, scope.name, scope.ancestors, scope=scope)
        self._transition.emit(EventType.SCOPE_CREATED, cause, subject)

    def renew_scope(self, scope_id: str) -> None:
        """Put off the end of a scope that is used, and of those above it."""
        for used in self.before.unrenewed(scope_id, self._transition.now):
            self._put_active_scope(used)

    def note_use(self, scope_id: str) -> None:
        """Renew the scope that a command used, as its last change. Alone, it keeps the revision: no event has it."""
        was_changed = self._transition.changed
        self.renew_scope(scope_id)
        if not was_changed:
            self._transition.keep_revision()

    def expire_scopes(self) -> int:
        """Dispose the scopes that have been unused for too long, with their descendants; return the number of all."""
        due = [self.scopes[scope_id] for scope_id in self._scope_deadlines.due(self._transition.now)]
        count = len(self.scopes)
        for scope in sorted(due, key=lambda each: len(each.ancestors)):
            if scope.scope_id in self.scopes:
                self.dispose_with_descendants(scope, EventCause.EXPIRY)
        return count - len(self.scopes)

    def dispose_with_descendants(self, scope: Scope, cause: EventCause) -> tuple[int, tuple[str, ...]]:
        """Dispose a scope after its descendants, the deepest first; return the number of live entries and the ids."""
        below = [each for each in self.before.descendants(scope.scope_id) if each.scope_id in self.scopes]
        cleared = sum([self.dispose_scope(each, EventCause.PARENT_DISPOSED) for each in below])
        cleared += self.dispose_scope(scope, cause)
        return cleared, (*(each.scope_id for each in below), scope.scope_id)

    def dispose_scope(self, scope: Scope, cause: EventCause) -> int:
        """Dispose one scope with its entries, and emit its event; return the number of its live entries."""
        scope_id = scope.scope_id
        cleared = self.clear_entries(scope_id)
        subject = ScopeSubject(scope_id, scope.name, scope.ancestors, cleared)
        self._transition.emit(EventType.SCOPE_DISPOSED, cause, subject, scope)
        ended = msgspec.structs.replace(scope, dispose_revision=self._transition.revision, expire_time=None)
        if self._transition.erases:
            ended = without_traces(ended)
        self._drop_scope(scope_id)
        self._disposed_scopes = self._disposed_scopes.set(scope_id, ended)
        self._transition.put("scope", scope_id, ended)
        if len(self._disposed_scopes) > DISPOSED_SCOPES_REMEMBERED_MAX:
            self._forget_oldest_disposed_scope()
        return cleared

    def erase_disposed(self, scope_ids: Iterable[str]) -> None:
        """Leave nothing but their ids of scopes that were disposed before, as far as they are remembered."""
        for scope_id in scope_ids:
            disposed = self._disposed_scopes.get(scope_id)
            if disposed is not None and disposed != (left := without_traces(disposed)):
                self._disposed_scopes = self._disposed_scopes.set(scope_id, left)
                self._transition.put("scope", scope_id, left)

    def emit_scope(self, event_type: EventType, cause: EventCause, scope_id: str, entries_cleared: int = 0) -> None:
        """Append an event about a scope or the root."""
        name, ancestors = self._name_and_ancestors(scope_id)
        self._transition.emit(event_type, cause, ScopeSubject(scope_id, name, ancestors, entries_cleared))

    def reservation(self, scope_id: str, key: str) -> Reservation | None:
        """Return the key's reservation, unless it has expired."""
        reservation = self._reservations.get((scope_id, key))
        return reservation if reservation is not None and reservation.is_live(self._transition.now) else None

    def check_room(self) -> None:
        """Raise QuotaExceeded unless the agent has room for one more entry, beside those that are reserved."""
        entries_max = self._transition.limits.entries_per_agent
        if self._entry_count + len(self._reservations) >= entries_max:
            self._expire(self._entry_count)
            if self._entry_count + len(self._reservations) >= entries_max:
                raise QuotaExceeded("entries_per_agent", entries_max)

    def put_reservation(self, reservation: Reservation) -> None:
        """Put a new or renewed reservation."""
        place = (reservation.scope_id, reservation.key)
        previous = self._reservations.get(place)
        if previous is not None:
            self._reservation_deadlines = self._reservation_deadlines.remove(place, previous.expire_time)
        self._reservations = self._reservations.set(place, reservation)
        self._reservation_deadlines = self._reservation_deadlines.add(place, reservation.expire_time)
        self._transition.note_deadline(reservation.expire_time)
        self._transition.put("reservation", "/".join(place), reservation)

    def drop_reservation(self, scope_id: str, key: str) -> None:
        """Remove an existing reservation."""
        place = (scope_id, key)
        self._reservation_deadlines = self._reservation_deadlines.remove(place, self._reservations[place].expire_time)
        self._reservations = self._reservations.delete(place)
        self._transition.put("reservation", f"{scope_id}/{key}", None)

    def clear(self, cause: EventCause) -> Counts:
        """Dispose all scopes and remove all entries; return the number of live entries and of scopes."""
        scopes = self.before.scopes_deepest_first()
        in_scopes = sum([self.dispose_scope(scope, cause) for scope in scopes])
        in_root = self.clear_entries(ROOT)
        if self._transition.erases:
            self.erase_disposed(self.before.disposed_scopes)
        if self._transition.changed:
            self.emit_scope(EventType.ENTRIES_CLEARED, EventCause.REQUEST, ROOT, entries_cleared=in_root)
        return {RecordKind.ENTRY: in_scopes + in_root, RecordKind.SCOPE: len(scopes)}

    def forget_user(self, removal: UserRemoval) -> Counts:
        """Remove a user's scopes with all that is in them, of any user, and the user's entries elsewhere."""
        entries = scopes = 0
        for scope in self.before.scopes_in_order():
            if scope.scope_id not in self.scopes or not removal.is_of(scope.user_id):
                continue
            inside = [each for each in self.before.descendants(scope.scope_id) if each.scope_id in self.scopes]
            held = sum(len(self._current_entries(each.scope_id)) for each in (*inside, scope))
            if not removal.takes(1 + len(inside) + held):
                break
            for each in (*inside, scope):
                entries += self._forget_scope(each)
                scopes += 1
        entries += self._forget_entries(removal)
        for scope in self._disposed_scopes.values():
            if removal.is_of(scope.user_id):
                self._disposed_scopes = self._disposed_scopes.delete(scope.scope_id)
                self._transition.put("scope", scope.scope_id, None)
        return {RecordKind.ENTRY: entries, RecordKind.SCOPE: scopes}

    def restore(self, image: Records) -> None:
        """Replace scopes and entries by those of a snapshot. Reservations end, and expired entries are left out."""
        for place in self.before.reservations:
            self.drop_reservation(*place)
        scopes = [scope for scope in image["scope"] if not scope.disposed]
        self._restore_scopes(scopes)
        wanted = {(each.scope_id, each.key): each for each in image["entry"] if each.is_live(self._transition.now)}
        for scope_id in (ROOT, *(scope.scope_id for scope in scopes)):
            for entry in self.before.entries.get(scope_id, EMPTY_ENTRIES).values():
                if (scope_id, entry.key) not in wanted:
                    self.remove_entry(entry, EventCause.RESTORE)
        for entry in wanted.values():
            self._restore_entry(entry)

    def replay(self, changes: Changes) -> None:
        """Put and delete the records of working memory among these changes, without checks and events."""
        own = [(change, record) for change, record in changes.items() if change.kind in self.part.records]
        # Apply deletions first: once a scope is put as disposed, there is no map to delete its entries from.
        for change, record in own:
            if record is None:
                self._replay_deletion(change.kind, change.key)
        for _, record in own:
            if isinstance(record, Entry):
                self.put_entry(record, self._mutable_entries(record.scope_id).get(record.key))
            elif isinstance(record, Reservation):
                self.put_reservation(record)
            elif isinstance(record, Scope):
                self._replay_scope(record)

    def sweep(self, rules: Any) -> dict[str, int]:
        """Dispose expired scopes, remove expired reservations and a bounded number of expired entries; count them."""
        return {"scopes": self.expire_scopes(), "entries": self._expire(EXPIRED_ENTRIES_PER_SWEEP_MAX)}

    def record_accesses(self, accesses: Sequence[Access]) -> None:
        """Add counted reads to the entries that still exist."""
        for access in accesses:
            scope_id, _, key = access.change.key.partition("/")
            entry = self.before.entries.get(scope_id, EMPTY_ENTRIES).get(key)
            if entry is not None and entry.entry_id == access.record_id:
                count = entry.access_count + access.count
                counted = msgspec.structs.replace(entry, access_count=count, last_access_time=access.last_time)
                self.put_entry(counted, entry)

    def _forget_scope(self, scope: Scope) -> int:
        """Remove one scope with its entries, without keeping its name; return the number of its live entries."""
        scope_id = scope.scope_id
        cleared = self.clear_entries(scope_id)
        self._drop_scope(scope_id)
        self._transition.put("scope", scope_id, None)
        subject = ScopeSubject(scope_id, "", scope.ancestors, cleared)
        self._transition.emit(EventType.SCOPE_DISPOSED, EventCause.USER_FORGOTTEN, subject, scope)
        return cleared

    def _forget_entries(self, removal: UserRemoval) -> int:
        """Remove entries of a user from the root and from all scopes; return the number of live ones."""
        forgotten = 0
        for scope_id in (ROOT, *self.scopes):
            for entry in self._current_entries(scope_id).values():
                if removal.is_of(entry.user_id):
                    if not removal.takes():
                        return forgotten
                    forgotten += entry.is_live(self._transition.now)
                    self.remove_entry(entry, EventCause.USER_FORGOTTEN)
        return forgotten

    def _emit_entry(
        self, event_type: EventType, cause: EventCause, place: Entry, entry: Entry | None, previous: Entry | None
    ) -> None:
        scope_id = place.scope_id
        name, ancestors = self._name_and_ancestors(scope_id) if scope_id else ("", ())
        subject = EntrySubject(scope_id, name, ancestors, place.key, entry)
        changed = () if previous is None else changed_fields(previous, entry)
        self._transition.emit(event_type, cause, subject, previous, changed)

    def _name_and_ancestors(self, scope_id: str) -> tuple[str, tuple[str, ...]]:
        scope = self.scopes.get(scope_id)
        return ("", ()) if scope is None else (scope.name, scope.ancestors)

    def _put_active_scope(self, scope: Scope) -> None:
        self._drop_scope_deadline(scope.scope_id)
        if scope.expire_time is not None:
            self._scope_deadlines = self._scope_deadlines.add(scope.scope_id, scope.expire_time)
            self._transition.note_deadline(scope.expire_time)
        self.scopes = self.scopes.set(scope.scope_id, scope)
        if scope.scope_id in self._disposed_scopes:
            self._disposed_scopes = self._disposed_scopes.delete(scope.scope_id)
        self._mutable_entries(scope.scope_id)
        self._transition.put("scope", scope.scope_id, scope)

    def _restore_scopes(self, scopes: Sequence[Scope]) -> None:
        kept = {scope.scope_id for scope in scopes}
        for scope in self.before.scopes_deepest_first():
            if scope.scope_id not in kept:
                self.dispose_scope(scope, EventCause.RESTORE)
        for scope in sorted(scopes, key=lambda each: (len(each.ancestors), each.revision)):
            if scope.scope_id in self.before.scopes:
                self.renew_scope(scope.scope_id)
            else:
                restored = msgspec.structs.replace(scope, revision=self._transition.revision)
                self.create_scope(restored.used(self._transition.now), EventCause.RESTORE)

    def _restore_entry(self, entry: Entry) -> None:
        previous = self.local_entry(entry.scope_id, entry.key)
        if previous is not None and previous.has_content_of(entry):
            return
        restored = msgspec.structs.replace(entry, revision=self._transition.revision)
        self.put_entry(restored, previous)
        self._emit_entry(EventType.ENTRY_SET, EventCause.RESTORE, restored, restored, previous)

    def _replay_deletion(self, kind: str, name: str) -> None:
        scope_id, _, key = name.partition("/")
        if kind == "entry":
            entry = self.before.entries.get(scope_id, EMPTY_ENTRIES).get(key)
            if entry is not None:
                self._drop_entry(entry)
        elif kind == "reservation":
            if (scope_id, key) in self._reservations:
                self.drop_reservation(scope_id, key)
        elif name in self.scopes:
            # The same commit disposed the scope and evicted it from the bounded set of disposed scopes.
            self._drop_scope(name)
            self._transition.put("scope", name, None)
        elif name in self._disposed_scopes:
            self._disposed_scopes = self._disposed_scopes.delete(name)
            self._transition.put("scope", name, None)

    def _replay_scope(self, scope: Scope) -> None:
        if not scope.disposed:
            self._put_active_scope(scope)
            return
        self._transition.put("scope", scope.scope_id, scope)
        self._disposed_scopes = self._disposed_scopes.set(scope.scope_id, scope)
        if scope.scope_id in self.scopes:
            self._drop_scope(scope.scope_id)

    def _expire(self, entries_max: int) -> int:
        """Remove at most ``entries_max`` expired entries, and all expired reservations; return the entries' number."""
        now = self._transition.now
        due = self._deadlines.due(now, entries_max)
        for scope_id, key in due:
            self.local_entry(scope_id, key)
        for place in self._reservation_deadlines.due(now):
            self.drop_reservation(*place)
        return len(due)

    def _mutable_entries(self, scope_id: str) -> "immutables.MapMutation[str, Entry]":
        pending = self._entries.get(scope_id)
        if pending is None:
            pending = self._entries[scope_id] = self.before.entries.get(scope_id, EMPTY_ENTRIES).mutate()
        return pending

    def _current_entries(self, scope_id: str) -> "immutables.Map[str, Entry]":
        # A mutation cannot be iterated: finish it, and continue with a new one.
        pending = self._entries.pop(scope_id, None)
        if pending is None:
            return self.before.entries.get(scope_id, EMPTY_ENTRIES)
        entries = pending.finish()
        self._entries[scope_id] = entries.mutate()
        return entries

    def _drop_scope_deadline(self, scope_id: str) -> None:
        scope = self.scopes.get(scope_id)
        if scope is not None and scope.expire_time is not None:
            self._scope_deadlines = self._scope_deadlines.remove(scope_id, scope.expire_time)

    def _drop_scope(self, scope_id: str) -> None:
        self._drop_scope_deadline(scope_id)
        self.scopes = self.scopes.delete(scope_id)
        self._dropped_scopes.append(scope_id)
        self._entries.pop(scope_id, None)

    def _drop_entry(self, entry: Entry) -> None:
        del self._mutable_entries(entry.scope_id)[entry.key]
        self._transition.put("entry", f"{entry.scope_id}/{entry.key}", None)
        self._entry_count -= 1
        self._transition.size_bytes -= entry.size_bytes
        if entry.expire_time is not None:
            self._deadlines = self._deadlines.remove((entry.scope_id, entry.key), entry.expire_time)

    def _check_size(self, entry: Entry, previous: Entry | None) -> None:
        transition, limits = self._transition, self._transition.limits
        if previous is None and self._entry_count - self._leaving_count >= limits.entries_per_agent:
            # Expired entries may still be stored: remove them before a live one is refused.
            self._expire(self._entry_count)
            if self._entry_count - self._leaving_count >= limits.entries_per_agent:
                raise QuotaExceeded("entries_per_agent", limits.entries_per_agent)
        growth = entry.size_bytes - (0 if previous is None else previous.size_bytes)
        if growth > 0 and transition.size_bytes - self._leaving_bytes + growth > limits.storage_bytes_per_agent:
            raise QuotaExceeded("storage_bytes_per_agent", limits.storage_bytes_per_agent)

    def _forget_oldest_disposed_scope(self) -> None:
        oldest = min(self._disposed_scopes.values(), key=lambda scope: (scope.dispose_revision or 0, scope.scope_id))
        self._disposed_scopes = self._disposed_scopes.delete(oldest.scope_id)
        self._transition.put("scope", oldest.scope_id, None)
