"""The table of all kinds of memory: the one place that names every part, event subject and result."""

from typing import Any

from memoryd_server.domain.agent.event import ClearedSubject
from memoryd_server.domain.agent.part import Part
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agents.agent import AGENT, Agent
from memoryd_server.domain.agents.agent_change import AgentUpdated
from memoryd_server.domain.agents.agent_subject import AgentSubject
from memoryd_server.domain.conversations.compaction_change import MessagesCompacted
from memoryd_server.domain.conversations.conversation import (
    CONVERSATION,
    CONVERSATION_SHAPE,
    MESSAGE,
    MESSAGE_SHAPE,
    Conversation,
    ConversationMessage,
)
from memoryd_server.domain.conversations.conversation_change import ConversationDeleted
from memoryd_server.domain.conversations.due_ingestion import DUE_INGESTIONS
from memoryd_server.domain.conversations.ingestion_change import MessagesIngested
from memoryd_server.domain.conversations.ingestion_lease import IngestionSettled, IngestionsLeased, IngestionsReleased
from memoryd_server.domain.conversations.message_change import MessagesAppended, MessagesTruncated
from memoryd_server.domain.documents.document import DOCUMENT, DOCUMENT_CHUNK, DOCUMENT_SHAPE, Document, DocumentChunk
from memoryd_server.domain.entities.entity import ENTITY_WINDOW, ENTITY_WINDOW_SHAPE, EntityWindow
from memoryd_server.domain.entities.entity_change import EntitiesCleared
from memoryd_server.domain.entries.entry import ENTRY_SHAPE
from memoryd_server.domain.entries.entry_change import (
    EntriesCleared,
    EntriesWritten,
    EntryFoundOrSet,
    EntryRemoved,
    EntrySet,
)
from memoryd_server.domain.entries.entry_subject import EntrySubject, ScopeSubject
from memoryd_server.domain.entries.reservation_change import EntryReserved, ReservationReleased
from memoryd_server.domain.entries.scope import SCOPE_SHAPE
from memoryd_server.domain.entries.scope_change import ScopeCreated, ScopeMerged, ScopeRenewed, ScopesDisposed
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.erasures.erasure_part import ERASURES
from memoryd_server.domain.fragments.fragment import FRAGMENT_SHAPE
from memoryd_server.domain.fragments.fragment_change import (
    FragmentCreated,
    FragmentDeleted,
    FragmentsCleared,
    FragmentsFlushed,
)
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.fragments.fragment_subject import FlushedSubject, FragmentSubject
from memoryd_server.domain.fragments.lease_change import FragmentsLeased, FragmentsSettled
from memoryd_server.domain.memories.changes.embedding_change import EmbeddingsKept, MemoriesReembedded
from memoryd_server.domain.memories.changes.link_change import MemoriesLinked, MemoriesUnlinked
from memoryd_server.domain.memories.changes.memory_change import MemoryChanged
from memoryd_server.domain.memories.changes.memory_creation import MemoriesCreated
from memoryd_server.domain.memories.changes.memory_removal import (
    MemoriesForgotten,
    MemoryForgotten,
    MemoryPurged,
    PurgesFinished,
)
from memoryd_server.domain.memories.changes.proposal_change import MemoriesProposed
from memoryd_server.domain.memories.memory import MEMORY_SHAPE
from memoryd_server.domain.memories.memory_link import MEMORY_LINK_SHAPE
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_proposal import MEMORY_PROPOSAL, MEMORY_PROPOSAL_SHAPE, MemoryProposal
from memoryd_server.domain.memories.memory_subject import LinkSubject, MemorySubject
from memoryd_server.domain.notes.note import NOTE, NOTE_SHAPE, Note
from memoryd_server.domain.plans.plan import PLAN_SHAPE, Plan
from memoryd_server.domain.plans.plan_change import PlanNoteAdded, PlanStarted, PlanStepPut, PlanStepRemoved
from memoryd_server.domain.plans.plan_part import PLAN
from memoryd_server.domain.plans.plan_subject import PlanNoteSubject, PlanStepSubject, PlanSubject
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.record_filter import Matcher, RecordFilter, RecordShape

PARTS: tuple[Part[Any, Any], ...] = (
    AGENT,
    WORKING_MEMORY,
    FRAGMENTS,
    MEMORIES,
    MEMORY_PROPOSAL,
    NOTE,
    PLAN,
    CONVERSATION,
    MESSAGE,
    DUE_INGESTIONS,
    ENTITY_WINDOW,
    DOCUMENT_CHUNK,
    DOCUMENT,
    ERASURES,
)
"""All parts, in the order in which a restore replaces them and a watch that begins with the state emits them."""

PART_OF_RECORD: dict[str, Part[Any, Any]] = {name: part for part in PARTS for name in part.records}
"""The part that owns each record name."""

SHAPES: dict[RecordKind, RecordShape] = {
    RecordKind.ENTRY: ENTRY_SHAPE,
    RecordKind.SCOPE: SCOPE_SHAPE,
    RecordKind.FRAGMENT: FRAGMENT_SHAPE,
    RecordKind.MEMORY: MEMORY_SHAPE,
    RecordKind.MEMORY_LINK: MEMORY_LINK_SHAPE,
    RecordKind.NOTE: NOTE_SHAPE,
    RecordKind.PLAN: PLAN_SHAPE,
    RecordKind.CONVERSATION: CONVERSATION_SHAPE,
    RecordKind.MESSAGE: MESSAGE_SHAPE,
    RecordKind.ENTITY_WINDOW: ENTITY_WINDOW_SHAPE,
    RecordKind.DOCUMENT: DOCUMENT_SHAPE,
    RecordKind.MEMORY_PROPOSAL: MEMORY_PROPOSAL_SHAPE,
}
"""The fields of each kind's records that a filter asks for."""


def tally_of(state: AgentState) -> tuple[int, int, int, int]:
    """Return the numbers of a state's entries, active scopes, fragments and memories, expired ones included."""
    # This runs in every commit. A state has no value of a part that was never used.
    working = state.parts.get(WORKING_MEMORY.name)
    fragments, memories = state.parts.get(FRAGMENTS.name), state.parts.get(MEMORIES.name)
    return (
        0 if working is None else working.entry_count,
        0 if working is None else len(working.scopes),
        0 if fragments is None else len(fragments),
        0 if memories is None else len(memories),
    )


def kinds_kept_by(chosen: RecordFilter) -> frozenset[RecordKind]:
    """Return the kinds of which a filter may keep a record."""
    nothing_known = ((kind, shape, shape.all_but()) for kind, shape in SHAPES.items())
    return frozenset(
        kind for kind, shape, unknown in nothing_known if Matcher(chosen, shape).verdict(None, unknown) is not False
    )


CollectedRecord = (
    Agent | MemoryProposal | Note | Plan | ConversationMessage | Conversation | EntityWindow | DocumentChunk | Document
)

AnySubject = (
    AgentSubject
    | ClearedSubject
    | EntrySubject
    | ScopeSubject
    | FragmentSubject
    | FlushedSubject
    | MemorySubject
    | LinkSubject
    | PlanSubject
    | PlanStepSubject
    | PlanNoteSubject
    | CollectedRecord
)
"""All subjects that a stored event can have."""

RememberedResult = (
    AgentUpdated
    | EntrySet
    | EntryFoundOrSet
    | EntryReserved
    | ReservationReleased
    | EntryRemoved
    | EntriesCleared
    | EntriesWritten
    | ScopeCreated
    | ScopeMerged
    | ScopeRenewed
    | ScopesDisposed
    | FragmentCreated
    | FragmentDeleted
    | FragmentsCleared
    | FragmentsFlushed
    | FragmentsLeased
    | FragmentsSettled
    | MemoriesCreated
    | MemoryChanged
    | MemoryForgotten
    | MemoriesForgotten
    | MemoryPurged
    | PurgesFinished
    | MemoriesLinked
    | MemoriesUnlinked
    | EmbeddingsKept
    | MemoriesReembedded
    | MemoriesProposed
    | RecordPut[CollectedRecord]
    | PlanStarted
    | PlanStepPut
    | PlanStepRemoved
    | PlanNoteAdded
    | RecordRemoved
    | ConversationDeleted
    | MessagesAppended
    | MessagesTruncated
    | MessagesCompacted
    | MessagesIngested
    | IngestionsLeased
    | IngestionsReleased
    | IngestionSettled
    | EntitiesCleared
)
"""All results that can be stored under a request id, except those of commands about a whole agent."""
