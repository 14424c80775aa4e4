"""Filters of records in few words, random filters, and what a filter keeps in the plainest words."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from memoryd_server.domain.agent.event import EventFilter
from memoryd_server.domain.fragments.fragment import FragmentCondition
from memoryd_server.domain.kinds import kinds_kept_by
from memoryd_server.domain.memories.memory import MemoryCondition
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLinkCondition
from memoryd_server.domain.values.json_key import json_key_of
from memoryd_server.domain.values.metadata_condition import MetadataCondition, MetadataRange
from memoryd_server.domain.values.record_filter import KindCondition, RecordFilter


def of_memories(
    user_id: str | None = None,
    project_id: str | None = None,
    conversation_ids: frozenset[str] = frozenset(),
    all_tags: frozenset[str] = frozenset(),
    any_tags: frozenset[str] = frozenset(),
    **conditions: object,
) -> RecordFilter:
    """Return a filter of memories, of all users by default."""
    if project_id is not None:
        conditions["project_ids"] = frozenset({project_id})
    return RecordFilter(
        user_ids=None if user_id is None else frozenset({user_id}),
        conversation_ids=conversation_ids,
        all_tags=all_tags,
        any_tags=any_tags,
        condition=MemoryCondition(**conditions) if conditions else None,
    )


def of_documents(
    document_ids: frozenset[str] = frozenset(),
    user_id: str | None = None,
    all_tags: frozenset[str] = frozenset(),
    any_tags: frozenset[str] = frozenset(),
) -> RecordFilter:
    """Return a filter of documents, of all users by default."""
    user_ids = None if user_id is None else frozenset({user_id})
    return RecordFilter(ids=document_ids, user_ids=user_ids, all_tags=all_tags, any_tags=any_tags)


def of_fragments(user_id: str | None = None, type: str | None = None, **conditions: object) -> RecordFilter:  # noqa: A002
    """Return a filter of fragments, of all users by default."""
    if type is not None:
        conditions["types"] = frozenset({type})
    user_ids = None if user_id is None else frozenset({user_id})
    return RecordFilter(user_ids=user_ids, condition=FragmentCondition(**conditions) if conditions else None)


def of_links(link_type: LinkType | None) -> RecordFilter:
    """Return a filter of links of a type, None for all."""
    return RecordFilter(condition=MemoryLinkCondition(frozenset() if link_type is None else frozenset({link_type})))


def of_events(record: RecordFilter) -> EventFilter:
    """Return the filter of the events of the records that a filter keeps."""
    return EventFilter(record=record, record_kinds=kinds_kept_by(record))


PATHS = (("tier",), ("customer", "age"), ("customer",), ("list",), ("day",))
VALUES = (None, True, 0, 1, 2.5, "gold", "2026-01-02", [1, "gold"], {"age": 1})
METADATA = st.one_of(
    st.just({}),
    st.fixed_dictionaries(
        {},
        optional={
            "tier": st.sampled_from(VALUES),
            "customer": st.one_of(
                st.sampled_from(VALUES), st.fixed_dictionaries({}, optional={"age": st.sampled_from(VALUES)})
            ),
            "list": st.sampled_from(VALUES),
            "day": st.sampled_from(VALUES),
        },
    ),
    # More values than an index takes of one record.
    st.just({"tier": "gold", **{f"other{number}": number for number in range(20)}}),
)
"""Metadata of records, as JSON values."""

_BOUNDS = st.one_of(
    st.tuples(*2 * [st.sampled_from([None, 0.0, 1.0, 2.5])]), st.tuples(*2 * [st.sampled_from([None, "gold", "2026"])])
).filter(lambda bounds: bounds != (None, None))
CONDITIONS = st.one_of(
    st.builds(
        MetadataCondition,
        st.sampled_from(PATHS),
        equals=st.frozensets(st.sampled_from(VALUES).map(json_key_of), min_size=1, max_size=2),
    ),
    st.builds(MetadataCondition, st.sampled_from(PATHS), contains=st.sampled_from(VALUES).map(json_key_of)),
    st.builds(MetadataCondition, st.sampled_from(PATHS), exists=st.booleans()),
    st.builds(
        lambda path, bounds, has: MetadataCondition(path, range=MetadataRange(*bounds, *has)),
        st.sampled_from(PATHS),
        _BOUNDS,
        st.tuples(st.booleans(), st.booleans()),
    ),
)
USERS = ("", "u", "v")
TAGS = ("x", "y")


def filters_of(
    conditions: st.SearchStrategy[KindCondition | None], ids: Sequence[str], times: Sequence[int], talks: Sequence[str]
) -> st.SearchStrategy[RecordFilter]:
    """Return filters of any depth, with these conditions on the kind, ids, times and conversations."""
    moments = st.sampled_from([None, *times])

    def flat(nested: st.SearchStrategy[tuple[RecordFilter, ...]]) -> st.SearchStrategy[RecordFilter]:
        return st.builds(
            RecordFilter,
            ids=_some(ids),
            user_ids=st.one_of(st.none(), st.frozensets(st.sampled_from([*USERS, "w"]), min_size=1, max_size=2)),
            all_tags=_some(TAGS),
            any_tags=_some(("x", "y", "z")),
            metadata=st.lists(CONDITIONS, max_size=2).map(tuple),
            create_start=moments,
            create_end=moments,
            update_start=moments,
            update_end=moments,
            conversation_ids=_some(talks),
            any_of=nested,
            none_of=nested,
            condition=conditions,
        )

    leaves = st.one_of(
        st.just(RecordFilter()),
        st.builds(RecordFilter, user_ids=st.just(frozenset({"u"}))),
        st.builds(RecordFilter, metadata=CONDITIONS.map(lambda each: (each,))),
        flat(st.just(())),
    )
    return st.one_of(leaves, flat(st.lists(leaves, max_size=2).map(tuple)))


def _some(values: Sequence[str]) -> st.SearchStrategy[frozenset[str]]:
    return st.one_of(st.just(frozenset()), st.frozensets(st.sampled_from([*values, "none"]), max_size=2))


class Facts(NamedTuple):
    """The fields of a record that a filter may ask for. ``own`` evaluates the conditions of its kind."""

    id: str
    user_id: str
    tags: Collection[str]
    metadata: dict[str, Any]
    create_time: int
    update_time: int
    conversation_id: str
    own: Callable[[Any], bool]


def keeps(chosen: RecordFilter, facts: Facts) -> bool:
    """Return True if a filter keeps a record of these facts, in the plainest words."""
    checks = [
        chosen.ids == frozenset() or facts.id in chosen.ids,
        chosen.user_ids is None or facts.user_id in chosen.user_ids,
        all(tag in facts.tags for tag in chosen.all_tags),
        chosen.any_tags == frozenset() or any(tag in facts.tags for tag in chosen.any_tags),
        all(_meets(condition, facts.metadata) for condition in chosen.metadata),
        chosen.create_start is None or chosen.create_start <= facts.create_time,
        chosen.create_end is None or facts.create_time < chosen.create_end,
        chosen.update_start is None or chosen.update_start <= facts.update_time,
        chosen.update_end is None or facts.update_time < chosen.update_end,
        chosen.conversation_ids == frozenset() or facts.conversation_id in chosen.conversation_ids,
        chosen.any_of == () or any(keeps(each, facts) for each in chosen.any_of),
        not any(keeps(each, facts) for each in chosen.none_of),
        chosen.condition is None or facts.own(chosen.condition),
    ]
    return all(checks)


def _meets(condition: MetadataCondition, metadata: Any) -> bool:
    values = [metadata]
    for key in condition.path:
        values = [value[key] for value in values if isinstance(value, dict) and key in value]
    if condition.exists is not None:
        return condition.exists is bool(values)
    if not values:
        return False
    (value,) = values
    if condition.contains is not None:
        return isinstance(value, list) and condition.contains in map(json_key_of, value)
    if condition.range is None:
        return json_key_of(value) in condition.equals
    chosen = condition.range
    kinds = str if str in (type(chosen.start), type(chosen.end)) else (int, float)
    if not isinstance(value, kinds) or isinstance(value, bool):
        return False
    after = chosen.start is None or value > chosen.start or (chosen.has_start and value == chosen.start)
    return after and (chosen.end is None or value < chosen.end or (chosen.has_end and value == chosen.end))
