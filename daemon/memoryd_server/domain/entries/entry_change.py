"""How commands about entries are decided."""

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition, check_agent
from memoryd_server.domain.agent.result import RESULT_BYTES, Result
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.entries.entry import ROOT, Entry, EntryDraft
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import EntryExists, ReservationLost, RevisionMismatch
from memoryd_server.domain.event_type import EventCause, EventType


class EntrySet(Result, frozen=True, array_like=True, tag=True):
    """The result of SetEntry."""

    is_update: bool
    entry_id: str
    revision: int


class EntryFoundOrSet(Result, frozen=True, array_like=True, tag=True):
    """The result of GetOrSetEntry."""

    was_set: bool
    entry: Entry
    revision: int

    @property
    def memory_bytes(self) -> int:
        """The size of the entry counts, too."""
        return RESULT_BYTES + self.entry.size_bytes


class EntryRemoved(Result, frozen=True, array_like=True, tag=True):
    """The result of RemoveEntry."""

    removed: bool
    revision: int


class EntriesCleared(Result, frozen=True, array_like=True, tag=True):
    """The result of ClearEntries."""

    entries_cleared: int
    revision: int


class OperationResult(msgspec.Struct, frozen=True, array_like=True):
    """What one operation of WriteEntries met and made."""

    key: str
    existed: bool
    entry_id: str = ""


class EntriesWritten(Result, frozen=True, array_like=True, tag=True):
    """The result of WriteEntries."""

    results: tuple[OperationResult, ...]
    revision: int

    @property
    def memory_bytes(self) -> int:
        """Each operation counts as a result."""
        return RESULT_BYTES + sum(RESULT_BYTES + len(each.key) for each in self.results)


class SetEntry(Command[EntrySet], frozen=True):
    """Store a value in a scope. ``reservation_token`` is empty, or must be held."""

    scope_id: str
    draft: EntryDraft
    new_id: str
    reservation_token: str = ""
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> EntrySet:
        """Store a value.

        Raises ScopeDisposed, ScopeNotFound, EntryExists, RevisionMismatch, ReservationLost, LimitExceeded.
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
            check_entry(self.precondition, draft.key, working.local_entry(scope_id, draft.key))
        entry, is_update = working.set_entry(scope_id, draft, self.new_id)
        return EntrySet(is_update, entry.entry_id, transition.revision)


class GetOrSetEntry(Command[EntryFoundOrSet], frozen=True):
    """Find an entry, or store the draft."""

    scope_id: str
    draft: EntryDraft
    new_id: str
    local_only: bool = False

    def decide(self, transition: Transition) -> EntryFoundOrSet:
        """Find an entry, or store the draft. Raises ScopeDisposed, ScopeNotFound, LimitExceeded."""
        working = transition.open(WORKING_MEMORY)
        found = working.before.find(self.scope_id, self.draft.key, transition.now, local_only=self.local_only)
        if found is not None:
            return EntryFoundOrSet(False, found, transition.state.revision)
        entry, _ = working.set_entry(self.scope_id, self.draft, self.new_id)
        return EntryFoundOrSet(True, entry, transition.revision)


class RemoveEntry(Command[EntryRemoved], frozen=True):
    """Remove a key from a scope."""

    scope_id: str
    key: str
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> EntryRemoved:
        """Remove a key. Raises ScopeDisposed, ScopeNotFound, RevisionMismatch."""
        working = transition.open(WORKING_MEMORY)
        working.before.local_entries(self.scope_id)
        entry = working.local_entry(self.scope_id, self.key)
        check_entry(self.precondition, self.key, entry)
        if entry is not None:
            working.remove_entry(entry, EventCause.REQUEST)
        return EntryRemoved(entry is not None, transition.result_revision)


class ClearEntries(Command[EntriesCleared], frozen=True):
    """Remove all entries of a scope or of the root."""

    scope_id: str
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> EntriesCleared:
        """Remove all entries of a scope or of the root. Raises ScopeDisposed, ScopeNotFound, RevisionMismatch."""
        working = transition.open(WORKING_MEMORY)
        working.before.local_entries(self.scope_id)
        check_agent(self.precondition, transition)
        cleared = working.clear_entries(self.scope_id)
        if transition.changed:
            working.emit_scope(EventType.MEMORY_CLEARED, EventCause.REQUEST, self.scope_id, cleared)
        return EntriesCleared(cleared, transition.result_revision)


class SetOperation(msgspec.Struct, frozen=True):
    """A step of WriteEntries: store a value."""

    draft: EntryDraft
    precondition: Precondition | None = None


class RemoveOperation(msgspec.Struct, frozen=True):
    """A step of WriteEntries: remove a key."""

    key: str
    precondition: Precondition | None = None


class WriteEntries(Command[EntriesWritten], frozen=True):
    """Carry out all operations as one change. Each key is named at most once."""

    scope_id: str
    operations: tuple[SetOperation | RemoveOperation, ...]
    new_id: str

    def decide(self, transition: Transition) -> EntriesWritten:
        """Carry out all operations as one change.

        Raises ScopeDisposed, ScopeNotFound, EntryExists, RevisionMismatch, LimitExceeded; then nothing is changed.
        """
        working = transition.open(WORKING_MEMORY)
        scope_id = self.scope_id
        working.before.local_entries(scope_id)
        results = []
        for index, operation in enumerate(self.operations):
            key = operation.draft.key if isinstance(operation, SetOperation) else operation.key
            if operation.precondition is not None:
                check_entry(operation.precondition, key, working.local_entry(scope_id, key))
            if isinstance(operation, SetOperation):
                entry, is_update = working.set_entry(scope_id, operation.draft, f"{self.new_id}{index:03x}")
                results.append(OperationResult(key, is_update, entry.entry_id))
                continue
            previous = working.local_entry(scope_id, key)
            if previous is not None:
                working.remove_entry(previous, EventCause.REQUEST)
            results.append(OperationResult(key, previous is not None))
        return EntriesWritten(tuple(results), transition.result_revision)


def check_entry(precondition: Precondition | None, key: str, entry: Entry | None) -> None:
    """Raises EntryExists or RevisionMismatch unless the precondition holds for the entry."""
    if precondition is None:
        return
    if precondition.must_not_exist and entry is not None:
        raise EntryExists(key, entry.revision)
    actual = 0 if entry is None else entry.revision
    if precondition.expected_revision is not None and precondition.expected_revision != actual:
        raise RevisionMismatch(precondition.expected_revision, actual)
