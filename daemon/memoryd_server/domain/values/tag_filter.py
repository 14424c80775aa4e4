"""Selection of records by their tags."""

from collections.abc import Iterable

import msgspec


class TagFilter(msgspec.Struct, frozen=True):
    """Selects the records that have all of some tags, and one or more of others. An empty set selects all records."""

    all_tags: frozenset[str] = frozenset()
    any_tags: frozenset[str] = frozenset()

    def keeps(self, tags: Iterable[str]) -> bool:
        """Return whether a record with these tags is selected."""
        return self.all_tags.issubset(tags) and (not self.any_tags or not self.any_tags.isdisjoint(tags))
