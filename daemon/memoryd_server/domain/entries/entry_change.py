"""How commands about entries are decided."""

from memoryd_server.domain.agent.command import (
    ClearEntries,
    GetOrSetEntry,
    Precondition,
    RemoveEntry,
    SetEntry,
    SetOperation,
    WriteEntries,
)
from memoryd_server.domain.agent.event import EventCause, EventType
from memoryd_server.domain.agent.result import (
    EntriesCleared,
    EntriesWritten,
    EntryFoundOrSet,
    EntryRemoved,
    EntrySet,
    OperationResult,
)
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.entries.entry import Entry
from memoryd_server.domain.error import EntryExists, ReservationLost, RevisionMismatch


def check_entry(precondition: Precondition | None, key: str, entry: Entry | None) -> None:
    """Raises EntryExists or RevisionMismatch unless the precondition holds for the entry."""
    if precondition is None:
        return
    if precondition.must_not_exist and entry is not None:
        raise EntryExists(key, entry.revision)
    actual = 0 if entry is None else entry.revision
    if precondition.expected_revision is not None and precondition.expected_revision != actual:
        raise RevisionMismatch(precondition.expected_revision, actual)


def check_agent(precondition: Precondition | None, transition: Transition) -> None:
    """Raises RevisionMismatch unless the precondition holds for the agent's revision."""
    if precondition is None or precondition.expected_revision is None:
        return
    if precondition.expected_revision != transition.state.revision:
        raise RevisionMismatch(precondition.expected_revision, transition.state.revision)


def set_entry(command: SetEntry, transition: Transition) -> EntrySet:
    """Store a value.

    Raises ScopeDisposed, ScopeNotFound, EntryExists, RevisionMismatch, ReservationLost, LimitExceeded.
    """
    scope_id, draft = command.scope_id, command.draft
    transition.state.local_entries(scope_id)
    if command.reservation_token:
        reservation = transition.reservation(scope_id, draft.key)
        if reservation is None or reservation.token != command.reservation_token:
            raise ReservationLost(draft.key)
    if command.precondition is not None:
        check_entry(command.precondition, draft.key, transition.local_entry(scope_id, draft.key))
    entry, is_update = transition.set_entry(scope_id, draft, command.new_id)
    return EntrySet(is_update, entry.entry_id, transition.revision)


def get_or_set_entry(command: GetOrSetEntry, transition: Transition) -> EntryFoundOrSet:
    """Find an entry, or store the draft. Raises ScopeDisposed, ScopeNotFound, LimitExceeded."""
    state = transition.state
    found = state.find(command.scope_id, command.draft.key, transition.now, local_only=command.local_only)
    if found is not None:
        return EntryFoundOrSet(False, found, state.revision)
    entry, _ = transition.set_entry(command.scope_id, command.draft, command.new_id)
    return EntryFoundOrSet(True, entry, transition.revision)


def remove_entry(command: RemoveEntry, transition: Transition) -> EntryRemoved:
    """Remove a key. Raises ScopeDisposed, ScopeNotFound, RevisionMismatch."""
    transition.state.local_entries(command.scope_id)
    entry = transition.local_entry(command.scope_id, command.key)
    check_entry(command.precondition, command.key, entry)
    if entry is not None:
        transition.remove_entry(entry, EventCause.REQUEST)
    return EntryRemoved(entry is not None, transition.result_revision)


def clear_entries(command: ClearEntries, transition: Transition) -> EntriesCleared:
    """Remove all entries of a scope or of the root. Raises ScopeDisposed, ScopeNotFound, RevisionMismatch."""
    transition.state.local_entries(command.scope_id)
    check_agent(command.precondition, transition)
    cleared = transition.clear_entries(command.scope_id)
    if transition.changed:
        transition.tell(EventType.MEMORY_CLEARED, EventCause.REQUEST, command.scope_id, entries_cleared=cleared)
    return EntriesCleared(cleared, transition.result_revision)


def write_entries(command: WriteEntries, transition: Transition) -> EntriesWritten:
    """Carry out all operations as one change.

    Raises ScopeDisposed, ScopeNotFound, EntryExists, RevisionMismatch, LimitExceeded; then nothing is changed.
    """
    scope_id = command.scope_id
    transition.state.local_entries(scope_id)
    results = []
    for index, operation in enumerate(command.operations):
        key = operation.draft.key if isinstance(operation, SetOperation) else operation.key
        if operation.precondition is not None:
            check_entry(operation.precondition, key, transition.local_entry(scope_id, key))
        if isinstance(operation, SetOperation):
            entry, is_update = transition.set_entry(scope_id, operation.draft, f"{command.new_id}{index:03x}")
            results.append(OperationResult(key, is_update, entry.entry_id))
            continue
        previous = transition.local_entry(scope_id, key)
        if previous is not None:
            transition.remove_entry(previous, EventCause.REQUEST)
        results.append(OperationResult(key, previous is not None))
    return EntriesWritten(tuple(results), transition.result_revision)
