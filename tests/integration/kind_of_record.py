"""The kinds of records that a mirror of an agent has: how each is created, changed, removed and listed, in one row."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from google.protobuf import json_format
from google.protobuf.message import Message
from tests.integration.wire import Memory

from memoryd.v1 import (
    agent_service_pb2,
    conversation_service_pb2,
    document_service_pb2,
    entity_service_pb2,
    event_pb2,
    event_service_pb2,
    fragment_service_pb2,
    long_term_memory_service_pb2,
    note_service_pb2,
    plan_pb2,
    plan_service_pb2,
    working_memory_service_pb2,
)

_FILES = (
    agent_service_pb2,
    conversation_service_pb2,
    document_service_pb2,
    entity_service_pb2,
    event_service_pb2,
    fragment_service_pb2,
    long_term_memory_service_pb2,
    note_service_pb2,
    plan_service_pb2,
    working_memory_service_pb2,
)
METHODS = {
    f"{service.name}.{method.name}": method
    for file in _FILES
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}

Request = dict[str, Any]
"""A request in JSON, without its agent_id. ``{n}`` in a text is the number of the record."""


class Kind(NamedTuple):
    """One kind of record. ``field`` is the field of an event's subject that has the record.

    ``changes`` are the calls that create and change the record with a number, of which the first one creates it;
    ``removal`` the call that removes it. ``listed`` returns the kind's records, ``counted`` are the fields that change
    without an event.
    """

    field: str
    ids: tuple[str, ...]
    changes: tuple[tuple[str, Request], ...]
    removal: tuple[str, Request] | None
    listed: Callable[[Memory], Iterable[Message]]
    counted: tuple[str, ...] = ()

    def id_of(self, message: Message) -> tuple[Any, ...]:
        """Return what identifies a record, from the record or from the subject of an event about it."""
        return tuple(getattr(message, name) for name in self.ids)


def call(agent: Memory, name: str, request: Mapping[str, Any]) -> Any:
    """Call a method of the contract by its name, for an agent."""
    method = METHODS[name]
    message = json_format.ParseDict({"agent_id": agent.id, **request}, method.input_type._concrete_class())
    invoke = agent.wire.channel.unary_unary(
        f"/{method.containing_service.full_name}/{method.name}",
        request_serializer=method.input_type._concrete_class.SerializeToString,
        response_deserializer=method.output_type._concrete_class.FromString,
    )
    return invoke(message)


def numbered(request: Any, number: int) -> Any:
    """Return the request with the number in its texts."""
    if isinstance(request, dict):
        return {name: numbered(value, number) for name, value in request.items()}
    if isinstance(request, list):
        return [numbered(value, number) for value in request]
    return request.replace("{n}", str(number)) if isinstance(request, str) else request


def listing(name: str, field: str, **request: Any) -> Callable[[Memory], Iterable[Message]]:
    """Return a function that lists all records by a method, page by page."""

    def listed(agent: Memory) -> Iterable[Message]:
        token = ""
        while True:
            page = call(agent, name, {**request, "page_size": 3, "page_token": token})
            yield from getattr(page, field)
            token = page.next_page_token
            if not token:
                return

    return listed


def _entries(agent: Memory) -> Iterable[Message]:
    scope_ids = ["", *(scope.scope_id for scope in agent.scopes().scopes)]  # type: ignore[attr-defined]
    for scope_id in scope_ids:
        yield from listing("WorkingMemoryService.ListEntries", "entries", scope_id=scope_id)(agent)


def _messages(agent: Memory) -> Iterable[Message]:
    for conversation in listing("ConversationService.ListConversations", "conversations")(agent):
        conversation_id = conversation.conversation_id  # type: ignore[attr-defined]
        yield from listing("ConversationService.ListMessages", "messages", conversation_id=conversation_id)(agent)


def _steps(agent: Memory) -> Iterable[Message]:
    for plan in listing("PlanService.ListPlans", "plans")(agent):
        yield from plan_steps(plan)  # type: ignore[arg-type]


def plan_steps(plan: plan_pb2.Plan) -> Iterable[Message]:
    """Yield the steps of a plan with what identifies them."""
    for step in plan.steps:
        yield event_pb2.PlanStepEvent(plan_id=plan.plan_id, step_id=step.step_id, plan_step=step)


def _links(agent: Memory) -> Iterable[Message]:
    found = {}
    for memory in listing("LongTermMemoryService.ListMemories", "memories", filter=_ANY_MEMORY)(agent):
        request = {"memory_id": memory.memory_id}  # type: ignore[attr-defined]
        for link in call(agent, "LongTermMemoryService.ListMemoryLinks", request).memory_links:
            found[link.from_memory_id, link.to_memory_id, link.type] = link
    return found.values()


_ANY_STATUS = ["MEMORY_STATUS_ACTIVE", "MEMORY_STATUS_ARCHIVED", "MEMORY_STATUS_SUPERSEDED"]
_ANY_MEMORY = {"all_users": True, "memory": {"statuses": _ANY_STATUS}}


def _agent(agent: Memory) -> Iterable[Message]:
    yield call(agent, "AgentService.GetAgent", {}).agent


KINDS = (
    Kind(
        "agent",
        (),
        (
            ("AgentService.UpdateAgent", {"draft": {"display_name": "agent {n}"}, "update_mask": "displayName"}),
            (
                "AgentService.UpdateAgent",
                {
                    "draft": {"tags": ["{n}"], "metadata": {"n": "{n}"}, "defaults": {"model": "gpt-5"}},
                    "update_mask": "tags,metadata,defaults",
                },
            ),
        ),
        None,
        _agent,
        counted=("revision", "update_time"),
    ),
    Kind(
        "entry",
        ("scope_id", "key"),
        (
            ("WorkingMemoryService.SetEntry", {"key": "key-{n}", "value_json": "1"}),
            ("WorkingMemoryService.SetEntry", {"key": "key-{n}", "value_json": "2", "tags": ["t"]}),
        ),
        ("WorkingMemoryService.RemoveEntry", {"key": "key-{n}"}),
        _entries,
        ("access_count", "last_access_time"),
    ),
    Kind(
        "scope",
        ("scope_id",),
        (("WorkingMemoryService.CreateScope", {"name": "scope-{n}"}),),
        None,
        listing("WorkingMemoryService.ListScopes", "scopes"),
        ("entry_count",),
    ),
    Kind(
        "fragment",
        ("fragment_id",),
        (
            ("FragmentService.CreateFragment", {"draft": {"content": "fragment {n}"}}),
            ("FragmentService.FlushFragments", {}),
        ),
        ("FragmentService.DeleteFragment", {"fragment_id": "mem_0000000{n}"}),
        listing("FragmentService.ListFragments", "fragments"),
        ("delivery_count",),
    ),
    Kind(
        "memory",
        ("memory_id",),
        (
            (
                "LongTermMemoryService.CreateMemory",
                {"draft": {"memory_id": "m{n}", "content": "memory {n}", "user_id": "ann", "allow_duplicates": True}},
            ),
            ("LongTermMemoryService.ReinforceMemory", {"memory_id": "m{n}"}),
            (
                "LongTermMemoryService.UpdateMemory",
                {"memory_id": "m{n}", "draft": {"content": "changed {n}"}, "update_mask": "content"},
            ),
        ),
        ("LongTermMemoryService.PurgeMemory", {"memory_id": "m{n}"}),
        listing("LongTermMemoryService.ListMemories", "memories", filter=_ANY_MEMORY),
        ("salience", "link_count", "last_access_time", "access_count"),
    ),
    Kind(
        "memory_link",
        ("from_memory_id", "to_memory_id", "type"),
        (
            (
                "LongTermMemoryService.LinkMemories",
                {"from_memory_id": "m{n}", "to_memory_id": "m9", "type": "MEMORY_LINK_TYPE_RELATED", "strength": 0.25},
            ),
            (
                "LongTermMemoryService.LinkMemories",
                {"from_memory_id": "m{n}", "to_memory_id": "m9", "type": "MEMORY_LINK_TYPE_RELATED", "strength": 0.5},
            ),
        ),
        ("LongTermMemoryService.UnlinkMemories", {"from_memory_id": "m{n}", "to_memory_id": "m9"}),
        _links,
    ),
    Kind(
        "memory_proposal",
        ("memory_proposal_id",),
        (
            (
                "LongTermMemoryService.ProposeMemories",
                {"drafts": [{"memory_proposal_id": "q{n}", "content": "proposal {n}", "tags": ["t"]}]},
            ),
        ),
        ("LongTermMemoryService.RejectMemoryProposals", {"memory_proposal_ids": ["q{n}"]}),
        listing("LongTermMemoryService.ListMemoryProposals", "memory_proposals"),
    ),
    Kind(
        "note",
        ("note_id",),
        (
            ("NoteService.CreateNote", {"draft": {"note_id": "n{n}", "title": "T", "content": "note {n}"}}),
            ("NoteService.UpdateNote", {"note_id": "n{n}", "draft": {"title": "changed"}, "update_mask": "title"}),
        ),
        ("NoteService.DeleteNote", {"note_id": "n{n}"}),
        listing("NoteService.ListNotes", "notes"),
    ),
    Kind(
        "plan",
        ("plan_id",),
        (
            (
                "PlanService.CreatePlan",
                {
                    "draft": {
                        "plan_id": "p{n}",
                        "conversation_id": "talk-{n}",
                        "goal": "G",
                        "steps": [{"description": "a"}, {"description": "b"}],
                    }
                },
            ),
            (
                "PlanService.UpdatePlan",
                {"plan_id": "p{n}", "draft": {"goal": "H", "tags": ["t"]}, "update_mask": "goal,tags"},
            ),
            ("PlanService.AddPlanNote", {"plan_id": "p{n}", "text": "learned"}),
            ("PlanService.CompletePlan", {"plan_id": "p{n}"}),
            ("PlanService.ReopenPlan", {"plan_id": "p{n}"}),
        ),
        ("PlanService.DeletePlan", {"plan_id": "p{n}"}),
        listing("PlanService.ListPlans", "plans"),
    ),
    Kind(
        "plan_step",
        ("plan_id", "step_id"),
        (
            ("PlanService.AddPlanStep", {"plan_id": "p{n}", "draft": {"description": "c"}, "before_step_id": "1"}),
            (
                "PlanService.UpdatePlanStep",
                {
                    "plan_id": "p{n}",
                    "step_id": "1",
                    "draft": {"status": "PLAN_STEP_STATUS_COMPLETED", "notes": "done"},
                    "update_mask": "status,notes",
                },
            ),
            ("PlanService.MovePlanStep", {"plan_id": "p{n}", "step_id": "1"}),
        ),
        ("PlanService.RemovePlanStep", {"plan_id": "p{n}", "step_id": "2"}),
        _steps,
    ),
    Kind(
        "document",
        ("document_id",),
        (
            ("DocumentService.CreateDocument", {"draft": {"document_id": "d{n}", "title": "T"}, "text": "text {n}"}),
            (
                "DocumentService.UpdateDocument",
                {"document_id": "d{n}", "draft": {"tags": ["t"]}, "update_mask": "tags"},
            ),
        ),
        ("DocumentService.DeleteDocument", {"document_id": "d{n}"}),
        listing("DocumentService.ListDocuments", "documents"),
    ),
    Kind(
        "entity_window",
        ("conversation_id",),
        (
            (
                "EntityService.AddEntities",
                {"conversation_id": "talk-{n}", "entities": [{"type": "page", "entity_id": "1", "name": "A"}]},
            ),
            (
                "EntityService.AddEntities",
                {"conversation_id": "talk-{n}", "entities": [{"type": "page", "entity_id": "2", "name": "B"}]},
            ),
        ),
        ("EntityService.ClearEntities", {"conversation_id": "talk-{n}"}),
        listing("EntityService.ListEntityWindows", "entity_windows"),
    ),
    Kind(
        "conversation",
        ("conversation_id",),
        (
            ("ConversationService.CreateConversation", {"draft": {"conversation_id": "talk-{n}", "title": "T"}}),
            (
                "ConversationService.UpdateConversation",
                {"conversation_id": "talk-{n}", "draft": {"title": "changed"}, "update_mask": "title"},
            ),
        ),
        ("ConversationService.DeleteConversation", {"conversation_id": "talk-{n}"}),
        listing("ConversationService.ListConversations", "conversations"),
        ("message_count", "token_count", "next_number", "revision", "update_time"),
    ),
    Kind(
        "message",
        ("conversation_id", "number"),
        (
            (
                "ConversationService.AppendMessages",
                {"conversation_id": "talk-{n}", "drafts": [{"role": "MESSAGE_ROLE_USER", "content": "hello"}]},
            ),
        ),
        ("ConversationService.DeleteConversation", {"conversation_id": "talk-{n}"}),
        _messages,
    ),
)
