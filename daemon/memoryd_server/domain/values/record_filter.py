"""The selection of records: one filter for the records of all kinds."""

import weakref
from collections.abc import Callable, Container, Iterator
from operator import attrgetter
from typing import Any

import msgspec

from memoryd_server.domain.values.metadata_condition import MetadataCondition, metadata_of

Keeps = Callable[[Any], bool]
"""Returns True for the records that meet a condition."""

Test = tuple[str, Keeps]
"""A condition, after the name of the field that it reads."""


class KindCondition(msgspec.Struct, frozen=True):
    """Conditions on the fields that only one kind of records has. Each kind has a subclass of its own."""

    def tests(self) -> Iterator[Test]:
        """Yield the conditions that are set."""
        yield from ()


class RecordFilter(msgspec.Struct, frozen=True, cache_hash=True, weakref=True):
    """A filter of records: a record is kept if it meets all conditions. An empty condition keeps every record.

    ``user_ids`` of None keeps the records of all users. Times are nanoseconds since the Unix epoch, the start
    inclusive, the end exclusive; None is no bound.
    """

    ids: frozenset[str] = frozenset()
    user_ids: frozenset[str] | None = None
    all_tags: frozenset[str] = frozenset()
    any_tags: frozenset[str] = frozenset()
    metadata: tuple[MetadataCondition, ...] = ()
    create_start: int | None = None
    create_end: int | None = None
    update_start: int | None = None
    update_end: int | None = None
    conversation_ids: frozenset[str] = frozenset()
    any_of: tuple["RecordFilter", ...] = ()
    none_of: tuple["RecordFilter", ...] = ()
    condition: KindCondition | None = None


EVERY_RECORD = RecordFilter()
"""The filter that keeps all records."""

NO_USER = frozenset({""})
"""The users of a filter that keeps the records of no user alone."""


class RecordShape(msgspec.Struct, frozen=True):
    """The fields of one kind's records that a filter asks for; None for those that they do not have.

    ``name`` is that of the kind, as in ``RecordFilter.kind`` of the contract. ``condition`` is the class of the kind's
    own conditions. ``conversation_field`` names the field that has the conversation. ``content`` names the fields that
    the event of a record's end leaves out. ``has_users`` is False if no request may name users of the records, not even
    those of a parent.
    """

    name: str
    id_of: Callable[[Any], str] | None = None
    user_of: Callable[[Any], str] | None = attrgetter("user_id")
    tags_of: Callable[[Any], tuple[str, ...]] | None = attrgetter("tags")
    metadata_of: Callable[[Any], str] | None = attrgetter("metadata_json")
    conversation_of: Callable[[Any], str] | None = None
    condition: type[KindCondition] | None = None
    conversation_field: str = "conversation_id"
    content: frozenset[str] = frozenset({"tags", "metadata_json"})
    has_users: bool = True

    def unknown(self, record: Any) -> Container[str]:
        """Return the fields that an event lacks: none if it has the record, all but the id if that is None."""
        return self.all_but("id") if record is None else ()

    def all_but(self, *known: str) -> Container[str]:
        """Return all fields but these."""
        return _AllBut(frozenset(known))


class _AllBut(msgspec.Struct, frozen=True):
    """All fields but those that are known. A field that records of the kind do not have is known to be missing."""

    known: frozenset[str]

    def __contains__(self, field: object) -> bool:
        return field != _MISSING and field not in self.known


class Matcher:
    """A filter of records of one shape, prepared for many of them."""

    def __init__(self, chosen: RecordFilter, shape: RecordShape) -> None:
        self._tests = tuple(_tests(chosen, shape))
        self._any_of = tuple(Matcher(each, shape) for each in chosen.any_of)
        self._none_of = tuple(Matcher(each, shape) for each in chosen.none_of)

    @property
    def fields(self) -> frozenset[str]:
        """The names of the fields that any condition reads."""
        nested = (each.fields for each in (*self._any_of, *self._none_of))
        return frozenset(name for name, _ in self._tests).union(*nested)

    def keeps(self, record: Any) -> bool:
        """Return True if the filter keeps the record."""
        for _, keeps in self._tests:
            if not keeps(record):
                return False
        if self._any_of and not any(each.keeps(record) for each in self._any_of):
            return False
        return not any(each.keeps(record) for each in self._none_of)

    def verdict(self, record: Any, unknown: Container[str]) -> bool | None:
        """Return whether the filter keeps a record of which some fields are unknown; None if it depends on these."""
        verdicts = [None if name in unknown else keeps(record) for name, keeps in self._tests]
        if self._any_of:
            verdicts.append(_any([each.verdict(record, unknown) for each in self._any_of]))
        if self._none_of:
            kept = _any([each.verdict(record, unknown) for each in self._none_of])
            verdicts.append(None if kept is None else not kept)
        if False in verdicts:
            return False
        return None if None in verdicts else True


_matchers: "weakref.WeakKeyDictionary[RecordFilter, dict[RecordShape, Matcher]]" = weakref.WeakKeyDictionary()


def matcher_of(chosen: RecordFilter, shape: RecordShape) -> Matcher:
    """Return the matcher of a filter, which is kept for as long as the filter: a watch uses it for every event."""
    kept = _matchers.setdefault(chosen, {})
    if shape not in kept:
        kept[shape] = Matcher(chosen, shape)
    return kept[shape]


def _any(verdicts: list[bool | None]) -> bool | None:
    if True in verdicts:
        return True
    return None if None in verdicts else False


def _tests(chosen: RecordFilter, shape: RecordShape) -> Iterator[Test]:
    """Yield the conditions of a filter, those first that are checked fastest and keep least."""
    if chosen.ids:
        yield _is_in("id", shape.id_of, chosen.ids)
    if chosen.user_ids is not None:
        yield _is_in("user_id", shape.user_of, chosen.user_ids)
    if chosen.conversation_ids:
        yield _is_in(shape.conversation_field, shape.conversation_of, chosen.conversation_ids)
    yield from _of_times("create_time", chosen.create_start, chosen.create_end)
    yield from _of_times("update_time", chosen.update_start, chosen.update_end)
    if chosen.condition is not None:
        is_own = shape.condition is not None and isinstance(chosen.condition, shape.condition)
        yield from chosen.condition.tests() if is_own else (_NOTHING,)
    yield from _of_tags(chosen, shape.tags_of)
    if chosen.metadata:
        yield _of_metadata(chosen.metadata, shape.metadata_of)


def _is_in(field: str, value_of: Callable[[Any], str] | None, values: frozenset[str]) -> Test:
    if value_of is None:
        return _NOTHING
    return field, lambda record: value_of(record) in values


def _of_times(field: str, start: int | None, end: int | None) -> Iterator[Test]:
    if start is not None:
        yield field, lambda record: getattr(record, field) >= start
    if end is not None:
        yield field, lambda record: getattr(record, field) < end


def _of_tags(chosen: RecordFilter, tags_of: Callable[[Any], tuple[str, ...]] | None) -> Iterator[Test]:
    all_tags, any_tags = chosen.all_tags, chosen.any_tags
    if tags_of is None:
        if all_tags or any_tags:
            yield _NOTHING
        return
    if all_tags:
        yield "tags", lambda record: all_tags.issubset(tags_of(record))
    if any_tags:
        yield "tags", lambda record: not any_tags.isdisjoint(tags_of(record))


def _of_metadata(conditions: tuple[MetadataCondition, ...], json_of: Callable[[Any], str] | None) -> Test:
    if json_of is None:
        return _NOTHING

    def keeps(record: Any) -> bool:
        metadata = metadata_of(json_of(record))
        return all(each.keeps(metadata) for each in conditions)

    return "metadata_json", keeps


_MISSING = ""
"""Stands for the name of a field that the records do not have."""

_NOTHING: Test = (_MISSING, lambda record: False)
"""A condition on a field that the records do not have: it keeps none."""


def one_of(field: str, values: frozenset[Any]) -> Iterator[Test]:
    """Yield the condition that a field has one of these values; none if there are no values."""
    if values:
        value_of = attrgetter(field)
        yield field, lambda record: value_of(record) in values


def at_least(field: str, minimum: float) -> Iterator[Test]:
    """Yield the condition that a field has at least this value; none if that is 0."""
    if minimum:
        value_of = attrgetter(field)
        yield field, lambda record: value_of(record) >= minimum
