"""The tools that let a model use long-term memories."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from memoryd.errors import RecordNotFound
from memoryd.model.memory import Memory, MentionedTime, Provenance
from memoryd.model.memory_change import ForgottenMemory
from memoryd.model.recall import RecallResult, ScoredMemory
from memoryd.protocol import memory as calls
from memoryd.protocol.current_conversation import CurrentConversation
from memoryd.protocol.memory_draft import MemoryDraft
from memoryd.protocol.memory_link import list_links
from memoryd.protocol.memory_update import MemoryChanges
from memoryd.protocol.memory_update import update_memory as update_call
from memoryd.protocol.recall import MemoryFilters, Question, recall_memories
from memoryd.protocol.tool import Flow, changes_of, first_items, tool
from memoryd.protocol.tool_schema import Between

MemoryId = Annotated[str, "The memory's id, as recall returns it."]
Type = Literal["semantic", "episodic", "procedural", "working"]
Types = "A fact (semantic), an event (episodic), how to do something (procedural), or of use in this session (working)."
Importance = Annotated[float, "How much it matters, from 0 to 1.", Between(0, 1)]
Tags = Annotated[Sequence[str], "Labels."]
Aliases = Annotated[Sequence[str], "Other names and wordings by which to find it, such as NYC for New York City."]
LINKS_SHOWN_MAX = 50
"""Maximum number of links that get_memory looks at."""


@tool()
def remember(
    here: CurrentConversation,
    content: Annotated[str, "What to remember, as a sentence that stands alone and names who it is about."],
    type: Annotated[Type, Types + " Chosen by the content by default."] | None = None,  # noqa: A002
    importance: Importance = 0.5,
    tags: Tags = (),
    aliases: Aliases = (),
) -> Flow:
    """Remember something beyond this conversation. A duplicate of a memory raises that memory's confidence instead. The
    result names the memories that it contradicts, so that you can correct or forget them.
    """
    draft = MemoryDraft(
        content,
        here.user_id,
        type=type,
        importance=importance,
        tags=tags,
        aliases=aliases,
        provenance=Provenance.from_conversation(here.conversation_id, "said by the model"),
    )
    created = yield calls.create_memory(here.agent_id, draft)
    return {
        "outcome": created.outcome,
        "memory_id": created.memory_id,
        "contradicted_memory_ids": list(created.contradicted_memory_ids),
        "mentioned_times": [_mentioned(each) for each in created.mentioned_times],
    }


@tool(read_only=True)
def recall(
    here: CurrentConversation,
    query: Annotated[str, 'What to look for, in words. A time in it, such as "last week", prefers what happened then.'],
    limit: Annotated[int, "Maximum number of memories to return.", Between(1, 50)] = 5,
    types: Annotated[Sequence[Type], "Only memories of these types."] = (),
    tags: Annotated[Sequence[str], "Only memories that have all of these labels."] = (),
) -> Flow:
    """Find memories of this conversation and all before it: the best matches first, each with why it matches. One with
    contradicted_by is outdated: newer memories, whose ids that has, say otherwise.
    """
    question = Question(query, limit, 0.0, None, None, include_linked=True, include_embedding=False)
    filters = MemoryFilters(types=types or None, all_tags=tags, user_id=here.user_id)
    found: RecallResult = yield recall_memories(here.agent_id, question, filters)
    return {"memories": [_matching(each) for each in found.memories], "match_count": found.match_count}


@tool(read_only=True)
def list_memories(
    here: CurrentConversation,
    limit: Annotated[int, "Maximum number of memories to return.", Between(1, 100)] = 20,
) -> Flow:
    """List your memories, the newest first."""
    listed = calls.list_memories(here.agent_id, MemoryFilters(user_id=here.user_id))
    return {"memories": [_rendered(memory) for memory in (yield from first_items(listed, limit))]}


@tool(read_only=True)
def get_memory(here: CurrentConversation, memory_id: MemoryId) -> Flow:
    """Read one memory, with where it was learned, its confidence, and some of the memories that it is linked with."""
    memory: Memory = yield from _own(here, memory_id)
    links = yield from first_items(list_links(here.agent_id, memory_id, None), LINKS_SHOWN_MAX)
    ends = (end for link in links for end in (link.from_memory_id, link.to_memory_id))
    return {
        **_rendered(memory),
        "importance": memory.importance,
        "confidence": memory.confidence,
        "learned_in_conversation": memory.provenance.conversation_id,
        "learned_from_document": memory.provenance.document_id,
        "linked_memory_ids": [end for end in dict.fromkeys(ends) if end != memory_id],
    }


@tool(destructive=True)
def update_memory(
    here: CurrentConversation,
    memory_id: MemoryId,
    content: Annotated[str, "The new text, which replaces the memory's."] | None = None,
    type: Annotated[Type, Types] | None = None,  # noqa: A002
    importance: Importance | None = None,
    tags: Tags | None = None,
    aliases: Aliases | None = None,
) -> Flow:
    """Correct a memory. Arguments that are left out stay unchanged. The result names the memories that the new text
    contradicts.
    """
    changes: MemoryChanges = changes_of(content=content, type=type, importance=importance, tags=tags, aliases=aliases)
    memory = yield from _own(here, memory_id)
    updated = yield update_call(here.agent_id, memory.memory_id, changes, memory.revision)
    return {
        "memory_id": memory.memory_id,
        "updated": updated.changed,
        "contradicted_memory_ids": list(updated.contradicted_memory_ids),
    }


@tool()
def reinforce_memory(here: CurrentConversation, memory_id: MemoryId) -> Flow:
    """Raise the confidence of a memory that has proved right. It also fades more slowly."""
    memory = yield from _own(here, memory_id)
    reinforced = yield calls.reinforce_memory(here.agent_id, memory.memory_id, None, None)
    return {"memory_id": memory.memory_id, "confidence": reinforced.confidence}


@tool(destructive=True)
def forget_memory(here: CurrentConversation, memory_id: MemoryId) -> Flow:
    """Forget a memory that is wrong or not wanted any more. For a limited time, restore_memory can restore it."""
    memory = yield from _own(here, memory_id)
    forgotten: ForgottenMemory = yield calls.forget_memory(here.agent_id, memory.memory_id, None)
    until = forgotten.memory.purge_time if forgotten.memory else None
    return {"memory_id": memory.memory_id, "restorable_until": until.isoformat() if until else None}


@tool()
def restore_memory(here: CurrentConversation, memory_id: MemoryId) -> Flow:
    """Restore a memory that was forgotten."""
    memory = yield from _own(here, memory_id, include_forgotten=True)
    restored = yield calls.restore_memory(here.agent_id, memory.memory_id, None)
    return {"memory_id": memory.memory_id, "restored": restored.changed}


MEMORY_TOOLS = (
    remember,
    recall,
    list_memories,
    get_memory,
    update_memory,
    reinforce_memory,
    forget_memory,
    restore_memory,
)


def _own(here: CurrentConversation, memory_id: str, *, include_forgotten: bool = False) -> Flow:
    """Return a memory of the conversation's user. Raises RecordNotFound for another user's."""
    memory: Memory = yield calls.get_memory(here.agent_id, memory_id, include_forgotten=include_forgotten)
    if memory.user_id != here.user_id:
        raise RecordNotFound(f"agent {here.agent_id!r} has no memory {memory_id!r}")
    return memory


def _rendered(memory: Memory) -> dict[str, Any]:
    return {
        "memory_id": memory.memory_id,
        "content": memory.content,
        "type": memory.type,
        "occur_time": memory.occur_time.isoformat(),
        "aliases": list(memory.aliases),
        "tags": list(memory.tags),
    }


def _matching(match: ScoredMemory) -> dict[str, Any]:
    found = {**_rendered(match.memory), "score": round(match.score, 3), "why": match.match_reason}
    if match.mentioned_times:
        found["mentioned_times"] = [_mentioned(each) for each in match.mentioned_times]
    if match.contradicted_by:
        found["contradicted_by"] = list(match.contradicted_by)
    return found


def _mentioned(time: MentionedTime) -> dict[str, str]:
    """Return a time that a content names, for a model."""
    return {"text": time.text, "start_time": time.start_time.isoformat(), "end_time": time.end_time.isoformat()}
