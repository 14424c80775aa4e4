"""Collections: an agent's records of one kind, by group and key within it. An immutable value."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar

import immutables
import msgspec


class Collected(Protocol):
    """What a record must have to be kept in a collection."""

    @property
    def group(self) -> str:
        """What it belongs to: the conversation of a plan, for example. Empty where nothing is grouped."""
        ...

    @property
    def key(self) -> str:
        """Its name within the group, without a slash."""
        ...

    @property
    def create_time(self) -> int:
        """When it was created, in nanoseconds since the Unix epoch."""
        ...

    @property
    def update_time(self) -> int:
        """When it last changed, in nanoseconds since the Unix epoch."""
        ...

    @property
    def revision(self) -> int:
        """The agent's revision that wrote it."""
        ...

    @property
    def size_bytes(self) -> int:
        """What it counts against the storage limit."""
        ...

    def without_content(self) -> Any:
        """The record as it is told where its content is not."""
        ...


R = TypeVar("R", bound=Collected)


class Collection(msgspec.Struct, Generic[R], frozen=True):
    """The records of one kind. A group that has none is not there."""

    groups: immutables.Map[str, immutables.Map[str, R]] = immutables.Map()
    count: int = 0
    size_bytes: int = 0

    @classmethod
    def of(cls, records: Iterable[R]) -> "Collection[R]":
        """The collection of these records, of which no two have the same group and key."""
        groups: dict[str, dict[str, R]] = {}
        count = size_bytes = 0
        for record in records:
            groups.setdefault(record.group, {})[record.key] = record
            count += 1
            size_bytes += record.size_bytes
        return cls(immutables.Map({name: immutables.Map(each) for name, each in groups.items()}), count, size_bytes)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[R]:
        for group in self.groups.values():
            yield from group.values()

    def find(self, group: str, key: str) -> R | None:
        """The record of this name, None when it is not there."""
        return self.group(group).get(key)

    def group(self, group: str) -> Mapping[str, R]:
        """The records of a group by their keys, in no order."""
        return self.groups.get(group) or _EMPTY

    def put(self, record: R) -> "Collection[R]":
        """The collection with a record, in place of one of the same group and key."""
        group: immutables.Map[str, R] = self.groups.get(record.group, _EMPTY)
        before = group.get(record.key)
        return Collection(
            self.groups.set(record.group, group.set(record.key, record)),
            self.count + (before is None),
            self.size_bytes + record.size_bytes - (0 if before is None else before.size_bytes),
        )

    def put_group(self, group: str, records: Mapping[str, R]) -> "Collection[R]":
        """The collection with these records, by their keys, in place of all of a group. There is one at least."""
        rest = self.without_group(group)
        size_bytes = sum(record.size_bytes for record in records.values())
        groups = rest.groups.set(group, immutables.Map(records))
        return Collection(groups, rest.count + len(records), rest.size_bytes + size_bytes)

    def without_group(self, group: str) -> "Collection[R]":
        """The collection without the records of a group."""
        records = self.group(group)
        if not records:
            return self
        size_bytes = sum(record.size_bytes for record in records.values())
        return Collection(self.groups.delete(group), self.count - len(records), self.size_bytes - size_bytes)

    def remove(self, record: R) -> "Collection[R]":
        """The collection without a record that is there."""
        left = self.groups[record.group].delete(record.key)
        groups = self.groups.set(record.group, left) if left else self.groups.delete(record.group)
        return Collection(groups, self.count - 1, self.size_bytes - record.size_bytes)


_EMPTY: immutables.Map[str, Any] = immutables.Map()
