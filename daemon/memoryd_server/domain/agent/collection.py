"""Collections: immutable values that hold an agent's records of one kind, by group and by key within it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar

import immutables
import msgspec

from memoryd_server.domain.agent.event import Event, RecordView, Subject
from memoryd_server.domain.values.record_filter import RecordShape
from memoryd_server.domain.values.response_size import response_bytes


class Collected(Subject, frozen=True, array_like=True):
    """A record that a collection holds, and that is the subject of its own events. Subclasses have a tag.

    It may have ``aliases``: further names that find it, each unique within the collection. ``shape`` is that of
    its kind; None if no filter selects records of the kind.
    """

    shape: ClassVar[RecordShape | None] = None

    @property
    def create_time(self) -> int:
        """The time of creation, in nanoseconds since the Unix epoch."""
        raise NotImplementedError

    @property
    def update_time(self) -> int:
        """The time of the last change, in nanoseconds since the Unix epoch."""
        raise NotImplementedError

    @property
    def revision(self) -> int:
        """The agent's revision that last wrote the record."""
        raise NotImplementedError

    @property
    def size_bytes(self) -> int:
        """Bytes that the record counts against the storage limit."""
        raise NotImplementedError

    @property
    def group(self) -> str:
        """The group that the record belongs to, for example a plan's conversation. Empty if the kind has no groups."""
        return ""

    @property
    def key(self) -> str:
        """The record's name within its group, without a slash."""
        raise NotImplementedError

    @property
    def record_count(self) -> int:
        """The number of records that the store holds of it: one, unless it is stored in several."""
        return 1

    @property
    def position(self) -> tuple[Any, ...]:
        """The record's position among those of its kind, by default in the order of creation."""
        return self.create_time, self.group, self.key

    @property
    def record(self) -> Self:
        """The record itself, which is its own event's subject."""
        return self

    @property
    def record_bytes(self) -> int:
        """The maximum size of the record's content in an event."""
        return response_bytes(self)

    @property
    def place(self) -> tuple[Any, ...]:
        """The record's type, group and key."""
        return type(self), self.group, self.key

    def view(self, event: Event) -> RecordView | None:
        """Return the record; its content is unknown at its end."""
        if self.shape is None:
            return None
        return RecordView(self.shape, self, self.shape.content if event.type.is_end else frozenset())

    def without_content(self) -> Self:
        """Return the record without its content, for the event of its removal."""
        return self

    def at_revision(self, revision: int) -> Self:
        """Return the record as one that was written at this revision."""
        return msgspec.structs.replace(self, revision=revision)


R = TypeVar("R", bound=Collected)


class Collection(msgspec.Struct, Generic[R], frozen=True):
    """The records of one kind. An empty group is absent. ``by_alias`` has the records that have aliases.

    ``record_count`` is the number of records that the store holds of them.
    """

    groups: immutables.Map[str, immutables.Map[str, R]] = immutables.Map()
    count: int = 0
    size_bytes: int = 0
    by_alias: immutables.Map[str, R] = immutables.Map()
    record_count: int = 0

    @classmethod
    def of(cls, records: Iterable[R]) -> "Collection[R]":
        """Return the collection of these records. No two of them may have the same group and key."""
        groups: dict[str, dict[str, R]] = {}
        by_alias: dict[str, R] = {}
        count = size_bytes = record_count = 0
        for record in records:
            groups.setdefault(record.group, {})[record.key] = record
            for alias in _aliases_of(record):
                by_alias[alias] = record
            count += 1
            size_bytes += record.size_bytes
            record_count += record.record_count
        kept = immutables.Map({name: immutables.Map(each) for name, each in groups.items()})
        return cls(kept, count, size_bytes, immutables.Map(by_alias), record_count)

    @property
    def next_deadline(self) -> None:
        """Always None: the records of collections do not expire."""
        return

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[R]:
        for group in self.groups.values():
            yield from group.values()

    def find(self, group: str, key: str) -> R | None:
        """Return the record with this group and key, None when it does not exist."""
        return self.group(group).get(key)

    def aliased(self, alias: str) -> R | None:
        """Return the record with this alias, None when there is none."""
        return self.by_alias.get(alias)

    def group(self, group: str) -> Mapping[str, R]:
        """Return the records of a group by their keys, in no order."""
        return self.groups.get(group) or _EMPTY

    def put(self, record: R) -> "Collection[R]":
        """Return the collection with this record, which replaces one of the same group and key."""
        group: immutables.Map[str, R] = self.groups.get(record.group, _EMPTY)
        before = group.get(record.key)
        by_alias = self.by_alias if before is None else _without_aliases(self.by_alias, before)
        return Collection(
            self.groups.set(record.group, group.set(record.key, record)),
            self.count + (before is None),
            self.size_bytes + record.size_bytes - (0 if before is None else before.size_bytes),
            by_alias.update((alias, record) for alias in _aliases_of(record)),
            self.record_count + record.record_count - (0 if before is None else before.record_count),
        )

    def put_group(self, group: str, records: Mapping[str, R]) -> "Collection[R]":
        """Return the collection with a new group of these records by their keys. There must be at least one."""
        size_bytes = self.size_bytes + sum(record.size_bytes for record in records.values())
        by_alias = self.by_alias.update((alias, each) for each in records.values() for alias in _aliases_of(each))
        groups = self.groups.set(group, immutables.Map(records))
        record_count = self.record_count + sum(record.record_count for record in records.values())
        return Collection(groups, self.count + len(records), size_bytes, by_alias, record_count)

    def remove(self, group: str, records: Sequence[R]) -> "Collection[R]":
        """Return the collection without these records of a group, all of which must exist."""
        with self.groups[group].mutate() as left:
            for record in records:
                del left[record.key]
            rest = left.finish()
        groups = self.groups.set(group, rest) if rest else self.groups.delete(group)
        by_alias = self.by_alias
        for record in records:
            by_alias = _without_aliases(by_alias, record)
        size_bytes = self.size_bytes - sum(each.size_bytes for each in records)
        record_count = self.record_count - sum(each.record_count for each in records)
        return Collection(groups, self.count - len(records), size_bytes, by_alias, record_count)


def _aliases_of(record: Collected) -> Sequence[str]:
    return getattr(record, "aliases", ())


def _without_aliases(by_alias: "immutables.Map[str, R]", record: R) -> "immutables.Map[str, R]":
    for alias in _aliases_of(record):
        # Delete the alias only if this record still owns it: one transition may put another record with the alias
        # before it changes this one.
        if by_alias.get(alias) is record:
            by_alias = by_alias.delete(alias)
    return by_alias


_EMPTY: immutables.Map[str, Any] = immutables.Map()


def in_order(records: Iterable[R]) -> Sequence[R]:
    """Return the records of a kind in the order of their positions."""
    return sorted(records, key=lambda each: each.position)
