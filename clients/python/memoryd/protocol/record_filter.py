"""The filter that selects records of any kind, as keywords and dictionaries."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypedDict

from google.protobuf.struct_pb2 import ListValue, Struct, Value

from memoryd.model.entry import ENTRY_TYPE, EntryType
from memoryd.model.memory import MEMORY_STATUS, MEMORY_TYPE, MemoryStatus, MemoryType
from memoryd.model.memory_link import MEMORY_LINK_TYPE, MemoryLinkType
from memoryd.model.message import MESSAGE_ROLE, MessageRole
from memoryd.model.moment import timestamp_of
from memoryd.model.plan import PLAN_STATUS, PlanStatus
from memoryd.protocol.consistency import ReadOptions
from memoryd.protocol.keyword import check_keys, keys_of
from memoryd.protocol.option import any_of, strings_of
from memoryd.v1 import record_filter_pb2 as pb


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataRange:
    """A value of metadata within a range of numbers, or of texts by code point, such as dates as "2026-01-31"."""

    at_least: float | str | None = None
    greater_than: float | str | None = None
    at_most: float | str | None = None
    less_than: float | str | None = None


@dataclass(frozen=True, slots=True)
class MetadataExists:
    """Any value of metadata, null included; with false, none."""

    exists: bool = True


@dataclass(frozen=True, slots=True)
class MetadataAnyOf:
    """A value of metadata that equals any of these."""

    values: Sequence[Any]


@dataclass(frozen=True, slots=True)
class MetadataContains:
    """A value of metadata that is a list with this element."""

    value: Any


class EntryCondition(TypedDict, total=False):
    """Conditions on entries: any of these key prefixes, types and type names; a minimum importance."""

    key_prefixes: Collection[str]
    types: Collection[EntryType | str]
    type_names: Collection[str]
    min_importance: float


class FragmentCondition(TypedDict, total=False):
    """Conditions on fragments: any of these types, dynamic types and participants; flushed or not; a confidence."""

    types: Collection[str]
    dynamic_types: Collection[str]
    flushed: bool | None
    min_confidence: float | None
    any_participants: Collection[str]


class MemoryCondition(TypedDict, total=False):
    """Conditions on memories. Without ``statuses``, only active memories pass.

    An empty project or document passes memories without one. ``occur_start_time`` and ``occur_end_time``: an occur time
    at or after the first, and before the second.
    """

    types: Collection[MemoryType | str]
    statuses: Collection[MemoryStatus | str]
    project_ids: Collection[str]
    document_ids: Collection[str]
    occur_start_time: datetime | None
    occur_end_time: datetime | None
    min_importance: float
    min_confidence: float
    min_salience: float


class MemoryLinkCondition(TypedDict, total=False):
    """Conditions on links between memories: any of these types; a minimum strength."""

    types: Collection[MemoryLinkType | str]
    min_strength: float


class NoteCondition(TypedDict, total=False):
    """Conditions on notes: any of these notebooks, of which the empty one is the default; a minimum importance."""

    notebooks: Collection[str]
    min_importance: float


class PlanCondition(TypedDict, total=False):
    """Conditions on plans: any of these statuses."""

    statuses: Collection[PlanStatus | str]


class DocumentCondition(TypedDict, total=False):
    """Conditions on documents: any of these media types and sources."""

    media_types: Collection[str]
    sources: Collection[str]


class MessageCondition(TypedDict, total=False):
    """Conditions on messages: any of these roles and authors' names; a minimum importance."""

    roles: Collection[MessageRole | str]
    names: Collection[str]
    min_importance: float


class RecordFilter(TypedDict, total=False):
    """A filter of records: a record must meet all conditions. Keys that it does not know are refused with TypeError.

    A list of which a record has any one, such as ``ids``, is not empty: that is refused with ValueError.

    ``ids``: any of these ids; an entry's is its key. ``user_ids``: of any of these users; an empty one selects records
    of no user. ``all_users``: of all users. Without both, only records of no user are selected.
    ``all_tags``, ``any_tags``: all, or at least one, of these tags.
    ``metadata``: conditions by paths such as ``"customer.tier"``, where a backslash makes a dot a part of a key. A
    condition is a JSON value to equal, a MetadataRange, MetadataExists, MetadataAnyOf or MetadataContains; the
    conditions of a list must all hold.
    ``create_start_time``, ``create_end_time``, ``update_start_time``, ``update_end_time``: at or after, and before.
    ``conversation_ids``: of any of these conversations; an empty one selects records of none.
    ``any_of``: at least one of these filters selects the record; ``none_of``: none of them.
    ``entry`` and so on: conditions on the fields of one kind of records.
    """

    ids: Collection[str]
    user_ids: Collection[str]
    all_users: bool
    all_tags: Collection[str]
    any_tags: Collection[str]
    metadata: Mapping[str, Any]
    create_start_time: datetime | None
    create_end_time: datetime | None
    update_start_time: datetime | None
    update_end_time: datetime | None
    conversation_ids: Collection[str]
    any_of: Sequence["RecordFilter"]
    none_of: Sequence["RecordFilter"]
    entry: EntryCondition
    fragment: FragmentCondition
    memory: MemoryCondition
    memory_link: MemoryLinkCondition
    note: NoteCondition
    plan: PlanCondition
    document: DocumentCondition
    message: MessageCondition


class UserSelection(TypedDict, total=False):
    """The users whose records are selected, and further conditions.

    ``user_id``: those of this user; by default, and if it is empty, those of no user. ``all_users``: those of all
    users. ``filter``: further conditions; its ``user_ids`` are for several users.
    """

    user_id: str | None
    all_users: bool
    filter: RecordFilter


class Selection(UserSelection, total=False):
    """The selection of records: see UserSelection.

    ``all_tags``: those that have all of these tags. ``any_tags``: those that have at least one of these tags.
    """

    all_tags: Collection[str]
    any_tags: Collection[str]


class UserOptions(UserSelection, ReadOptions, total=False):
    """The options of a read: see UserSelection and ReadOptions."""


class FilterOptions(Selection, ReadOptions, total=False):
    """The options of a read: see Selection and ReadOptions."""


def filter_of(options: Mapping[str, Any], **conditions: Mapping[str, Any]) -> pb.RecordFilter:
    """Return the filter of the options that a call has of Selection, as a message.

    ``conditions`` are the call's own on one kind, such as ``note={"notebooks": …}``; those that are None do not count.
    Raises TypeError for a key that no filter has, and ValueError for users that are given twice.
    """
    message = record_filter_message(options.get("filter") or RecordFilter())
    user_id, all_users = options.get("user_id"), options.get("all_users", False)
    if (user_id is not None) + all_users + (len(message.user_ids) > 0 or message.all_users) > 1:
        raise ValueError("user_id, all_users and the users of the filter exclude each other: give at most one")
    if user_id is not None:
        message.user_ids.append(user_id)
    message.all_users = message.all_users or all_users
    message.all_tags.extend(strings_of("all_tags", options.get("all_tags", ())))
    select(message, any_tags=options.get("any_tags"))
    for kind, condition in conditions.items():
        given = {name: value for name, value in condition.items() if value is not None}
        if given:
            _write_condition(message, kind, given)
    return message


def select(message: pb.RecordFilter, **chosen: Collection[str] | None) -> None:
    """Write lists of which a record has any one, such as ``ids``; those that are None do not count.

    Raises ValueError for one that is empty, or that the filter has already: both together would select more than each.
    """
    for name, given in chosen.items():
        target = getattr(message, name)
        values = any_of(name, given)
        if values and target:
            raise ValueError(f"{name} is given twice: as an option, and in the filter")
        target.extend(values)


def own_filter(options: Mapping[str, Any], **conditions: Mapping[str, Any]) -> pb.RecordFilter | None:
    """Return ``filter_of``, and None if it says nothing: then another filter counts, such as that of the request."""
    message = filter_of(options, **conditions)
    return message if message.ByteSize() else None


def record_filter_message(chosen: Mapping[str, Any]) -> pb.RecordFilter:
    """Return the filter as a message. Raises TypeError for a key that no filter has."""
    check_keys(chosen, keys_of(RecordFilter), "condition of a filter")
    message = pb.RecordFilter(
        all_users=chosen.get("all_users", False),
        any_of=[record_filter_message(each) for each in any_of("any_of", chosen.get("any_of"))],
        none_of=[record_filter_message(each) for each in chosen.get("none_of", ())],
    )
    if message.all_users and chosen.get("user_ids") is not None:
        raise ValueError("user_ids and all_users exclude each other: give at most one")
    message.all_tags.extend(strings_of("all_tags", chosen.get("all_tags", ())))
    select(message, **{name: chosen.get(name) for name in _ANY_OF})
    for name in _TIMES:
        if (time := chosen.get(name)) is not None:
            getattr(message, name).CopyFrom(timestamp_of(time))
    for path, conditions in chosen.get("metadata", {}).items():
        is_several = isinstance(conditions, list) and any(isinstance(each, _TESTS) for each in conditions)
        for condition in conditions if is_several else (conditions,):
            message.metadata.append(_metadata_condition(path, condition))
    for kind in _CONDITIONS:
        if (own := chosen.get(kind)) is not None:
            _write_condition(message, kind, own)
    return message


_ANY_OF = ("ids", "user_ids", "any_tags", "conversation_ids")
_TIMES = ("create_start_time", "create_end_time", "update_start_time", "update_end_time")
_TESTS = (MetadataRange, MetadataExists, MetadataAnyOf, MetadataContains)


def _metadata_condition(path: str, condition: Any) -> pb.MetadataCondition:
    match condition:
        case MetadataRange():
            bounds = {name: getattr(condition, name) for name in ("at_least", "greater_than", "at_most", "less_than")}
            for first, second in (("at_least", "greater_than"), ("at_most", "less_than")):
                if bounds[first] is not None and bounds[second] is not None:
                    raise ValueError(f"{first} and {second} exclude each other: give at most one")
            given = {name: _value(bound) for name, bound in bounds.items() if bound is not None}
            return pb.MetadataCondition(path=path, range=pb.MetadataRange(**given))
        case MetadataExists(exists):
            return pb.MetadataCondition(path=path, exists=exists)
        case MetadataAnyOf(values):
            return pb.MetadataCondition(path=path, any_of=ListValue(values=[_value(each) for each in values]))
        case MetadataContains(value):
            return pb.MetadataCondition(path=path, contains=_value(value))
    return pb.MetadataCondition(path=path, equals=_value(condition))


def _value(plain: Any) -> Value:
    """Return a JSON value as a message. Raises ValueError for what is none."""
    struct = Struct()
    struct.update({"value": plain})
    return struct.fields["value"]


def _write_condition(message: pb.RecordFilter, kind: str, given: Mapping[str, Any]) -> None:
    """Write conditions on the fields of one kind. Those that the filter has already must not be given again."""
    convert = _CONDITIONS[kind]
    check_keys(given, convert.keys(), f"condition on {kind.replace('_', ' ')}s")
    target = getattr(message, kind)
    target.SetInParent()
    for name, value in given.items():
        if value is not None:
            part = type(target)(**{name: convert[name](value)})
            if any(each.name == name for each, _ in target.ListFields()):
                raise ValueError(f"{name} is given twice: as an option, and in the filter")
            target.MergeFrom(part)


_Convert = Callable[[Any], Any]


def _strings(name: str) -> _Convert:
    return lambda given: any_of(name, given)


def _words(name: str, words: Any) -> _Convert:
    return lambda given: [words.number(each) for each in any_of(name, given)]


def _plain(given: Any) -> Any:
    return given


_CONDITIONS: dict[str, dict[str, _Convert]] = {
    "entry": {
        "key_prefixes": _strings("key_prefixes"),
        "types": _words("types", ENTRY_TYPE),
        "type_names": _strings("type_names"),
        "min_importance": _plain,
    },
    "fragment": {
        "types": _strings("types"),
        "dynamic_types": _strings("dynamic_types"),
        "flushed": _plain,
        "min_confidence": _plain,
        "any_participants": _strings("any_participants"),
    },
    "memory": {
        "types": _words("types", MEMORY_TYPE),
        "statuses": _words("statuses", MEMORY_STATUS),
        "project_ids": _strings("project_ids"),
        "document_ids": _strings("document_ids"),
        "occur_start_time": timestamp_of,
        "occur_end_time": timestamp_of,
        "min_importance": _plain,
        "min_confidence": _plain,
        "min_salience": _plain,
    },
    "memory_link": {"types": _words("types", MEMORY_LINK_TYPE), "min_strength": _plain},
    "note": {"notebooks": _strings("notebooks"), "min_importance": _plain},
    "plan": {"statuses": _words("statuses", PLAN_STATUS)},
    "document": {"media_types": _strings("media_types"), "sources": _strings("sources")},
    "message": {"roles": _words("roles", MESSAGE_ROLE), "names": _strings("names"), "min_importance": _plain},
}
"""The conditions on each kind, with the function that converts what is given."""
