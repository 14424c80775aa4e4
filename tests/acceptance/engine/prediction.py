"""The result of each command by the model: a dictionary of the fields that are guaranteed."""

from collections.abc import Callable
from typing import Any

from tests.acceptance.engine.model import ROOT, Change, Image, Refused, Scope

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.entries.entry import EntryDraft
from memoryd_server.domain.entries.entry_change import (
    ClearEntries,
    GetOrSetEntry,
    RemoveEntry,
    SetEntry,
    SetOperation,
    WriteEntries,
)
from memoryd_server.domain.entries.reservation_change import ReleaseReservation, RenewReservation, ReserveEntry
from memoryd_server.domain.entries.scope_change import CreateScope, DisposeScope, MergeScope
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, EndAgent, ExpireRecords
from memoryd_server.domain.record_kind import RecordKind

Prediction = dict[str, object]


def predict(command: Command, precondition: Precondition | None, change: Change) -> Prediction:
    """Run the command on the model and return the fields of its result. Raises Refused.

    ``precondition`` must hold for the agent.
    """
    change.check_agent(precondition)
    prediction = _PREDICTIONS[type(command)](command, change)
    ended = isinstance(command, EndAgent)
    prediction["revision"] = change.agent.revision + (change.changed and not ended)
    return prediction


def _set_entry(command: SetEntry, change: Change) -> Prediction:
    change.agent.check_scope(command.scope_id)
    if command.reservation_token and change.held(command.scope_id, command.draft.key) != command.reservation_token:
        raise Refused("ReservationLost")
    change.check_entry(command.precondition, change.local(command.scope_id, command.draft.key))
    _, is_update = change.put(command.scope_id, command.draft, command.new_id)
    return {"created": not is_update}


def _get_or_set(command: GetOrSetEntry, change: Change) -> Prediction:
    found = change.agent.find(command.scope_id, command.draft.key, change.now, local_only=command.local_only)
    if found is None:
        change.put(command.scope_id, command.draft, command.new_id)
    return {"created": found is None}


def _reserve(command: ReserveEntry, change: Change) -> Prediction:
    if change.agent.find(command.scope_id, command.key, change.now, local_only=command.local_only) is not None:
        return {"held_by_caller": False, "reservation": None}
    if change.held(command.scope_id, command.key) is not None:
        return {"held_by_caller": False}
    change.agent.reservations[command.scope_id, command.key] = (command.new_token, change.now + command.lease_ns)
    change.changed = True
    return {"held_by_caller": True, "entry": None}


def _check_held(command: RenewReservation | ReleaseReservation, change: Change) -> None:
    change.agent.check_scope(command.scope_id)
    if change.held(command.scope_id, command.key) != command.token:
        raise Refused("ReservationLost")
    change.changed = True


def _renew(command: RenewReservation, change: Change) -> Prediction:
    _check_held(command, change)
    change.agent.reservations[command.scope_id, command.key] = (command.token, change.now + command.lease_ns)
    return {"held_by_caller": True}


def _release(command: ReleaseReservation, change: Change) -> Prediction:
    _check_held(command, change)
    del change.agent.reservations[command.scope_id, command.key]
    return {}


def _remove(command: RemoveEntry, change: Change) -> Prediction:
    change.agent.check_scope(command.scope_id)
    entry = change.local(command.scope_id, command.key)
    change.check_entry(command.precondition, entry)
    if entry is not None:
        change.drop((command.scope_id, command.key))
    return {"deleted": entry is not None}


def _clear_entries(command: ClearEntries, change: Change) -> Prediction:
    change.agent.check_scope(command.scope_id)
    return {"cleared_entry_count": change.clear(command.scope_id)}


def _write(command: WriteEntries, change: Change) -> Prediction:
    change.agent.check_scope(command.scope_id)
    for operation in command.operations:
        key = operation.draft.key if isinstance(operation, SetOperation) else operation.key
        entry = change.local(command.scope_id, key)
        change.check_entry(operation.precondition, entry)
        if isinstance(operation, SetOperation):
            change.put(command.scope_id, operation.draft, f"{command.new_id}/{key}")
        elif entry is not None:
            change.drop((command.scope_id, key))
    return {}


def _create_scope(command: CreateScope, change: Change) -> Prediction:
    agent, parent = change.agent, command.parent_scope_id
    agent.check_scope(parent)
    ancestors = () if parent == ROOT else (parent, *agent.scopes[parent].ancestors)
    change.check_scope(command.precondition, command.name, ancestors)
    if len(agent.scopes) >= change.scopes_max:
        raise Refused("QuotaExceeded")
    agent.scopes[command.new_id] = Scope(command.name, ancestors, change.next_revision)
    change.changed = True
    return {}


def _need_scope(scope_id: str, change: Change) -> None:
    if scope_id == ROOT:
        raise Refused("RecordNotFound")
    change.agent.check_scope(scope_id)


def _merge(command: MergeScope, change: Change) -> Prediction:
    _need_scope(command.scope_id, change)
    agent, scope_id = change.agent, command.scope_id
    ending = [scope_id, *change.below(scope_id)] if command.dispose else []
    live = {place: entry for place, entry in agent.entries.items() if entry.is_live(change.now)}
    leaving = sum(place[0] in ending for place in live)
    parent = (*agent.scopes[scope_id].ancestors, ROOT)[0]
    merged = 0
    for (each, key), entry in live.items():
        if each == scope_id and (command.overwrite or change.local(parent, key) is None):
            draft = EntryDraft(key, entry.value, 0, expire_time=entry.expire_time)
            change.put(parent, draft, f"{command.new_id}/{key}", leaving)
            merged += 1
    for each in ending:
        change.dispose(each)
    return {"merged_entry_count": merged}


def _dispose(command: DisposeScope, change: Change) -> Prediction:
    if command.scope_id in change.agent.disposed:
        return {"deleted": False, "cleared_entry_count": 0}
    _need_scope(command.scope_id, change)
    ending = [command.scope_id, *change.below(command.scope_id)]
    return {"deleted": True, "cleared_entry_count": sum(change.dispose(each) for each in ending)}


def _clear_agent(command: ClearAgent, change: Change) -> Prediction:
    ending = list(change.agent.scopes)
    cleared = sum(change.dispose(each) for each in ending) + change.clear(ROOT)
    return {"counts": _removed(cleared, len(ending))}


def _end_agent(command: EndAgent, change: Change) -> Prediction:
    agent = change.agent
    if not agent.exists:
        return {"counts": {}, "deleted": False}
    cleared = sum(entry.is_live(change.now) for entry in agent.entries.values())
    prediction: Prediction = {"counts": _removed(cleared, len(agent.scopes)), "deleted": True}
    change.agent = type(agent)(revision=agent.revision + 1)
    return prediction


def restore(image: Image, change: Change) -> None:
    """Restore the model's agent from an image."""
    agent = change.agent
    change.changed = True
    agent.reservations = {}
    for scope_id in [each for each in agent.scopes if each not in image.scopes]:
        change.dispose(scope_id)
    agent.scopes = {
        each: agent.scopes.get(each) or scope._replace(revision=change.next_revision)
        for each, scope in image.scopes.items()
    }
    agent.disposed -= set(image.scopes)
    wanted = {place: entry for place, entry in image.entries.items() if entry.is_live(change.now)}
    restored = {}
    for place, entry in wanted.items():
        current = change.local(*place)
        if current is None or not current.has_content_of(entry):
            current = type(entry)(entry.value, entry.entry_id, entry.expire_time, change.next_revision, None)
        restored[place] = current
    agent.entries = restored


def _expire(_: ExpireRecords, change: Change) -> Prediction:
    return {"counts": _counts(entries=change.expire())}


def _removed(entries: int, scopes: int) -> dict[RecordKind, int]:
    counts = {RecordKind.ENTRY: entries, RecordKind.SCOPE: scopes}
    return {kind: count for kind, count in counts.items() if count}


def _counts(**counts: int) -> dict[str, int]:
    """Return the counts that a result reports: those that are not 0."""
    return {name: count for name, count in counts.items() if count}


_PREDICTIONS: dict[type, Callable[[Any, Change], Prediction]] = {
    SetEntry: _set_entry,
    GetOrSetEntry: _get_or_set,
    ReserveEntry: _reserve,
    RenewReservation: _renew,
    ReleaseReservation: _release,
    RemoveEntry: _remove,
    ClearEntries: _clear_entries,
    WriteEntries: _write,
    CreateScope: _create_scope,
    MergeScope: _merge,
    DisposeScope: _dispose,
    ClearAgent: _clear_agent,
    EndAgent: _end_agent,
    ExpireRecords: _expire,
}
