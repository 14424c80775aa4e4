"""The writes of the contract that create a record as it is in a readable copy, or replace one."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from memoryd.v1 import (
    agent_pb2,
    conversation_pb2,
    document_pb2,
    fragment_pb2,
    memory_pb2,
    memory_proposal_pb2,
    note_pb2,
    plan_pb2,
)
from memoryd.v1 import long_term_memory_service_pb2 as memories
from memoryd.v1 import working_memory_service_pb2 as entries
from memoryd.v1.entity_service_pb2 import SetEntitiesRequest
from memoryd.v1.transaction_service_pb2 import Write
from memoryd_server.ops.cli.agent.transfer.record import Record

TEXT_MEDIA_TYPES = ("text/plain", "text/markdown")
"""The media types of a document that is created from its text."""

MEMORY_FIELDS = (
    *("content", "type", "status", "provenance", "tags", "metadata", "importance", "occur_time", "expire_time"),
    "aliases",
)


class Writes(NamedTuple):
    """The writes of one record. ``digest`` is equal for records that an import cannot tell apart.

    ``fixed`` has what no change of an existing record can replace.
    """

    create: list[Write]
    replace: list[Write]
    fixed: tuple[str, ...] = ()

    @property
    def digest(self) -> bytes:
        """A digest of what is created."""
        found = hashlib.sha256()
        for write in self.create:
            found.update(write.SerializeToString(deterministic=True))
        return found.digest()


def writes_of(record: Record) -> Writes:
    """Return the writes of a record. Its scope ids are those of the agent that is written to."""
    return WRITERS[record.kind](record)


def _shared(source: Any, target: Any, *left_out: str) -> Any:
    """Return the target, with the values of the source's fields of the same names."""
    for field in target.DESCRIPTOR.fields:
        name = field.name
        origin = source.DESCRIPTOR.fields_by_name.get(name)
        if origin is None or name in left_out or (origin.has_presence and not source.HasField(name)):
            continue
        if field.is_repeated:
            getattr(target, name).extend(getattr(source, name))
        elif field.message_type is not None:
            getattr(target, name).CopyFrom(getattr(source, name))
        else:
            setattr(target, name, getattr(source, name))
    return target


def _agent(record: Record) -> Writes:
    # The tier is no part of what a copy has: an agent keeps its own, or gets that of its creator.
    draft = _shared(record.message, agent_pb2.AgentDraft(), "tier")
    mask = {"paths": ["tags", "metadata", "display_name", "defaults"]}
    write = Write(update_agent={"draft": draft, "update_mask": mask})
    return Writes([write], [write])


def _entry(record: Record) -> Writes:
    request = _shared(record.message, entries.SetEntryRequest())
    replacing = Write(set_entry=request)
    return Writes([Write(set_entry=request)], [replacing])


def _scope(record: Record) -> Writes:
    return Writes([Write(create_scope=_shared(record.message, entries.CreateScopeRequest()))], [])


def _fragment(record: Record) -> Writes:
    # A flushed fragment does not expire, whatever the time that it had before.
    left_out = ("expire_time",) if record.message.flushed else ()
    draft = _shared(record.message, fragment_pb2.FragmentDraft(), *left_out)
    return Writes([Write(create_fragment={"draft": draft})], [])


def _memory(record: Record) -> Writes:
    memory = record.message
    draft = _shared(memory, memories.MemoryDraft())
    draft.allow_duplicates = draft.skip_contradictions = True
    create = [Write(create_memory={"draft": draft})]
    lasts = memory.type == memory_pb2.MEMORY_TYPE_WORKING and not memory.HasField("expire_time")
    if lasts:
        # A working memory that is created without an expiry gets one.
        create.append(_update_memory(memory.memory_id, memories.MemoryDraft(), "expire_time"))
    replace = [_update_memory(memory.memory_id, draft, *MEMORY_FIELDS)]
    return Writes(create, replace, (memory.user_id, memory.project_id))


def _update_memory(memory_id: str, draft: Any, *fields: str) -> Write:
    update = memories.UpdateMemoryRequest(memory_id=memory_id, draft=draft, update_mask={"paths": fields})
    return Write(update_memory=update)


def activating(memory_id: str) -> Write:
    """Return the write that makes a memory active again, which a new link has superseded."""
    return _update_memory(memory_id, memories.MemoryDraft(status=memory_pb2.MEMORY_STATUS_ACTIVE), "status")


def _memory_link(record: Record) -> Writes:
    write = Write(link_memories=_shared(record.message, memories.LinkMemoriesRequest(), "agent_id"))
    return Writes([write], [write])


def _memory_proposal(record: Record) -> Writes:
    draft = _shared(record.message, memory_proposal_pb2.MemoryProposalDraft())
    create = Write(propose_memories={"drafts": [draft]})
    reject = Write(reject_memory_proposals={"memory_proposal_ids": [draft.memory_proposal_id]})
    return Writes([create], [reject, create])


def _note(record: Record) -> Writes:
    draft = _shared(record.message, note_pb2.NoteDraft())
    mask = {"paths": ["user_id", "tags", "metadata", "notebook", "title", "content", "importance"]}
    update = Write(update_note={"note_id": draft.note_id, "draft": draft, "update_mask": mask})
    return Writes([Write(create_note={"draft": draft})], [update])


def _plan(record: Record) -> Writes:
    plan = record.message
    draft = _shared(plan, plan_pb2.PlanDraft(), "steps")
    for step in plan.steps:
        _shared(step, draft.steps.add())
    create = [Write(create_plan={"draft": draft})]
    create += [Write(add_plan_note={"plan_id": plan.plan_id, "text": note.text}) for note in plan.notes]
    if plan.status == plan_pb2.PLAN_STATUS_COMPLETED:
        create.append(Write(complete_plan={"plan_id": plan.plan_id}))
    elif plan.status == plan_pb2.PLAN_STATUS_REPLACED:
        # Only another plan of the conversation replaces one; it need not last.
        other = f"import-{hashlib.sha256(plan.plan_id.encode()).hexdigest()[:32]}"
        successor = plan_pb2.PlanDraft(plan_id=other, conversation_id=plan.conversation_id, goal="import")
        create += [Write(create_plan={"draft": successor}), Write(delete_plan={"plan_id": other})]
    return Writes(create, [Write(delete_plan={"plan_id": plan.plan_id}), *create])


def reopening(plan_id: str) -> Write:
    """Return the write that makes a plan the current one again, which a later plan of the copy has replaced."""
    return Write(reopen_plan={"plan_id": plan_id})


def _conversation(record: Record) -> Writes:
    draft = _shared(record.message, conversation_pb2.ConversationDraft())
    conversation_id, mask = draft.conversation_id, {"paths": ["title", "user_id", "tags", "metadata"]}
    update = {"conversation_id": conversation_id, "draft": draft, "update_mask": mask}
    return Writes([Write(create_conversation={"draft": draft})], [Write(update_conversation=update)])


def recreating(writes: Writes, conversation_id: str) -> list[Write]:
    """Return the writes that create a conversation without messages instead of the existing one."""
    return [Write(delete_conversation={"conversation_id": conversation_id}), *writes.create]


def _message(record: Record) -> Writes:
    draft = _shared(record.message, conversation_pb2.MessageDraft())
    append = {"conversation_id": record.message.conversation_id, "drafts": [draft]}
    return Writes([Write(append_messages=append)], [])


def _entity_window(record: Record) -> Writes:
    write = Write(set_entities=_shared(record.message, SetEntitiesRequest(), "agent_id"))
    return Writes([write], [write])


def _document(record: Record) -> Writes:
    draft = _shared(record.message, document_pb2.DocumentDraft(), "charset")
    if draft.media_type not in TEXT_MEDIA_TYPES:
        draft.media_type = TEXT_MEDIA_TYPES[0]
    mask = {"paths": ["user_id", "tags", "metadata", "title", "description", "source", "media_type"]}
    update = {"document_id": draft.document_id, "draft": draft, "update_mask": mask, "text": record.text}
    return Writes([Write(create_document={"draft": draft, "text": record.text})], [Write(update_document=update)])


WRITERS: dict[str, Callable[[Record], Writes]] = {
    "agent": _agent,
    "entry": _entry,
    "scope": _scope,
    "fragment": _fragment,
    "memory": _memory,
    "memory_link": _memory_link,
    "memory_proposal": _memory_proposal,
    "note": _note,
    "plan": _plan,
    "conversation": _conversation,
    "message": _message,
    "entity_window": _entity_window,
    "document": _document,
}
"""The function that returns the writes of a record, for each kind."""


def only_if_missing(writes: Sequence[Write]) -> list[Write]:
    """Return the writes of a new record, so that none that another caller has created meanwhile is overwritten."""
    for write in writes:
        name = write.WhichOneof("write")
        if name in ("set_entry", "link_memories", "set_entities"):
            getattr(write, name).precondition.must_not_exist = True
    return list(writes)
