"""The filter of every list, search and recall: whose records it selects, what it refuses, and what it keeps."""

import json
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import grpc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.integration.kind_of_record import METHODS, call
from tests.integration.wire import Memory, Wire, refused
from tests.unit.record_filters import METADATA, TAGS

SELECTING = {
    name: method
    for name, method in METHODS.items()
    if method.name.startswith(("List", "Search", "Recall"))
    and {"agent_id", "filter"} <= {*method.input_type.fields_by_name}
}
"""The methods that select records of an agent."""
OWN = {
    "ListEntries": "entry",
    "ListFragments": "fragment",
    "SearchFragments": "fragment",
    "ListMemories": "memory",
    "RecallMemories": "memory",
    "ListMemoryLinks": "memory_link",
    "ListNotes": "note",
    "ListPlans": "plan",
    "ListDocuments": "document",
    "SearchDocuments": "document",
    "ListMessages": "message",
}
NEEDED: dict[str, dict[str, Any]] = {
    "ListMessages": {"conversation_id": "talk"},
    "SearchFragments": {"query": "of"},
    "SearchDocuments": {"query": "word"},
    "RecallMemories": {"query": "word"},
}
"""The fields that a method cannot do without."""

Create = Callable[[Memory, str, dict[str, Any]], None]


def _draft(method: str, key: str, **own: Any) -> Create:
    def create(agent: Memory, name: str, shared: dict[str, Any]) -> None:
        call(agent, method, {"draft": {key: name, **own, **shared}} if key else {"draft": {**own, **shared}})

    return create


def _entry(agent: Memory, name: str, shared: dict[str, Any]) -> None:
    call(agent, "WorkingMemoryService.SetEntry", {"key": name, "value_json": "1", **shared})


def _document(agent: Memory, name: str, shared: dict[str, Any]) -> None:
    call(agent, "DocumentService.CreateDocument", {"draft": {"document_id": name, **shared}, "text": "a word"})


def _proposal(agent: Memory, name: str, shared: dict[str, Any]) -> None:
    # The content of a proposal is in the queue of a user once.
    draft = {"memory_proposal_id": name, "content": f"a word of {name}", **shared}
    call(agent, "LongTermMemoryService.ProposeMemories", {"drafts": [draft]})


CREATE: dict[str, tuple[str, str, Create]] = {
    "ListEntries": ("entries", "key", _entry),
    "ListNotes": ("notes", "note_id", _draft("NoteService.CreateNote", "note_id", title="t", content="c")),
    "ListPlans": ("plans", "plan_id", _draft("PlanService.CreatePlan", "plan_id", goal="g")),
    "ListDocuments": ("documents", "document_id", _document),
    "ListConversations": (
        "conversations",
        "conversation_id",
        _draft("ConversationService.CreateConversation", "conversation_id"),
    ),
    "ListMemories": (
        "memories",
        "memory_id",
        _draft(
            "LongTermMemoryService.CreateMemory",
            "memory_id",
            content="a word",
            allow_duplicates=True,
            skip_contradictions=True,
        ),
    ),
    "ListMemoryProposals": ("memory_proposals", "memory_proposal_id", _proposal),
}
"""For each list of records with tags and metadata: its field, the field of their id, and how they are created."""


def _scope(agent: Memory, name: str, shared: dict[str, Any]) -> None:
    call(agent, "WorkingMemoryService.CreateScope", {"name": name, **shared})


def _window(agent: Memory, name: str, shared: dict[str, Any]) -> None:
    entity = {"type": "page", "entity_id": "7", "name": "a word"}
    call(agent, "EntityService.AddEntities", {"conversation_id": name, "entities": [entity], **shared})


def _links(agent: Memory, name: str, shared: dict[str, Any]) -> None:
    _, _, create = CREATE["ListMemories"]
    for memory_id in (name, f"{name}-other"):
        create(agent, memory_id, shared)
    ends = {"from_memory_id": name, "to_memory_id": f"{name}-other", "type": "MEMORY_LINK_TYPE_RELATED"}
    call(agent, "LongTermMemoryService.LinkMemories", ends)


_fragment = _draft("FragmentService.CreateFragment", "content")
READS: dict[str, tuple[str, str, Create]] = {
    **CREATE,
    "ListScopes": ("scopes", "name", _scope),
    "ListEntityWindows": ("entity_windows", "conversation_id", _window),
    "ListFragments": ("fragments", "content", _fragment),
    "SearchFragments": ("fragments", "content", _fragment),
    "RecallMemories": ("memories", "memory.memory_id", CREATE["ListMemories"][2]),
    "SearchDocuments": ("chunks", "chunk.document_id", _document),
    "ListMemoryLinks": ("memory_links", "from_memory_id", _links),
}
"""The same for each read of records that have users."""


def _full_name(method: str) -> str:
    return next(name for name in SELECTING if name.endswith(f".{method}"))


@pytest.mark.parametrize("name", SELECTING)
def test_a_condition_of_another_kind_is_refused(wire: Wire, name: str) -> None:
    agent, method = wire.agent(), name.partition(".")[2]
    call(agent, "ConversationService.CreateConversation", {"draft": {"conversation_id": "talk"}})
    for kind in ("entry", "note"):
        request = {**NEEDED.get(method, {}), "filter": {"any_of": [{kind: {}}]}}
        if OWN.get(method) == kind:
            call(agent, name, request)
            continue
        refusal = refused(lambda request=request: call(agent, name, request))  # type: ignore[misc]
        assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, (f"filter.any_of[0].{kind}",))


def test_every_read_of_records_with_users_is_tried() -> None:
    # The messages of a conversation are those of the conversation, which the request names.
    assert {*READS, "ListMessages"} == {name.partition(".")[2] for name in SELECTING}


@pytest.mark.parametrize("method", READS)
def test_a_read_without_users_is_of_no_user(wire: Wire, method: str) -> None:
    agent, (field, id_field, create) = wire.agent(), READS[method]
    for user_id in ("", "ada", "bob"):
        create(agent, f"of-{user_id}", {"user_id": user_id})

    def listed(**request: Any) -> set[str]:
        page = call(agent, _full_name(method), {**NEEDED.get(method, {}), **request})
        return set(map(attrgetter(id_field), getattr(page, field)))

    assert listed() == listed(filter={}) == listed(filter={"user_ids": [""]}) == {"of-"}
    assert listed(filter={"user_ids": ["ada", "unknown"]}) == {"of-ada"}
    assert listed(filter={"all_users": True}) == {"of-", "of-ada", "of-bob"}
    assert listed(filter={"all_users": True, "none_of": [{"user_ids": ["ada"]}]}) == {"of-", "of-bob"}
    assert listed(filter={"any_of": [{"user_ids": ["ada"]}]}) == set()


RECORDS = st.lists(
    st.tuples(st.sampled_from(["", "ada", "bob"]), st.frozensets(st.sampled_from(TAGS)), METADATA), max_size=6
)
CHOSEN = st.fixed_dictionaries(
    {},
    optional={
        "user_ids": st.lists(st.sampled_from(["", "ada", "eve"]), min_size=1, max_size=2, unique=True),
        "all_tags": st.lists(st.sampled_from(TAGS), max_size=2, unique=True),
        "any_tags": st.lists(st.sampled_from([*TAGS, "z"]), max_size=2, unique=True),
        "ids": st.lists(st.sampled_from(["r-0", "r-1", "r-9"]), max_size=2, unique=True),
        "metadata": st.lists(
            st.one_of(
                st.builds(lambda exists: {"path": "tier", "exists": exists}, st.booleans()),
                st.builds(lambda value: {"path": "tier", "equals": value}, st.sampled_from(["gold", 1, True, None])),
                st.just({"path": "customer.age", "range": {"at_least": 1}}),
                st.just({"path": "list", "contains": "gold"}),
            ),
            max_size=2,
        ),
    },
)


@pytest.mark.parametrize("method", CREATE)
@given(records=RECORDS, chosen=CHOSEN, nested=st.lists(CHOSEN, max_size=2), excluded=st.lists(CHOSEN, max_size=1))
@settings(max_examples=20)
def test_a_list_has_what_the_filter_says_in_the_plainest_words(
    wire: Wire,
    method: str,
    records: list[tuple[str, frozenset[str], dict[str, Any]]],
    chosen: dict[str, Any],
    nested: list[dict[str, Any]],
    excluded: list[dict[str, Any]],
) -> None:
    agent, (field, id_field, create) = wire.agent(), CREATE[method]
    for number, (user_id, tags, metadata) in enumerate(records):
        create(agent, f"r-{number}", {"user_id": user_id, "tags": sorted(tags), "metadata": metadata})
    filters = {**chosen, "any_of": nested, "none_of": excluded}
    page = call(agent, _full_name(method), {"filter": filters})
    found = {getattr(each, id_field) for each in getattr(page, field)}
    outermost = {"user_ids": [""], **filters}
    expected = {f"r-{number}" for number, each in enumerate(records) if _keeps(outermost, f"r-{number}", *each)}
    assert (found, page.total_count) == (expected, len(expected)), json.dumps(filters)


def _keeps(chosen: dict[str, Any], name: str, user_id: str, tags: frozenset[str], metadata: dict[str, Any]) -> bool:
    record = name, user_id, tags, metadata
    any_of, none_of = chosen.get("any_of", ()), chosen.get("none_of", ())
    return (
        ("user_ids" not in chosen or user_id in chosen["user_ids"])
        and (not chosen.get("ids") or name in chosen["ids"])
        and set(chosen.get("all_tags", ())) <= tags
        and (not chosen.get("any_tags") or not tags.isdisjoint(chosen["any_tags"]))
        and all(_meets(each, metadata) for each in chosen.get("metadata", ()))
        and (not any_of or any(_keeps(each, *record) for each in any_of))
        and not any(_keeps(each, *record) for each in none_of)
    )


def _meets(condition: dict[str, Any], metadata: dict[str, Any]) -> bool:
    first, _, second = condition["path"].partition(".")
    has = first in metadata
    value = metadata.get(first)
    if second:
        has = isinstance(value, dict) and second in value
        value = value[second] if has else None
    if "exists" in condition:
        return bool(has is condition["exists"])
    if "equals" in condition:
        return has and type(value) is type(condition["equals"]) and value == condition["equals"]
    if "contains" in condition:
        return isinstance(value, list) and condition["contains"] in value
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 1
