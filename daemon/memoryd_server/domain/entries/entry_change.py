"""Commands that read, set and remove entries."""

from typing import Any

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition, check_record
from memoryd_server.domain.agent.result import RESULT_BYTES, Result
from memoryd_server.domain.agent.trace import RecordPath
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.entries.entry import ROOT, Entry, EntryDraft
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import ReservationLost
from memoryd_server.domain.event_type import EventCause, EventType


class EntrySet(Result, frozen=True, array_like=True, tag=True):
    """The result of SetEntry."""

    created: bool
    entry: Entry
    revision: int

    @property
    def remembered(self) -> "EntrySet":
        """The result without the content of its entry, which the request has."""
        return EntrySet(self.created, self.entry.without_content, self.revision)


class EntryFoundOrSet(Result, frozen=True, array_like=True, tag=True):
    """The result of GetOrSetEntry."""

    created: bool
    entry: Entry
    revision: int

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, which includes the entry."""
        return RESULT_BYTES + self.entry.size_bytes


class EntryRemoved(Result, frozen=True, array_like=True, tag=True):
    """The result of RemoveEntry."""

    deleted: bool
    revision: int


class EntriesCleared(Result, frozen=True, array_like=True, tag=True):
    """The result of ClearEntries."""

    cleared_entry_count: int
    revision: int


class OperationResult(msgspec.Struct, frozen=True, array_like=True):
    """The outcome of one operation of WriteEntries. ``entry_id`` is empty for a removal."""

    key: str
    entry_id: str = ""
    created: bool = False
    deleted: bool = False


class EntriesWritten(Result, frozen=True, array_like=True, tag=True):
    """The result of WriteEntries."""

    results: tuple[OperationResult, ...]
    revision: int

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, where each operation counts as a result."""
        return RESULT_BYTES * (1 + len(self.results)) + sum([len(each.key) for each in self.results])


class SetEntry(Command[EntrySet], frozen=True):
    """Upsert an entry of a scope. A ``reservation_token`` that is not empty must hold the key's reservation.

    ``kept`` are the fields of the draft that an entry which it replaces passes on.
    """

    scope_id: str
    draft: EntryDraft
    new_id: str
    reservation_token: str = ""
    precondition: Precondition | None = None
    kept: tuple[str, ...] = ()

    def decide(self, transition: Transition) -> EntrySet:
        """Upsert an entry.

        Raises ScopeDisposed, RecordNotFound, RecordExists, RevisionMismatch, ReservationLost, QuotaExceeded.
        """
        working = transition.open(WORKING_MEMORY)
        scope_id, draft = self.scope_id, self.draft
        if scope_id != ROOT:
            working.before.scope(scope_id)
        if self.reservation_token:
            reservation = working.reservation(scope_id, draft.key)
            if reservation is None or reservation.token != self.reservation_token:
                raise ReservationLost(draft.key)
        if self.precondition is not None:
            check_entry(self.precondition, transition, scope_id, draft.key, working.local_entry(scope_id, draft.key))
        previous = working.local_entry(scope_id, draft.key) if self.kept else None
        if previous is None:
            entry, is_update = working.set_entry(scope_id, draft, self.new_id)
        else:
            draft = draft.keeping(previous, self.kept)
            keeps_expiry = "expire_time" in self.kept
            entry, is_update = working.set_entry(scope_id, draft, self.new_id, keeps_expiry=keeps_expiry)
        if scope_id != ROOT:
            working.renew_scope(scope_id)
        return EntrySet(not is_update, entry, transition.revision)


class GetOrSetEntry(Command[EntryFoundOrSet], frozen=True):
    """Return the entry of a key, or store the draft if there is none."""

    scope_id: str
    draft: EntryDraft
    new_id: str
    local_only: bool = False

    def decide(self, transition: Transition) -> EntryFoundOrSet:
        """Return the entry, or store the draft. Raises ScopeDisposed, RecordNotFound, QuotaExceeded."""
        working = transition.open(WORKING_MEMORY)
        found = working.before.find(self.scope_id, self.draft.key, transition.now, local_only=self.local_only)
        if found is not None:
            working.note_use(self.scope_id)
            return EntryFoundOrSet(False, found, transition.state.revision)
        entry, _ = working.set_entry(self.scope_id, self.draft, self.new_id)
        working.renew_scope(self.scope_id)
        return EntryFoundOrSet(True, entry, transition.revision)


class RemoveEntry(Command[EntryRemoved], frozen=True):
    """Remove a key's entry from a scope, if it exists."""

    scope_id: str
    key: str
    precondition: Precondition | None = None

    def removed_paths(self, result: Any) -> tuple[RecordPath, ...]:
        """Return the entry."""
        return (("entry", self.scope_id, self.key),)

    def decide(self, transition: Transition) -> EntryRemoved:
        """Remove the entry, if it exists. Raises ScopeDisposed, RecordNotFound, RevisionMismatch."""
        working = transition.open(WORKING_MEMORY)
        working.before.local_entries(self.scope_id)
        entry = working.local_entry(self.scope_id, self.key)
        check_entry(self.precondition, transition, self.scope_id, self.key, entry)
        if entry is not None:
            working.remove_entry(entry, EventCause.REQUEST)
        working.note_use(self.scope_id)
        return EntryRemoved(entry is not None, transition.result_revision)


class ClearEntries(Command[EntriesCleared], frozen=True):
    """Remove all entries of a scope or of the root."""

    scope_id: str

    def removed_paths(self, result: Any) -> tuple[RecordPath, ...]:
        """Return the entries of the scope."""
        return (("entry", self.scope_id),)

    def decide(self, transition: Transition) -> EntriesCleared:
        """Remove all entries of a scope or of the root. Raises ScopeDisposed, RecordNotFound."""
        working = transition.open(WORKING_MEMORY)
        working.before.local_entries(self.scope_id)
        cleared = working.clear_entries(self.scope_id)
        if transition.changed:
            working.emit_scope(EventType.ENTRIES_CLEARED, EventCause.REQUEST, self.scope_id, cleared)
        working.note_use(self.scope_id)
        return EntriesCleared(cleared, transition.result_revision)


class SetOperation(msgspec.Struct, frozen=True):
    """An operation of WriteEntries that upserts an entry."""

    draft: EntryDraft
    precondition: Precondition | None = None

    @property
    def key(self) -> str:
        """The key of the entry."""
        return self.draft.key


class RemoveOperation(msgspec.Struct, frozen=True):
    """An operation of WriteEntries that removes a key's entry."""

    key: str
    precondition: Precondition | None = None


class WriteEntries(Command[EntriesWritten], frozen=True):
    """Apply all operations as one change, or none of them. Each key occurs at most once."""

    scope_id: str
    operations: tuple[SetOperation | RemoveOperation, ...]
    new_id: str

    def removed_paths(self, result: Any) -> tuple[RecordPath, ...]:
        """Return the entries that are to be removed."""
        return tuple(
            ("entry", self.scope_id, each.key) for each in self.operations if isinstance(each, RemoveOperation)
        )

    def decide(self, transition: Transition) -> EntriesWritten:
        """Apply all operations.

        Raises ScopeDisposed, RecordNotFound, RecordExists, RevisionMismatch, QuotaExceeded; nothing is changed then.
        """
        working = transition.open(WORKING_MEMORY)
        scope_id = self.scope_id
        working.before.local_entries(scope_id)
        results = []
        for index, operation in enumerate(self.operations):
            key = operation.key
            if operation.precondition is not None:
                check_entry(operation.precondition, transition, scope_id, key, working.local_entry(scope_id, key))
            if isinstance(operation, SetOperation):
                entry, is_update = working.set_entry(scope_id, operation.draft, f"{self.new_id}{index:03x}")
                results.append(OperationResult(key, entry.entry_id, created=not is_update))
                continue
            previous = working.local_entry(scope_id, key)
            if previous is not None:
                working.remove_entry(previous, EventCause.REQUEST)
            results.append(OperationResult(key, deleted=previous is not None))
        working.note_use(scope_id)
        return EntriesWritten(tuple(results), transition.result_revision)


def check_entry(
    precondition: Precondition | None, transition: Transition, scope_id: str, key: str, entry: Entry | None
) -> None:
    """Raise RecordExists, RecordNotFound or RevisionMismatch unless the precondition holds for the entry."""
    if precondition is not None:
        revision = 0 if entry is None else entry.revision
        check_record(precondition, transition.state.agent_id, "entry", key, revision, scope_id=scope_id)
