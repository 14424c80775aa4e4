import datetime

from google.protobuf import field_mask_pb2 as _field_mask_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import agent_pb2 as _agent_pb2
from memoryd.v1 import conversation_pb2 as _conversation_pb2
from memoryd.v1 import document_pb2 as _document_pb2
from memoryd.v1 import entity_pb2 as _entity_pb2
from memoryd.v1 import entry_pb2 as _entry_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import fragment_pb2 as _fragment_pb2
from memoryd.v1 import memory_pb2 as _memory_pb2
from memoryd.v1 import memory_proposal_pb2 as _memory_proposal_pb2
from memoryd.v1 import note_pb2 as _note_pb2
from memoryd.v1 import plan_pb2 as _plan_pb2
from memoryd.v1 import record_pb2 as _record_pb2
from memoryd.v1 import record_filter_pb2 as _record_filter_pb2
from memoryd.v1 import scope_pb2 as _scope_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EventType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVENT_TYPE_UNSPECIFIED: _ClassVar[EventType]
    EVENT_TYPE_ENTRY_SET: _ClassVar[EventType]
    EVENT_TYPE_ENTRY_REMOVED: _ClassVar[EventType]
    EVENT_TYPE_ENTRIES_CLEARED: _ClassVar[EventType]
    EVENT_TYPE_SCOPE_CREATED: _ClassVar[EventType]
    EVENT_TYPE_SCOPE_DISPOSED: _ClassVar[EventType]
    EVENT_TYPE_FRAGMENT_CREATED: _ClassVar[EventType]
    EVENT_TYPE_FRAGMENT_DELETED: _ClassVar[EventType]
    EVENT_TYPE_FRAGMENTS_FLUSHED: _ClassVar[EventType]
    EVENT_TYPE_FRAGMENTS_CLEARED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_CREATED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_PURGED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_REINFORCED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_ARCHIVED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_FORGOTTEN: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_RESTORED: _ClassVar[EventType]
    EVENT_TYPE_MEMORIES_CLEARED: _ClassVar[EventType]
    EVENT_TYPE_MEMORIES_LINKED: _ClassVar[EventType]
    EVENT_TYPE_MEMORIES_UNLINKED: _ClassVar[EventType]
    EVENT_TYPE_NOTE_CREATED: _ClassVar[EventType]
    EVENT_TYPE_NOTE_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_NOTE_DELETED: _ClassVar[EventType]
    EVENT_TYPE_NOTES_CLEARED: _ClassVar[EventType]
    EVENT_TYPE_PLAN_CREATED: _ClassVar[EventType]
    EVENT_TYPE_PLAN_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_PLAN_DELETED: _ClassVar[EventType]
    EVENT_TYPE_PLAN_NOTE_ADDED: _ClassVar[EventType]
    EVENT_TYPE_PLANS_CLEARED: _ClassVar[EventType]
    EVENT_TYPE_PLAN_STEP_ADDED: _ClassVar[EventType]
    EVENT_TYPE_PLAN_STEP_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_PLAN_STEP_REMOVED: _ClassVar[EventType]
    EVENT_TYPE_PLAN_STEP_MOVED: _ClassVar[EventType]
    EVENT_TYPE_ENTITY_WINDOW_CREATED: _ClassVar[EventType]
    EVENT_TYPE_ENTITY_WINDOW_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_ENTITY_WINDOW_DELETED: _ClassVar[EventType]
    EVENT_TYPE_ENTITY_WINDOWS_CLEARED: _ClassVar[EventType]
    EVENT_TYPE_DOCUMENT_CREATED: _ClassVar[EventType]
    EVENT_TYPE_DOCUMENT_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_DOCUMENT_DELETED: _ClassVar[EventType]
    EVENT_TYPE_DOCUMENTS_CLEARED: _ClassVar[EventType]
    EVENT_TYPE_CONVERSATION_CREATED: _ClassVar[EventType]
    EVENT_TYPE_CONVERSATION_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_CONVERSATION_DELETED: _ClassVar[EventType]
    EVENT_TYPE_CONVERSATION_COMPACTED: _ClassVar[EventType]
    EVENT_TYPE_CONVERSATIONS_CLEARED: _ClassVar[EventType]
    EVENT_TYPE_MESSAGE_APPENDED: _ClassVar[EventType]
    EVENT_TYPE_MESSAGE_REMOVED: _ClassVar[EventType]
    EVENT_TYPE_AGENT_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_AGENT_ENDED: _ClassVar[EventType]
    EVENT_TYPE_AGENT_RESTORED: _ClassVar[EventType]
    EVENT_TYPE_USER_FORGOTTEN: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_PROPOSAL_CREATED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_PROPOSAL_DELETED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_PROPOSALS_CLEARED: _ClassVar[EventType]

class EventCause(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVENT_CAUSE_UNSPECIFIED: _ClassVar[EventCause]
    EVENT_CAUSE_REQUEST: _ClassVar[EventCause]
    EVENT_CAUSE_EXPIRY: _ClassVar[EventCause]
    EVENT_CAUSE_MERGE: _ClassVar[EventCause]
    EVENT_CAUSE_PARENT_DISPOSED: _ClassVar[EventCause]
    EVENT_CAUSE_CLEAR: _ClassVar[EventCause]
    EVENT_CAUSE_RESTORE: _ClassVar[EventCause]
    EVENT_CAUSE_INITIAL_STATE: _ClassVar[EventCause]
    EVENT_CAUSE_EVICTION: _ClassVar[EventCause]
    EVENT_CAUSE_ACKNOWLEDGED: _ClassVar[EventCause]
    EVENT_CAUSE_THRESHOLD: _ClassVar[EventCause]
    EVENT_CAUSE_SUPERSEDED: _ClassVar[EventCause]
    EVENT_CAUSE_DUPLICATE: _ClassVar[EventCause]
    EVENT_CAUSE_CONTRADICTION: _ClassVar[EventCause]
    EVENT_CAUSE_SIMILARITY: _ClassVar[EventCause]
    EVENT_CAUSE_CONSOLIDATION: _ClassVar[EventCause]
    EVENT_CAUSE_COMPACTION: _ClassVar[EventCause]
    EVENT_CAUSE_USER_FORGOTTEN: _ClassVar[EventCause]
    EVENT_CAUSE_ERASED: _ClassVar[EventCause]
    EVENT_CAUSE_ACCEPTED: _ClassVar[EventCause]
EVENT_TYPE_UNSPECIFIED: EventType
EVENT_TYPE_ENTRY_SET: EventType
EVENT_TYPE_ENTRY_REMOVED: EventType
EVENT_TYPE_ENTRIES_CLEARED: EventType
EVENT_TYPE_SCOPE_CREATED: EventType
EVENT_TYPE_SCOPE_DISPOSED: EventType
EVENT_TYPE_FRAGMENT_CREATED: EventType
EVENT_TYPE_FRAGMENT_DELETED: EventType
EVENT_TYPE_FRAGMENTS_FLUSHED: EventType
EVENT_TYPE_FRAGMENTS_CLEARED: EventType
EVENT_TYPE_MEMORY_CREATED: EventType
EVENT_TYPE_MEMORY_UPDATED: EventType
EVENT_TYPE_MEMORY_PURGED: EventType
EVENT_TYPE_MEMORY_REINFORCED: EventType
EVENT_TYPE_MEMORY_ARCHIVED: EventType
EVENT_TYPE_MEMORY_FORGOTTEN: EventType
EVENT_TYPE_MEMORY_RESTORED: EventType
EVENT_TYPE_MEMORIES_CLEARED: EventType
EVENT_TYPE_MEMORIES_LINKED: EventType
EVENT_TYPE_MEMORIES_UNLINKED: EventType
EVENT_TYPE_NOTE_CREATED: EventType
EVENT_TYPE_NOTE_UPDATED: EventType
EVENT_TYPE_NOTE_DELETED: EventType
EVENT_TYPE_NOTES_CLEARED: EventType
EVENT_TYPE_PLAN_CREATED: EventType
EVENT_TYPE_PLAN_UPDATED: EventType
EVENT_TYPE_PLAN_DELETED: EventType
EVENT_TYPE_PLAN_NOTE_ADDED: EventType
EVENT_TYPE_PLANS_CLEARED: EventType
EVENT_TYPE_PLAN_STEP_ADDED: EventType
EVENT_TYPE_PLAN_STEP_UPDATED: EventType
EVENT_TYPE_PLAN_STEP_REMOVED: EventType
EVENT_TYPE_PLAN_STEP_MOVED: EventType
EVENT_TYPE_ENTITY_WINDOW_CREATED: EventType
EVENT_TYPE_ENTITY_WINDOW_UPDATED: EventType
EVENT_TYPE_ENTITY_WINDOW_DELETED: EventType
EVENT_TYPE_ENTITY_WINDOWS_CLEARED: EventType
EVENT_TYPE_DOCUMENT_CREATED: EventType
EVENT_TYPE_DOCUMENT_UPDATED: EventType
EVENT_TYPE_DOCUMENT_DELETED: EventType
EVENT_TYPE_DOCUMENTS_CLEARED: EventType
EVENT_TYPE_CONVERSATION_CREATED: EventType
EVENT_TYPE_CONVERSATION_UPDATED: EventType
EVENT_TYPE_CONVERSATION_DELETED: EventType
EVENT_TYPE_CONVERSATION_COMPACTED: EventType
EVENT_TYPE_CONVERSATIONS_CLEARED: EventType
EVENT_TYPE_MESSAGE_APPENDED: EventType
EVENT_TYPE_MESSAGE_REMOVED: EventType
EVENT_TYPE_AGENT_UPDATED: EventType
EVENT_TYPE_AGENT_ENDED: EventType
EVENT_TYPE_AGENT_RESTORED: EventType
EVENT_TYPE_USER_FORGOTTEN: EventType
EVENT_TYPE_MEMORY_PROPOSAL_CREATED: EventType
EVENT_TYPE_MEMORY_PROPOSAL_DELETED: EventType
EVENT_TYPE_MEMORY_PROPOSALS_CLEARED: EventType
EVENT_CAUSE_UNSPECIFIED: EventCause
EVENT_CAUSE_REQUEST: EventCause
EVENT_CAUSE_EXPIRY: EventCause
EVENT_CAUSE_MERGE: EventCause
EVENT_CAUSE_PARENT_DISPOSED: EventCause
EVENT_CAUSE_CLEAR: EventCause
EVENT_CAUSE_RESTORE: EventCause
EVENT_CAUSE_INITIAL_STATE: EventCause
EVENT_CAUSE_EVICTION: EventCause
EVENT_CAUSE_ACKNOWLEDGED: EventCause
EVENT_CAUSE_THRESHOLD: EventCause
EVENT_CAUSE_SUPERSEDED: EventCause
EVENT_CAUSE_DUPLICATE: EventCause
EVENT_CAUSE_CONTRADICTION: EventCause
EVENT_CAUSE_SIMILARITY: EventCause
EVENT_CAUSE_CONSOLIDATION: EventCause
EVENT_CAUSE_COMPACTION: EventCause
EVENT_CAUSE_USER_FORGOTTEN: EventCause
EVENT_CAUSE_ERASED: EventCause
EVENT_CAUSE_ACCEPTED: EventCause

class Event(_message.Message):
    __slots__ = ("revision", "index", "type", "kind", "cause", "agent_id", "event_time", "origin", "principal", "request_id", "changed_fields", "previous_revision", "agent", "entry", "scope", "fragment", "memory", "memory_link", "note", "plan", "plan_step", "entity_window", "document", "conversation", "message", "cleared", "flushed", "plan_note", "memory_proposal")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_TIME_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELDS_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_REVISION_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    MEMORY_LINK_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    PLAN_STEP_FIELD_NUMBER: _ClassVar[int]
    ENTITY_WINDOW_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    FLUSHED_FIELD_NUMBER: _ClassVar[int]
    PLAN_NOTE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_PROPOSAL_FIELD_NUMBER: _ClassVar[int]
    revision: int
    index: int
    type: EventType
    kind: _record_pb2.RecordKind
    cause: EventCause
    agent_id: str
    event_time: _timestamp_pb2.Timestamp
    origin: str
    principal: str
    request_id: str
    changed_fields: _field_mask_pb2.FieldMask
    previous_revision: int
    agent: AgentEvent
    entry: EntryEvent
    scope: ScopeEvent
    fragment: FragmentEvent
    memory: MemoryEvent
    memory_link: MemoryLinkEvent
    note: NoteEvent
    plan: PlanEvent
    plan_step: PlanStepEvent
    entity_window: EntityWindowEvent
    document: DocumentEvent
    conversation: ConversationEvent
    message: MessageEvent
    cleared: ClearedEvent
    flushed: FlushedEvent
    plan_note: PlanNoteEvent
    memory_proposal: MemoryProposalEvent
    def __init__(self, revision: _Optional[int] = ..., index: _Optional[int] = ..., type: _Optional[_Union[EventType, str]] = ..., kind: _Optional[_Union[_record_pb2.RecordKind, str]] = ..., cause: _Optional[_Union[EventCause, str]] = ..., agent_id: _Optional[str] = ..., event_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., origin: _Optional[str] = ..., principal: _Optional[str] = ..., request_id: _Optional[str] = ..., changed_fields: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping[str, _Any]]] = ..., previous_revision: _Optional[int] = ..., agent: _Optional[_Union[AgentEvent, _Mapping[str, _Any]]] = ..., entry: _Optional[_Union[EntryEvent, _Mapping[str, _Any]]] = ..., scope: _Optional[_Union[ScopeEvent, _Mapping[str, _Any]]] = ..., fragment: _Optional[_Union[FragmentEvent, _Mapping[str, _Any]]] = ..., memory: _Optional[_Union[MemoryEvent, _Mapping[str, _Any]]] = ..., memory_link: _Optional[_Union[MemoryLinkEvent, _Mapping[str, _Any]]] = ..., note: _Optional[_Union[NoteEvent, _Mapping[str, _Any]]] = ..., plan: _Optional[_Union[PlanEvent, _Mapping[str, _Any]]] = ..., plan_step: _Optional[_Union[PlanStepEvent, _Mapping[str, _Any]]] = ..., entity_window: _Optional[_Union[EntityWindowEvent, _Mapping[str, _Any]]] = ..., document: _Optional[_Union[DocumentEvent, _Mapping[str, _Any]]] = ..., conversation: _Optional[_Union[ConversationEvent, _Mapping[str, _Any]]] = ..., message: _Optional[_Union[MessageEvent, _Mapping[str, _Any]]] = ..., cleared: _Optional[_Union[ClearedEvent, _Mapping[str, _Any]]] = ..., flushed: _Optional[_Union[FlushedEvent, _Mapping[str, _Any]]] = ..., plan_note: _Optional[_Union[PlanNoteEvent, _Mapping[str, _Any]]] = ..., memory_proposal: _Optional[_Union[MemoryProposalEvent, _Mapping[str, _Any]]] = ...) -> None: ...

class AgentEvent(_message.Message):
    __slots__ = ("agent", "previous", "snapshot_id", "cleared")
    AGENT_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    agent: _agent_pb2.Agent
    previous: _agent_pb2.Agent
    snapshot_id: str
    cleared: _containers.RepeatedCompositeFieldContainer[_record_pb2.RecordCount]
    def __init__(self, agent: _Optional[_Union[_agent_pb2.Agent, _Mapping[str, _Any]]] = ..., previous: _Optional[_Union[_agent_pb2.Agent, _Mapping[str, _Any]]] = ..., snapshot_id: _Optional[str] = ..., cleared: _Optional[_Iterable[_Union[_record_pb2.RecordCount, _Mapping[str, _Any]]]] = ...) -> None: ...

class EntryEvent(_message.Message):
    __slots__ = ("scope_id", "key", "entry", "previous", "scope_name")
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    SCOPE_NAME_FIELD_NUMBER: _ClassVar[int]
    scope_id: str
    key: str
    entry: _entry_pb2.Entry
    previous: _entry_pb2.Entry
    scope_name: str
    def __init__(self, scope_id: _Optional[str] = ..., key: _Optional[str] = ..., entry: _Optional[_Union[_entry_pb2.Entry, _Mapping[str, _Any]]] = ..., previous: _Optional[_Union[_entry_pb2.Entry, _Mapping[str, _Any]]] = ..., scope_name: _Optional[str] = ...) -> None: ...

class ScopeEvent(_message.Message):
    __slots__ = ("scope_id", "name", "parent_scope_id", "scope", "previous", "cleared_entry_count")
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PARENT_SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    CLEARED_ENTRY_COUNT_FIELD_NUMBER: _ClassVar[int]
    scope_id: str
    name: str
    parent_scope_id: str
    scope: _scope_pb2.Scope
    previous: _scope_pb2.Scope
    cleared_entry_count: int
    def __init__(self, scope_id: _Optional[str] = ..., name: _Optional[str] = ..., parent_scope_id: _Optional[str] = ..., scope: _Optional[_Union[_scope_pb2.Scope, _Mapping[str, _Any]]] = ..., previous: _Optional[_Union[_scope_pb2.Scope, _Mapping[str, _Any]]] = ..., cleared_entry_count: _Optional[int] = ...) -> None: ...

class FragmentEvent(_message.Message):
    __slots__ = ("fragment_id", "fragment", "previous")
    FRAGMENT_ID_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    fragment_id: str
    fragment: _fragment_pb2.Fragment
    previous: _fragment_pb2.Fragment
    def __init__(self, fragment_id: _Optional[str] = ..., fragment: _Optional[_Union[_fragment_pb2.Fragment, _Mapping[str, _Any]]] = ..., previous: _Optional[_Union[_fragment_pb2.Fragment, _Mapping[str, _Any]]] = ...) -> None: ...

class MemoryEvent(_message.Message):
    __slots__ = ("memory_id", "memory", "previous")
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    memory_id: str
    memory: _memory_pb2.Memory
    previous: _memory_pb2.Memory
    def __init__(self, memory_id: _Optional[str] = ..., memory: _Optional[_Union[_memory_pb2.Memory, _Mapping[str, _Any]]] = ..., previous: _Optional[_Union[_memory_pb2.Memory, _Mapping[str, _Any]]] = ...) -> None: ...

class MemoryLinkEvent(_message.Message):
    __slots__ = ("from_memory_id", "to_memory_id", "type", "memory_link", "previous")
    FROM_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TO_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_LINK_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    from_memory_id: str
    to_memory_id: str
    type: _memory_pb2.MemoryLinkType
    memory_link: _memory_pb2.MemoryLink
    previous: _memory_pb2.MemoryLink
    def __init__(self, from_memory_id: _Optional[str] = ..., to_memory_id: _Optional[str] = ..., type: _Optional[_Union[_memory_pb2.MemoryLinkType, str]] = ..., memory_link: _Optional[_Union[_memory_pb2.MemoryLink, _Mapping[str, _Any]]] = ..., previous: _Optional[_Union[_memory_pb2.MemoryLink, _Mapping[str, _Any]]] = ...) -> None: ...

class MemoryProposalEvent(_message.Message):
    __slots__ = ("memory_proposal_id", "memory_proposal", "previous")
    MEMORY_PROPOSAL_ID_FIELD_NUMBER: _ClassVar[int]
    MEMORY_PROPOSAL_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    memory_proposal_id: str
    memory_proposal: _memory_proposal_pb2.MemoryProposal
    previous: _memory_proposal_pb2.MemoryProposal
    def __init__(self, memory_proposal_id: _Optional[str] = ..., memory_proposal: _Optional[_Union[_memory_proposal_pb2.MemoryProposal, _Mapping[str, _Any]]] = ..., previous: _Optional[_Union[_memory_proposal_pb2.MemoryProposal, _Mapping[str, _Any]]] = ...) -> None: ...

class NoteEvent(_message.Message):
    __slots__ = ("note_id", "note", "previous")
    NOTE_ID_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    note_id: str
    note: _note_pb2.Note
    previous: _note_pb2.Note
    def __init__(self, note_id: _Optional[str] = ..., note: _Optional[_Union[_note_pb2.Note, _Mapping[str, _Any]]] = ..., previous: _Optional[_Union[_note_pb2.Note, _Mapping[str, _Any]]] = ...) -> None: ...

class PlanEvent(_message.Message):
    __slots__ = ("plan_id", "plan", "previous")
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    plan_id: str
    plan: _plan_pb2.Plan
    previous: _plan_pb2.Plan
    def __init__(self, plan_id: _Optional[str] = ..., plan: _Optional[_Union[_plan_pb2.Plan, _Mapping[str, _Any]]] = ..., previous: _Optional[_Union[_plan_pb2.Plan, _Mapping[str, _Any]]] = ...) -> None: ...

class PlanStepEvent(_message.Message):
    __slots__ = ("plan_id", "step_id", "plan_step", "previous", "before_step_id")
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    STEP_ID_FIELD_NUMBER: _ClassVar[int]
    PLAN_STEP_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    BEFORE_STEP_ID_FIELD_NUMBER: _ClassVar[int]
    plan_id: str
    step_id: str
    plan_step: _plan_pb2.PlanStep
    previous: _plan_pb2.PlanStep
    before_step_id: str
    def __init__(self, plan_id: _Optional[str] = ..., step_id: _Optional[str] = ..., plan_step: _Optional[_Union[_plan_pb2.PlanStep, _Mapping[str, _Any]]] = ..., previous: _Optional[_Union[_plan_pb2.PlanStep, _Mapping[str, _Any]]] = ..., before_step_id: _Optional[str] = ...) -> None: ...

class PlanNoteEvent(_message.Message):
    __slots__ = ("plan_id", "plan_note")
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    PLAN_NOTE_FIELD_NUMBER: _ClassVar[int]
    plan_id: str
    plan_note: _plan_pb2.PlanNote
    def __init__(self, plan_id: _Optional[str] = ..., plan_note: _Optional[_Union[_plan_pb2.PlanNote, _Mapping[str, _Any]]] = ...) -> None: ...

class EntityWindowEvent(_message.Message):
    __slots__ = ("conversation_id", "entity_window", "previous")
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    ENTITY_WINDOW_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    entity_window: _entity_pb2.EntityWindow
    previous: _entity_pb2.EntityWindow
    def __init__(self, conversation_id: _Optional[str] = ..., entity_window: _Optional[_Union[_entity_pb2.EntityWindow, _Mapping[str, _Any]]] = ..., previous: _Optional[_Union[_entity_pb2.EntityWindow, _Mapping[str, _Any]]] = ...) -> None: ...

class DocumentEvent(_message.Message):
    __slots__ = ("document_id", "document", "previous")
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    document: _document_pb2.Document
    previous: _document_pb2.Document
    def __init__(self, document_id: _Optional[str] = ..., document: _Optional[_Union[_document_pb2.Document, _Mapping[str, _Any]]] = ..., previous: _Optional[_Union[_document_pb2.Document, _Mapping[str, _Any]]] = ...) -> None: ...

class ConversationEvent(_message.Message):
    __slots__ = ("conversation_id", "conversation", "previous")
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    conversation: _conversation_pb2.Conversation
    previous: _conversation_pb2.Conversation
    def __init__(self, conversation_id: _Optional[str] = ..., conversation: _Optional[_Union[_conversation_pb2.Conversation, _Mapping[str, _Any]]] = ..., previous: _Optional[_Union[_conversation_pb2.Conversation, _Mapping[str, _Any]]] = ...) -> None: ...

class MessageEvent(_message.Message):
    __slots__ = ("conversation_id", "number", "message", "previous")
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    number: int
    message: _conversation_pb2.Message
    previous: _conversation_pb2.Message
    def __init__(self, conversation_id: _Optional[str] = ..., number: _Optional[int] = ..., message: _Optional[_Union[_conversation_pb2.Message, _Mapping[str, _Any]]] = ..., previous: _Optional[_Union[_conversation_pb2.Message, _Mapping[str, _Any]]] = ...) -> None: ...

class ClearedEvent(_message.Message):
    __slots__ = ("cleared", "scope_id", "scope_name")
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_NAME_FIELD_NUMBER: _ClassVar[int]
    cleared: _containers.RepeatedCompositeFieldContainer[_record_pb2.RecordCount]
    scope_id: str
    scope_name: str
    def __init__(self, cleared: _Optional[_Iterable[_Union[_record_pb2.RecordCount, _Mapping[str, _Any]]]] = ..., scope_id: _Optional[str] = ..., scope_name: _Optional[str] = ...) -> None: ...

class FlushedEvent(_message.Message):
    __slots__ = ("fragment_count",)
    FRAGMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    fragment_count: int
    def __init__(self, fragment_count: _Optional[int] = ...) -> None: ...

class EventFilter(_message.Message):
    __slots__ = ("agent_ids", "kinds", "event_types", "causes", "scope_ids", "include_descendants", "key_prefix", "record")
    AGENT_IDS_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    EVENT_TYPES_FIELD_NUMBER: _ClassVar[int]
    CAUSES_FIELD_NUMBER: _ClassVar[int]
    SCOPE_IDS_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_DESCENDANTS_FIELD_NUMBER: _ClassVar[int]
    KEY_PREFIX_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    agent_ids: _containers.RepeatedScalarFieldContainer[str]
    kinds: _containers.RepeatedScalarFieldContainer[_record_pb2.RecordKind]
    event_types: _containers.RepeatedScalarFieldContainer[EventType]
    causes: _containers.RepeatedScalarFieldContainer[EventCause]
    scope_ids: _containers.RepeatedScalarFieldContainer[str]
    include_descendants: bool
    key_prefix: str
    record: _record_filter_pb2.RecordFilter
    def __init__(self, agent_ids: _Optional[_Iterable[str]] = ..., kinds: _Optional[_Iterable[_Union[_record_pb2.RecordKind, str]]] = ..., event_types: _Optional[_Iterable[_Union[EventType, str]]] = ..., causes: _Optional[_Iterable[_Union[EventCause, str]]] = ..., scope_ids: _Optional[_Iterable[str]] = ..., include_descendants: _Optional[bool] = ..., key_prefix: _Optional[str] = ..., record: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ...) -> None: ...
