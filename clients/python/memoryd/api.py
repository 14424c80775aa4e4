"""The public names of the package ``memoryd``, which imports them lazily from here."""

from memoryd import aio, errors
from memoryd.errors import MemorydError
from memoryd.model.agent import AgentInfo, AgentStats, Cleared, Ended, MemoryKind
from memoryd.model.context import ComposedContext, ContextMessage, ManifestItem, ManifestOutcome, SectionUsage
from memoryd.model.conversation import (
    Compacted,
    CompactionStrategy,
    ConversationInfo,
    DraftMessage,
    Message,
    MessageRole,
    TokenCount,
)
from memoryd.model.document import Document, DocumentChunk, DocumentSearch, ScoredChunk
from memoryd.model.entity import Entity, EntityWindowInfo
from memoryd.model.entry import BatchResult, Entry, MemoryType, OperationResult, Stored
from memoryd.model.event import Event, EventCause, EventFilter, EventType, WatchMessage, WatchPhase
from memoryd.model.fragment import Fragment, FragmentCount, FragmentLease, StoredFragment
from memoryd.model.memory import Embedding, LongTermMemoryType, Memory, MemoryStatus, Provenance, Temporal
from memoryd.model.memory_change import (
    CreatedMemory,
    CreationOutcome,
    ForgottenMemory,
    LinkedMemories,
    Reembedding,
    ReinforcedMemory,
    UnlinkedMemories,
    UpdatedMemory,
)
from memoryd.model.memory_link import MemoryLink, MemoryLinkType
from memoryd.model.note import Note
from memoryd.model.plan import AddedStep, Plan, PlanContextNote, PlanStatus, PlanStep, PlanStepStatus
from memoryd.model.recall import RecallResult, ScoredMemory
from memoryd.model.scope import ScopeInfo
from memoryd.model.server import Durability, Embedder, ServerInfo, ServerState
from memoryd.model.snapshot import Restored, Snapshot, SnapshotTrigger
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
from memoryd.protocol.memory_draft import DraftLink, MemoryDraft
from memoryd.protocol.scope import Conflict
from memoryd.protocol.target import Tls
from memoryd.protocol.tool import Tool, ToolAnswer
from memoryd.sync import (
    Agent,
    Client,
    Compose,
    Consumer,
    Conversations,
    Documents,
    EntityWindow,
    Fragments,
    Memories,
    Middleware,
    Notes,
    Pipeline,
    Plans,
    Scope,
    Toolkit,
    Watch,
    WorkingMemory,
    connect,
)

__all__ = [
    "AddedStep",
    "Agent",
    "AgentInfo",
    "AgentStats",
    "Batch",
    "BatchResult",
    "ChatMessage",
    "Cleared",
    "Client",
    "Compacted",
    "CompactionStrategy",
    "Compose",
    "ComposedContext",
    "Conflict",
    "Consumer",
    "ContextMessage",
    "ContextSection",
    "ConversationInfo",
    "Conversations",
    "CreatedMemory",
    "CreationOutcome",
    "CurrentConversation",
    "Document",
    "DocumentChunk",
    "DocumentSearch",
    "Documents",
    "DocumentsSection",
    "DraftLink",
    "DraftMessage",
    "Durability",
    "Embedder",
    "Embedding",
    "Ended",
    "EntitiesSection",
    "Entity",
    "EntityWindow",
    "EntityWindowInfo",
    "EntriesSection",
    "Entry",
    "Event",
    "EventCause",
    "EventFilter",
    "EventType",
    "ForgottenMemory",
    "Fragment",
    "FragmentCount",
    "FragmentLease",
    "Fragments",
    "InjectedMessage",
    "Json",
    "LinkedMemories",
    "LongTermMemoryType",
    "ManifestItem",
    "ManifestOutcome",
    "Memories",
    "MemoriesSection",
    "Memory",
    "MemoryBuilder",
    "MemoryContext",
    "MemoryDraft",
    "MemoryKind",
    "MemoryLink",
    "MemoryLinkType",
    "MemoryStatus",
    "MemoryType",
    "MemorydError",
    "Message",
    "MessageRole",
    "MessagesSection",
    "Middleware",
    "Note",
    "Notes",
    "NotesSection",
    "OperationResult",
    "Pipeline",
    "Plan",
    "PlanContextNote",
    "PlanSection",
    "PlanStatus",
    "PlanStep",
    "PlanStepStatus",
    "Plans",
    "Provenance",
    "RecallResult",
    "Reembedding",
    "ReinforcedMemory",
    "Restored",
    "Scope",
    "ScopeInfo",
    "ScoredChunk",
    "ScoredMemory",
    "SectionUsage",
    "ServerInfo",
    "ServerState",
    "Snapshot",
    "SnapshotTrigger",
    "Stored",
    "StoredFragment",
    "Temporal",
    "TextSection",
    "Tls",
    "TokenCount",
    "Tool",
    "ToolAnswer",
    "Toolkit",
    "UnlinkedMemories",
    "UpdatedMemory",
    "Watch",
    "WatchMessage",
    "WatchPhase",
    "WorkingMemory",
    "aio",
    "connect",
    "conversation",
    "current_conversation",
    "errors",
]
