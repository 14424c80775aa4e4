"""What changes an agent's collections on its way to the next state: the records, the size and the events."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar, cast

import immutables
import msgspec

from memoryd_server.domain.agent.collection import Collected, Collection
from memoryd_server.domain.agent.command import Precondition
from memoryd_server.domain.agent.event import CollectedRecord, EventCause, EventType
from memoryd_server.domain.agent.kind import KINDS, Kind, MemoryKind
from memoryd_server.domain.agent.transition import ChangeKey, Changes, RecordValue, Transition
from memoryd_server.domain.error import LimitExceeded, RecordNotFound, RevisionMismatch

R = TypeVar("R", bound=Collected)


def collection(transition: Transition, kind: Kind[R]) -> Collection[R]:
    """The records of a kind as the command has them so far."""
    return transition.collections.get(kind.name) or _EMPTY


def known(transition: Transition, kind: Kind[R], group: str, key: str, precondition: Precondition | None = None) -> R:
    """A record that is there. Raises RecordNotFound, and RevisionMismatch unless the precondition holds for it."""
    record = collection(transition, kind).find(group, key)
    if record is None:
        raise RecordNotFound(transition.state.agent_id, kind.name, key)
    check_revision(precondition, record.revision)
    return record


def check_revision(precondition: Precondition | None, revision: int) -> None:
    """Raises RevisionMismatch unless the precondition holds for a record of this revision; 0 is that of none."""
    expected = None if precondition is None else precondition.expected_revision
    if expected is not None and expected != revision:
        raise RevisionMismatch(expected, revision)


def put(transition: Transition, kind: Kind[R], record: R, cause: EventCause = EventCause.REQUEST) -> None:
    """Put a record in place of one of the same name, with its event. Raises LimitExceeded when there is no room."""
    size_bytes = transition.size_bytes
    before = _keep(transition, kind, record)
    if cause is not EventCause.RESTORE:
        _check_growth(transition, size_bytes)
    event_type = kind.created if before is None else kind.updated
    if event_type is not None:
        transition.tell(event_type, cause, record=cast("CollectedRecord", record))


def remove(transition: Transition, kind: Kind[R], record: R, cause: EventCause = EventCause.REQUEST) -> None:
    """Remove a record that is there, with its event."""
    remove_all(transition, kind, record.group, (record,), cause)


def remove_all(
    transition: Transition, kind: Kind[R], group: str, records: Sequence[R], cause: EventCause = EventCause.REQUEST
) -> None:
    """Remove records of a group, all of which are there, each with its event."""
    _drop(transition, kind, group, records)
    if kind.deleted is not None:
        for record in records:
            transition.tell(kind.deleted, cause, record=record.without_content())


def put_group(transition: Transition, kind: Kind[R], group: str, records: Iterable[R]) -> None:
    """Put records in place of all of their group, without an event: what they belong to tells of it.

    There is one at least. Raises LimitExceeded when there is no room.
    """
    size_bytes = transition.size_bytes
    by_key = {record.key: record for record in records}
    drop_group(transition, kind, group)
    before = collection(transition, kind)
    after = before.put_group(group, by_key)
    transition.collections = transition.collections.set(kind.name, after)
    for record in by_key.values():
        transition.changes[_name_of(kind, record)] = cast("RecordValue", record)
    transition.size_bytes += after.size_bytes - before.size_bytes
    _check_growth(transition, size_bytes)


def drop_group(transition: Transition, kind: Kind[R], group: str) -> None:
    """Remove all records of a group without an event: what they belong to tells of it."""
    _drop(transition, kind, group, list(collection(transition, kind).group(group).values()))


def clear(transition: Transition, memory_kind: MemoryKind, cause: EventCause) -> int:
    """Remove all records of a part of memory, with one event when there was any; answers how many."""
    cleared = 0
    for kind in KINDS.values():
        if kind.memory_kind is memory_kind:
            records = collection(transition, kind)
            cleared += len(records)
            for record in records:
                transition.changes[_name_of(kind, record)] = None
            transition.size_bytes -= records.size_bytes
            transition.collections = _without(transition, kind)
    if cleared:
        transition.tell(EventType.RECORDS_CLEARED, cause, memory_kind=int(memory_kind), record_count=cleared)
    return cleared


def restore(transition: Transition, wanted: Iterable[CollectedRecord]) -> None:
    """Replace all records by those of an image, telling each difference."""
    by_type: dict[type[object], dict[tuple[str, str], Collected]] = {kind.type: {} for kind in KINDS.values()}
    for each in wanted:
        by_type[type(each)][each.group, each.key] = each
    for kind in KINDS.values():
        records = by_type[kind.type]
        for stored in in_order(collection(transition, kind)):
            if (stored.group, stored.key) not in records:
                remove(transition, kind, stored, EventCause.RESTORE)
        for record in in_order(records.values()):
            before = collection(transition, kind).find(record.group, record.key)
            if before is None or not _is_stored_as(before, record):
                put(transition, kind, _at_revision(record, transition.revision), EventCause.RESTORE)


def replay(transition: Transition, changes: Changes) -> None:
    """Put and delete the collected records among these changes, which were decided elsewhere, without an event."""
    for change, value in changes.items():
        kind = KINDS.get(change.kind)
        if kind is None:
            continue
        group, _, key = change.key.rpartition("/")
        before = collection(transition, kind).find(group, key)
        if value is not None:
            _keep(transition, kind, cast("Collected", value))
        elif before is not None:
            _drop(transition, kind, group, (before,))


def in_order(records: Iterable[R]) -> Sequence[R]:
    """Records in the order of their creation."""
    return sorted(records, key=lambda each: (each.create_time, each.group, each.key))


_EMPTY: Collection[Any] = Collection()


def _check_growth(transition: Transition, size_bytes_before: int) -> None:
    size_bytes_max = transition.limits.storage_bytes_per_agent
    if size_bytes_before < transition.size_bytes > size_bytes_max:
        raise LimitExceeded("storage_bytes_per_agent", size_bytes_max)


def _keep(transition: Transition, kind: Kind[R], record: R) -> R | None:
    """Answers what was there before."""
    records = collection(transition, kind)
    before = records.find(record.group, record.key)
    transition.collections = transition.collections.set(kind.name, records.put(record))
    transition.changes[_name_of(kind, record)] = cast("RecordValue", record)
    transition.size_bytes += record.size_bytes - (0 if before is None else before.size_bytes)
    return before


def _drop(transition: Transition, kind: Kind[R], group: str, records: Sequence[R]) -> None:
    if not records:
        return
    left = collection(transition, kind).remove(group, records)
    transition.collections = transition.collections.set(kind.name, left) if left else _without(transition, kind)
    for record in records:
        transition.changes[_name_of(kind, record)] = None
        transition.size_bytes -= record.size_bytes


def _without(transition: Transition, kind: Kind[R]) -> immutables.Map[str, Collection[Any]]:
    there = kind.name in transition.collections
    return transition.collections.delete(kind.name) if there else transition.collections


def _name_of(kind: Kind[R], record: R) -> ChangeKey:
    return ChangeKey(kind.name, f"{record.group}/{record.key}")


def _is_stored_as(record: Collected, other: Collected) -> bool:
    """Whether both are the same record, whichever revision wrote them."""
    return record == _at_revision(other, record.revision)


def _at_revision(record: R, revision: int) -> R:
    return cast("R", msgspec.structs.replace(cast("CollectedRecord", record), revision=revision))
