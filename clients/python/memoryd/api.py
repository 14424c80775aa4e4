"""The public names of the package ``memoryd``, which imports each from its own module when it is used.

``scripts/generate`` writes ``place.py``, the table of these modules, from the imports of this one.
"""

from memoryd import aio, errors
from memoryd.errors import MemorydError
from memoryd.model.agent import AgentDefaults, AgentInfo, AgentStats, Cleared, Ended, ForgottenUser
from memoryd.model.audit import AuditPhase, AuditRecord
from memoryd.model.context import (
    ComposedContext,
    ContextManifestItem,
    ContextMessage,
    ContextOutcome,
    ContextSectionUsage,
    TokenCount,
)
from memoryd.model.conversation import (
    Appended,
    Compacted,
    CompactionStrategy,
    ConversationInfo,
    DeletedConversation,
    DropOldest,
    ExtractToNotes,
    KeepImportant,
    Summarize,
    Truncated,
)
from memoryd.model.document import Document, DocumentChunk, DocumentSearch, ScoredDocumentChunk
from memoryd.model.entity import Entity, EntityWindowInfo
from memoryd.model.entry import BatchResult, Entry, EntryType, OperationResult, Stored
from memoryd.model.erasure import ErasureReceipt
from memoryd.model.event import Event, EventCause, EventFilter, EventType, WatchMessage, WatchPhase
from memoryd.model.event_subject import (
    AgentEvent,
    ClearedEvent,
    ConversationEvent,
    DocumentEvent,
    EntityWindowEvent,
    EntryEvent,
    EventSubject,
    FlushedEvent,
    FragmentEvent,
    MemoryEvent,
    MemoryLinkEvent,
    MemoryProposalEvent,
    MessageEvent,
    NoteEvent,
    PlanEvent,
    PlanNoteEvent,
    PlanStepEvent,
    ScopeEvent,
)
from memoryd.model.fragment import CreatedFragment, Fragment, FragmentCount, FragmentLease
from memoryd.model.listing import ListOrder, RecordView
from memoryd.model.memory import (
    Embedding,
    Memory,
    MemoryConfidence,
    MemoryStatus,
    MemoryType,
    MentionedTime,
    Provenance,
)
from memoryd.model.memory_change import (
    ChangedMemory,
    CreatedMemory,
    CreateMemoryOutcome,
    ForgetMemoryResult,
    ForgottenMemory,
    IngestedConversation,
    LinkedMemories,
    Reembedding,
)
from memoryd.model.memory_link import MemoryLink, MemoryLinkType
from memoryd.model.memory_proposal import IngestMode, MemoryProposal, MemoryProposalDraft, ProposedMemories
from memoryd.model.message import (
    FilePart,
    Message,
    MessageDraft,
    MessagePart,
    MessageRole,
    TextPart,
    ToolCall,
    ToolResult,
)
from memoryd.model.note import Note
from memoryd.model.operation import OperationInfo, OperationProgress, OperationState
from memoryd.model.plan import Plan, PlanNote, PlanStatus, PlanStep, PlanStepStatus
from memoryd.model.recall import RecallResult, ScoredMemory
from memoryd.model.record import RecordKind
from memoryd.model.record_ref import RecordRef
from memoryd.model.scope import ScopeInfo
from memoryd.model.server import (
    ComponentState,
    Durability,
    Embedder,
    ServerComponent,
    ServerInfo,
    ServerState,
    Tier,
    Verb,
)
from memoryd.model.snapshot import JournalSegment, Restored, Snapshot, SnapshotTrigger
from memoryd.model.typed_value import register_type
from memoryd.model.value import Json
from memoryd.protocol.batch import Batch
from memoryd.protocol.chat_message import ChatMessage, InjectedMessage
from memoryd.protocol.context import (
    ContextSection,
    DocumentsSection,
    EntitiesSection,
    EntriesSection,
    MemoriesSection,
    MessagesSection,
    NotesSection,
    PlanSection,
    TextSection,
)
from memoryd.protocol.current_conversation import CurrentConversation, conversation, current_conversation
from memoryd.protocol.memory_builder import MemoryBuilder, MemoryContext
from memoryd.protocol.memory_draft import MemoryDraft, MemoryLinkDraft
from memoryd.protocol.near_option import WhenStale
from memoryd.protocol.record_filter import MetadataAnyOf, MetadataContains, MetadataExists, MetadataRange, RecordFilter
from memoryd.protocol.scope import Conflict
from memoryd.protocol.target import Tls
from memoryd.protocol.tool import Tool, ToolAnswer
from memoryd.sync.agent import Agent
from memoryd.sync.client import Client, connect
from memoryd.sync.consumer import Consumer
from memoryd.sync.conversations import Conversations
from memoryd.sync.documents import Documents
from memoryd.sync.entity_window import EntityWindow
from memoryd.sync.fragments import Fragments
from memoryd.sync.memories import Memories
from memoryd.sync.near_cache import NearCache, NearMemory
from memoryd.sync.notes import Notes
from memoryd.sync.operations import Operation, Operations
from memoryd.sync.pipeline import Compose, Middleware, Pipeline
from memoryd.sync.plans import Plans
from memoryd.sync.toolkit import Toolkit
from memoryd.sync.watch import Watch
from memoryd.sync.working_memory import Scope, WorkingMemory
from memoryd.transaction.recorder import Written
from memoryd.transaction.transaction import Transaction

__all__ = [
    "Agent",
    "AgentDefaults",
    "AgentEvent",
    "AgentInfo",
    "AgentStats",
    "Appended",
    "AuditPhase",
    "AuditRecord",
    "Batch",
    "BatchResult",
    "ChangedMemory",
    "ChatMessage",
    "Cleared",
    "ClearedEvent",
    "Client",
    "Compacted",
    "CompactionStrategy",
    "ComponentState",
    "Compose",
    "ComposedContext",
    "Conflict",
    "Consumer",
    "ContextManifestItem",
    "ContextMessage",
    "ContextOutcome",
    "ContextSection",
    "ContextSectionUsage",
    "ConversationEvent",
    "ConversationInfo",
    "Conversations",
    "CreateMemoryOutcome",
    "CreatedFragment",
    "CreatedMemory",
    "CurrentConversation",
    "DeletedConversation",
    "Document",
    "DocumentChunk",
    "DocumentEvent",
    "DocumentSearch",
    "Documents",
    "DocumentsSection",
    "DropOldest",
    "Durability",
    "Embedder",
    "Embedding",
    "Ended",
    "EntitiesSection",
    "Entity",
    "EntityWindow",
    "EntityWindowEvent",
    "EntityWindowInfo",
    "EntriesSection",
    "Entry",
    "EntryEvent",
    "EntryType",
    "ErasureReceipt",
    "Event",
    "EventCause",
    "EventFilter",
    "EventSubject",
    "EventType",
    "ExtractToNotes",
    "FilePart",
    "FlushedEvent",
    "ForgetMemoryResult",
    "ForgottenMemory",
    "ForgottenUser",
    "Fragment",
    "FragmentCount",
    "FragmentEvent",
    "FragmentLease",
    "Fragments",
    "IngestMode",
    "IngestedConversation",
    "InjectedMessage",
    "JournalSegment",
    "Json",
    "KeepImportant",
    "LinkedMemories",
    "ListOrder",
    "Memories",
    "MemoriesSection",
    "Memory",
    "MemoryBuilder",
    "MemoryConfidence",
    "MemoryContext",
    "MemoryDraft",
    "MemoryEvent",
    "MemoryLink",
    "MemoryLinkDraft",
    "MemoryLinkEvent",
    "MemoryLinkType",
    "MemoryProposal",
    "MemoryProposalDraft",
    "MemoryProposalEvent",
    "MemoryStatus",
    "MemoryType",
    "MemorydError",
    "MentionedTime",
    "Message",
    "MessageDraft",
    "MessageEvent",
    "MessagePart",
    "MessageRole",
    "MessagesSection",
    "MetadataAnyOf",
    "MetadataContains",
    "MetadataExists",
    "MetadataRange",
    "Middleware",
    "NearCache",
    "NearMemory",
    "Note",
    "NoteEvent",
    "Notes",
    "NotesSection",
    "Operation",
    "OperationInfo",
    "OperationProgress",
    "OperationResult",
    "OperationState",
    "Operations",
    "Pipeline",
    "Plan",
    "PlanEvent",
    "PlanNote",
    "PlanNoteEvent",
    "PlanSection",
    "PlanStatus",
    "PlanStep",
    "PlanStepEvent",
    "PlanStepStatus",
    "Plans",
    "ProposedMemories",
    "Provenance",
    "RecallResult",
    "RecordFilter",
    "RecordKind",
    "RecordRef",
    "RecordView",
    "Reembedding",
    "Restored",
    "Scope",
    "ScopeEvent",
    "ScopeInfo",
    "ScoredDocumentChunk",
    "ScoredMemory",
    "ServerComponent",
    "ServerInfo",
    "ServerState",
    "Snapshot",
    "SnapshotTrigger",
    "Stored",
    "Summarize",
    "TextPart",
    "TextSection",
    "Tier",
    "Tls",
    "TokenCount",
    "Tool",
    "ToolAnswer",
    "ToolCall",
    "ToolResult",
    "Toolkit",
    "Transaction",
    "Truncated",
    "Verb",
    "Watch",
    "WatchMessage",
    "WatchPhase",
    "WhenStale",
    "WorkingMemory",
    "Written",
    "aio",
    "connect",
    "conversation",
    "current_conversation",
    "errors",
    "register_type",
]
