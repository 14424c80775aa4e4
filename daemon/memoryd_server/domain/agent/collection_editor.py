"""Editing of a collection within a transition: its value, its records, its size and its events."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from memoryd_server.domain.agent.collection import Collected, Collection, in_order
from memoryd_server.domain.agent.part import Access, Changes, Counts, Growth, Records
from memoryd_server.domain.agent.precondition import Precondition, check_record
from memoryd_server.domain.agent.trace import without_traces
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.agent.user_removal import UserRemoval
from memoryd_server.domain.error import QuotaExceeded, RecordNotFound
from memoryd_server.domain.event_type import EventCause
from memoryd_server.domain.record_kind import RecordKind

if TYPE_CHECKING:
    from memoryd_server.domain.agent.collection_part import CollectionPart

R = TypeVar("R", bound=Collected)


class CollectionEditor(Generic[R]):
    """An editor of one collection; see ``domain.agent.part.Editor``. ``records`` is the collection so far."""

    __slots__ = ("_transition", "before", "part", "records")

    def __init__(self, part: "CollectionPart[R]", before: Collection[R], transition: Transition) -> None:
        self.part = part
        self.before = before
        self.records = before
        self._transition = transition

    @property
    def next_deadline(self) -> None:
        """Always None: the records of collections do not expire."""
        return

    def finish(self) -> Collection[R]:
        """Return the collection after the transition."""
        return self.records

    def growth(self) -> Growth:
        """Return the growth of the part within the transition."""
        part, before, after = self.part, self.before, self.records
        memory_bytes = part.memory_bytes(after) - part.memory_bytes(before)
        return after.record_count - before.record_count, memory_bytes

    def found(self, group: str, key: str, precondition: Precondition | None = None) -> R | None:
        """Return a record, or None if it is missing. Raises what ``check_record`` raises."""
        record = self.records.find(group, key)
        revision = 0 if record is None else record.revision
        agent_id = self._transition.state.agent_id
        record_id, place = self.part.record_id(group, key), self.part.place(group)
        check_record(precondition, agent_id, self.part.name, record_id, revision, **place)
        return record

    def existing(self, group: str, key: str, precondition: Precondition | None = None) -> R:
        """Return a record. Raises RecordNotFound if it is missing, and what ``check_record`` raises."""
        record = self.records.find(group, key)
        agent_id, record_id = self._transition.state.agent_id, self.part.record_id(group, key)
        if record is None:
            raise RecordNotFound(agent_id, self.part.name, record_id, **self.part.place(group))
        check_record(precondition, agent_id, self.part.name, record_id, record.revision, **self.part.place(group))
        return record

    def put(self, record: R, cause: EventCause = EventCause.REQUEST, *, emits: bool = True) -> None:
        """Put a record, which may replace one of the same name, and emit its event. Raises QuotaExceeded.

        If ``emits`` is false, there is no event, since those of other records imply the change.
        """
        before = self._keep_checked(record, cause)
        if emits:
            self._emit_put(before, record, cause)

    def remove(self, record: R, cause: EventCause = EventCause.REQUEST) -> None:
        """Remove an existing record, and emit its event."""
        self.remove_all(record.group, (record,), cause)

    def remove_all(self, group: str, records: Sequence[R], cause: EventCause = EventCause.REQUEST) -> None:
        """Remove existing records of a group, and emit an event for each."""
        self._drop(group, records)
        if self.part.deleted is not None:
            erases = self._transition.erases
            for record in records:
                left = without_traces(record) if erases else record.without_content()
                self._transition.emit(self.part.deleted, cause, left, record)

    def put_group(self, group: str, records: Iterable[R]) -> None:
        """Replace all records of a group without an event, since the record that owns the group has one.

        There must be at least one record. Raises QuotaExceeded.
        """
        size_bytes = self._transition.size_bytes
        by_key = {record.key: record for record in records}
        self.drop_group(group)
        before = self.records
        self.records = before.put_group(group, by_key)
        for key, record in by_key.items():
            self._transition.put(self.part.name, f"{group}/{key}", record)
        self._transition.size_bytes += self.records.size_bytes - before.size_bytes
        self._check_growth(size_bytes)

    def drop_group(self, group: str) -> None:
        """Remove all records of a group without an event, since the record that owns the group has one."""
        self._drop(group, list(self.records.group(group).values()))

    def clear(self, cause: EventCause) -> Counts:
        """Remove all records without an event, since the machine emits one for all collections of the kind."""
        cleared = self.part.counts(self.records)
        if len(self.records):
            for record in self.records:
                self._note(record, None)
            self._transition.size_bytes -= self.records.size_bytes
            self.records = Collection()
        return cleared

    def forget_user(self, removal: UserRemoval) -> Counts:
        """Remove records of a user, with those that belong to them; see ``Editor``."""
        counts: Counter[RecordKind] = Counter()
        for record in [each for each in self.records if removal.is_of(getattr(each, "user_id", ""))]:
            if not removal.takes(self.owned_count(record)):
                break
            counts.update(self.forget_owned(record))
            counts.update(self.forget(record))
        return dict(counts)

    def owned_count(self, record: R) -> int:
        """Return the number of records that are removed with a record, itself included."""
        return record.record_count

    def forget_owned(self, record: R) -> Counts:
        """Remove what other parts have of the record of a forgotten user, and return the number of records."""
        return {}

    def forget(self, record: R) -> Counts:
        """Remove the record of a forgotten user, and emit an event that has nothing of it but its ids.

        Return the number of records: the record itself, and those that it contains.
        """
        assert self.part.deleted is not None, "records that have a user have an event of their end"
        self._drop(record.group, (record,))
        self._transition.emit(self.part.deleted, EventCause.USER_FORGOTTEN, without_traces(record), record)
        return self.part.counts((record,))

    def restore(self, image: Records) -> None:
        """Replace all records by those of a snapshot, and emit an event for each difference."""
        wanted: dict[tuple[str, str], R] = {(each.group, each.key): each for each in image[self.part.name]}
        for stored in in_order(self.records):
            if (stored.group, stored.key) not in wanted:
                self.remove(stored, EventCause.RESTORE)
        for record in in_order(wanted.values()):
            before = self.records.find(record.group, record.key)
            if before is None or before.at_revision(0) != record.at_revision(0):
                self.put(record.at_revision(self._transition.revision), EventCause.RESTORE)

    def replay(self, changes: Changes) -> None:
        """Put and delete the records that another daemon's commit changed, without checks and events."""
        for change, record in changes.items():
            if change.kind != self.part.name:
                continue
            group, _, key = change.key.rpartition("/")
            before = self.records.find(group, key)
            if record is not None:
                self._keep(record)
            elif before is not None:
                self._drop(group, (before,))

    def sweep(self, rules: Any) -> dict[str, int]:
        """Return nothing: records of collections do not expire."""
        return {}

    def record_accesses(self, accesses: Sequence[Access]) -> None:
        """Do nothing: reads of collections are not counted."""

    def _check_growth(self, size_bytes_before: int) -> None:
        # An agent above a lowered limit may still shrink and rewrite records; only growth is refused.
        size_bytes_max = self._transition.limits.storage_bytes_per_agent
        if size_bytes_before < self._transition.size_bytes > size_bytes_max:
            raise QuotaExceeded("storage_bytes_per_agent", size_bytes_max)

    def _keep_checked(self, record: R, cause: EventCause) -> R | None:
        """Put a record without an event, and return the one that it replaces. Raises QuotaExceeded."""
        size_bytes = self._transition.size_bytes
        before = self._keep(record)
        if cause is not EventCause.RESTORE:
            self._check_growth(size_bytes)
        return before

    def _emit_put(self, before: R | None, after: R, cause: EventCause) -> None:
        event_type = self.part.created if before is None else self.part.updated
        if event_type is not None:
            self._transition.emit(event_type, cause, after, before)

    def _keep(self, record: R) -> R | None:
        """Put a record without an event, and return the one that it replaces."""
        before = self.records.find(record.group, record.key)
        self.records = self.records.put(record)
        self._note(before, record)
        self._transition.size_bytes += record.size_bytes - (0 if before is None else before.size_bytes)
        return before

    def _drop(self, group: str, records: Sequence[R]) -> None:
        if not records:
            return
        self.records = self.records.remove(group, records)
        for record in records:
            self._note(record, None)
            self._transition.size_bytes -= record.size_bytes

    def _note(self, before: R | None, after: R | None) -> None:
        """Record that a record was put in the place of ``before``, or removed if ``after`` is None."""
        named = before if after is None else after
        assert named is not None
        self._transition.put(self.part.name, f"{named.group}/{named.key}", after)
