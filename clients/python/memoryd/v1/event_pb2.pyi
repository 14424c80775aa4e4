import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import agent_pb2 as _agent_pb2
from memoryd.v1 import document_pb2 as _document_pb2
from memoryd.v1 import entity_pb2 as _entity_pb2
from memoryd.v1 import entry_pb2 as _entry_pb2
from memoryd.v1 import fragment_pb2 as _fragment_pb2
from memoryd.v1 import memory_pb2 as _memory_pb2
from memoryd.v1 import message_pb2 as _message_pb2
from memoryd.v1 import note_pb2 as _note_pb2
from memoryd.v1 import plan_pb2 as _plan_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EventType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVENT_TYPE_UNSPECIFIED: _ClassVar[EventType]
    EVENT_TYPE_ENTRY_SET: _ClassVar[EventType]
    EVENT_TYPE_ENTRY_REMOVED: _ClassVar[EventType]
    EVENT_TYPE_SCOPE_CREATED: _ClassVar[EventType]
    EVENT_TYPE_SCOPE_DISPOSED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_CLEARED: _ClassVar[EventType]
    EVENT_TYPE_AGENT_ENDED: _ClassVar[EventType]
    EVENT_TYPE_AGENT_RESTORED: _ClassVar[EventType]
    EVENT_TYPE_FRAGMENT_STORED: _ClassVar[EventType]
    EVENT_TYPE_FRAGMENT_DELETED: _ClassVar[EventType]
    EVENT_TYPE_FRAGMENTS_FLUSHED: _ClassVar[EventType]
    EVENT_TYPE_FRAGMENTS_CLEARED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_CREATED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_REINFORCED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_ARCHIVED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_FORGOTTEN: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_RESTORED: _ClassVar[EventType]
    EVENT_TYPE_MEMORY_PURGED: _ClassVar[EventType]
    EVENT_TYPE_MEMORIES_LINKED: _ClassVar[EventType]
    EVENT_TYPE_MEMORIES_UNLINKED: _ClassVar[EventType]
    EVENT_TYPE_MEMORIES_CLEARED: _ClassVar[EventType]
    EVENT_TYPE_NOTE_CREATED: _ClassVar[EventType]
    EVENT_TYPE_NOTE_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_NOTE_DELETED: _ClassVar[EventType]
    EVENT_TYPE_RECORDS_CLEARED: _ClassVar[EventType]
    EVENT_TYPE_PLAN_CREATED: _ClassVar[EventType]
    EVENT_TYPE_PLAN_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_PLAN_DELETED: _ClassVar[EventType]
    EVENT_TYPE_ENTITIES_UPDATED: _ClassVar[EventType]
    EVENT_TYPE_ENTITIES_CLEARED: _ClassVar[EventType]
    EVENT_TYPE_DOCUMENT_ADDED: _ClassVar[EventType]
    EVENT_TYPE_DOCUMENT_REPLACED: _ClassVar[EventType]
    EVENT_TYPE_DOCUMENT_DELETED: _ClassVar[EventType]
    EVENT_TYPE_MESSAGE_APPENDED: _ClassVar[EventType]
    EVENT_TYPE_MESSAGE_REMOVED: _ClassVar[EventType]
    EVENT_TYPE_CONVERSATION_DELETED: _ClassVar[EventType]
    EVENT_TYPE_CONVERSATION_COMPACTED: _ClassVar[EventType]

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
EVENT_TYPE_UNSPECIFIED: EventType
EVENT_TYPE_ENTRY_SET: EventType
EVENT_TYPE_ENTRY_REMOVED: EventType
EVENT_TYPE_SCOPE_CREATED: EventType
EVENT_TYPE_SCOPE_DISPOSED: EventType
EVENT_TYPE_MEMORY_CLEARED: EventType
EVENT_TYPE_AGENT_ENDED: EventType
EVENT_TYPE_AGENT_RESTORED: EventType
EVENT_TYPE_FRAGMENT_STORED: EventType
EVENT_TYPE_FRAGMENT_DELETED: EventType
EVENT_TYPE_FRAGMENTS_FLUSHED: EventType
EVENT_TYPE_FRAGMENTS_CLEARED: EventType
EVENT_TYPE_MEMORY_CREATED: EventType
EVENT_TYPE_MEMORY_UPDATED: EventType
EVENT_TYPE_MEMORY_REINFORCED: EventType
EVENT_TYPE_MEMORY_ARCHIVED: EventType
EVENT_TYPE_MEMORY_FORGOTTEN: EventType
EVENT_TYPE_MEMORY_RESTORED: EventType
EVENT_TYPE_MEMORY_PURGED: EventType
EVENT_TYPE_MEMORIES_LINKED: EventType
EVENT_TYPE_MEMORIES_UNLINKED: EventType
EVENT_TYPE_MEMORIES_CLEARED: EventType
EVENT_TYPE_NOTE_CREATED: EventType
EVENT_TYPE_NOTE_UPDATED: EventType
EVENT_TYPE_NOTE_DELETED: EventType
EVENT_TYPE_RECORDS_CLEARED: EventType
EVENT_TYPE_PLAN_CREATED: EventType
EVENT_TYPE_PLAN_UPDATED: EventType
EVENT_TYPE_PLAN_DELETED: EventType
EVENT_TYPE_ENTITIES_UPDATED: EventType
EVENT_TYPE_ENTITIES_CLEARED: EventType
EVENT_TYPE_DOCUMENT_ADDED: EventType
EVENT_TYPE_DOCUMENT_REPLACED: EventType
EVENT_TYPE_DOCUMENT_DELETED: EventType
EVENT_TYPE_MESSAGE_APPENDED: EventType
EVENT_TYPE_MESSAGE_REMOVED: EventType
EVENT_TYPE_CONVERSATION_DELETED: EventType
EVENT_TYPE_CONVERSATION_COMPACTED: EventType
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

class Event(_message.Message):
    __slots__ = ("revision", "index", "type", "cause", "agent_id", "scope_id", "scope_name", "parent_scope_id", "time", "key", "entry", "is_update", "type_name", "entries_cleared", "snapshot_id", "origin", "fragment", "fragment_id", "fragment_count", "memory", "memory_id", "link", "memory_count", "note", "memory_kind", "record_count", "plan", "entity_window", "document", "message", "conversation")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_NAME_FIELD_NUMBER: _ClassVar[int]
    PARENT_SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    IS_UPDATE_FIELD_NUMBER: _ClassVar[int]
    TYPE_NAME_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_CLEARED_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_ID_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    LINK_FIELD_NUMBER: _ClassVar[int]
    MEMORY_COUNT_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_KIND_FIELD_NUMBER: _ClassVar[int]
    RECORD_COUNT_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    ENTITY_WINDOW_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    revision: int
    index: int
    type: EventType
    cause: EventCause
    agent_id: str
    scope_id: str
    scope_name: str
    parent_scope_id: str
    time: _timestamp_pb2.Timestamp
    key: str
    entry: _entry_pb2.Entry
    is_update: bool
    type_name: str
    entries_cleared: int
    snapshot_id: str
    origin: str
    fragment: _fragment_pb2.Fragment
    fragment_id: str
    fragment_count: int
    memory: _memory_pb2.Memory
    memory_id: str
    link: _memory_pb2.MemoryLink
    memory_count: int
    note: _note_pb2.Note
    memory_kind: _agent_pb2.MemoryKind
    record_count: int
    plan: _plan_pb2.Plan
    entity_window: _entity_pb2.EntityWindow
    document: _document_pb2.Document
    message: _message_pb2.Message
    conversation: _message_pb2.Conversation
    def __init__(self, revision: _Optional[int] = ..., index: _Optional[int] = ..., type: _Optional[_Union[EventType, str]] = ..., cause: _Optional[_Union[EventCause, str]] = ..., agent_id: _Optional[str] = ..., scope_id: _Optional[str] = ..., scope_name: _Optional[str] = ..., parent_scope_id: _Optional[str] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., key: _Optional[str] = ..., entry: _Optional[_Union[_entry_pb2.Entry, _Mapping]] = ..., is_update: _Optional[bool] = ..., type_name: _Optional[str] = ..., entries_cleared: _Optional[int] = ..., snapshot_id: _Optional[str] = ..., origin: _Optional[str] = ..., fragment: _Optional[_Union[_fragment_pb2.Fragment, _Mapping]] = ..., fragment_id: _Optional[str] = ..., fragment_count: _Optional[int] = ..., memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ..., memory_id: _Optional[str] = ..., link: _Optional[_Union[_memory_pb2.MemoryLink, _Mapping]] = ..., memory_count: _Optional[int] = ..., note: _Optional[_Union[_note_pb2.Note, _Mapping]] = ..., memory_kind: _Optional[_Union[_agent_pb2.MemoryKind, str]] = ..., record_count: _Optional[int] = ..., plan: _Optional[_Union[_plan_pb2.Plan, _Mapping]] = ..., entity_window: _Optional[_Union[_entity_pb2.EntityWindow, _Mapping]] = ..., document: _Optional[_Union[_document_pb2.Document, _Mapping]] = ..., message: _Optional[_Union[_message_pb2.Message, _Mapping]] = ..., conversation: _Optional[_Union[_message_pb2.Conversation, _Mapping]] = ...) -> None: ...

class EventFilter(_message.Message):
    __slots__ = ("agent_ids", "scope_ids", "include_descendants", "key_prefix", "event_types")
    AGENT_IDS_FIELD_NUMBER: _ClassVar[int]
    SCOPE_IDS_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_DESCENDANTS_FIELD_NUMBER: _ClassVar[int]
    KEY_PREFIX_FIELD_NUMBER: _ClassVar[int]
    EVENT_TYPES_FIELD_NUMBER: _ClassVar[int]
    agent_ids: _containers.RepeatedScalarFieldContainer[str]
    scope_ids: _containers.RepeatedScalarFieldContainer[str]
    include_descendants: bool
    key_prefix: str
    event_types: _containers.RepeatedScalarFieldContainer[EventType]
    def __init__(self, agent_ids: _Optional[_Iterable[str]] = ..., scope_ids: _Optional[_Iterable[str]] = ..., include_descendants: _Optional[bool] = ..., key_prefix: _Optional[str] = ..., event_types: _Optional[_Iterable[_Union[EventType, str]]] = ...) -> None: ...
