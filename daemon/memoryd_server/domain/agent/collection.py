"""Collections: an agent's records of one kind, by group and key within it. An immutable value."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, Self, TypeVar

import immutables
import msgspec

from memoryd_server.domain.agent.event import Subject


class Collected(Subject, frozen=True, array_like=True):
    """A record that is kept in a collection, and is the subject of its own events. Subclasses have a tag.

    It may have ``aliases``: other names that find it, which no other record of the collection has.
    """

    @property
    def create_time(self) -> int:
        """When it was created, in nanoseconds since the Unix epoch."""
        raise NotImplementedError

    @property
    def update_time(self) -> int:
        """When it last changed, in nanoseconds since the Unix epoch."""
        raise NotImplementedError

    @property
    def revision(self) -> int:
        """The agent's revision that wrote it."""
        raise NotImplementedError

    @property
    def size_bytes(self) -> int:
        """What it counts against the storage limit."""
        raise NotImplementedError

    @property
    def group(self) -> str:
        """What it belongs to: the conversation of a plan, for example. Empty where nothing is grouped."""
        return ""

    @property
    def key(self) -> str:
        """Its name within the group, without a slash."""
        raise NotImplementedError

    @property
    def record(self) -> Self:
        """The record itself."""
        return self

    @property
    def record_bytes(self) -> int:
        """What it counts against the storage limit."""
        return self.size_bytes

    def without_content(self) -> Self:
        """Return the record with its content left out, for events that carry none."""
        return self


R = TypeVar("R", bound=Collected)


class Collection(msgspec.Struct, Generic[R], frozen=True):
    """The records of one kind. A group that has none is not there. ``by_alias`` has those that have aliases."""

    groups: immutables.Map[str, immutables.Map[str, R]] = immutables.Map()
    count: int = 0
    size_bytes: int = 0
    by_alias: immutables.Map[str, R] = immutables.Map()

    @classmethod
    def of(cls, records: Iterable[R]) -> "Collection[R]":
        """The collection of these records, of which no two have the same group and key."""
        groups: dict[str, dict[str, R]] = {}
        by_alias: dict[str, R] = {}
        count = size_bytes = 0
        for record in records:
            groups.setdefault(record.group, {})[record.key] = record
            for alias in _aliases_of(record):
                by_alias[alias] = record
            count += 1
            size_bytes += record.size_bytes
        kept = immutables.Map({name: immutables.Map(each) for name, each in groups.items()})
        return cls(kept, count, size_bytes, immutables.Map(by_alias))

    @property
    def next_deadline(self) -> None:
        """None: records of collections do not expire."""
        return

    @property
    def record_count(self) -> int:
        """The number of records that the store holds of it."""
        return self.count

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[R]:
        for group in self.groups.values():
            yield from group.values()

    def find(self, group: str, key: str) -> R | None:
        """The record of this name, None when it is not there."""
        return self.group(group).get(key)

    def aliased(self, alias: str) -> R | None:
        """The record that has this alias, None when it is not there."""
        return self.by_alias.get(alias)

    def group(self, group: str) -> Mapping[str, R]:
        """The records of a group by their keys, in no order."""
        return self.groups.get(group) or _EMPTY

    def put(self, record: R) -> "Collection[R]":
        """The collection with a record, in place of one of the same group and key."""
        group: immutables.Map[str, R] = self.groups.get(record.group, _EMPTY)
        before = group.get(record.key)
        by_alias = self.by_alias if before is None else _without_aliases(self.by_alias, before)
        return Collection(
            self.groups.set(record.group, group.set(record.key, record)),
            self.count + (before is None),
            self.size_bytes + record.size_bytes - (0 if before is None else before.size_bytes),
            by_alias.update((alias, record) for alias in _aliases_of(record)),
        )

    def put_group(self, group: str, records: Mapping[str, R]) -> "Collection[R]":
        """The collection with a group that it does not have: these records, by their keys. There is one at least."""
        size_bytes = self.size_bytes + sum(record.size_bytes for record in records.values())
        by_alias = self.by_alias.update((alias, each) for each in records.values() for alias in _aliases_of(each))
        groups = self.groups.set(group, immutables.Map(records))
        return Collection(groups, self.count + len(records), size_bytes, by_alias)

    def remove(self, group: str, records: Sequence[R]) -> "Collection[R]":
        """The collection without some records of a group, all of which are there."""
        with self.groups[group].mutate() as left:
            for record in records:
                del left[record.key]
            rest = left.finish()
        groups = self.groups.set(group, rest) if rest else self.groups.delete(group)
        by_alias = self.by_alias
        for record in records:
            by_alias = _without_aliases(by_alias, record)
        size_bytes = self.size_bytes - sum(each.size_bytes for each in records)
        return Collection(groups, self.count - len(records), size_bytes, by_alias)


def _aliases_of(record: Collected) -> Sequence[str]:
    return getattr(record, "aliases", ())


def _without_aliases(by_alias: "immutables.Map[str, R]", record: R) -> "immutables.Map[str, R]":
    for alias in _aliases_of(record):
        # Another record may have taken it before this one lost it, where one step changes both.
        if by_alias.get(alias) is record:
            by_alias = by_alias.delete(alias)
    return by_alias


_EMPTY: immutables.Map[str, Any] = immutables.Map()


def in_order(records: Iterable[R]) -> Sequence[R]:
    """Return records in the order of their creation."""
    return sorted(records, key=lambda each: (each.create_time, each.group, each.key))
