from memoryd.v1 import memory_pb2 as _memory_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RecordKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RECORD_KIND_UNSPECIFIED: _ClassVar[RecordKind]
    RECORD_KIND_ENTRY: _ClassVar[RecordKind]
    RECORD_KIND_SCOPE: _ClassVar[RecordKind]
    RECORD_KIND_FRAGMENT: _ClassVar[RecordKind]
    RECORD_KIND_MEMORY: _ClassVar[RecordKind]
    RECORD_KIND_MEMORY_LINK: _ClassVar[RecordKind]
    RECORD_KIND_NOTE: _ClassVar[RecordKind]
    RECORD_KIND_PLAN: _ClassVar[RecordKind]
    RECORD_KIND_PLAN_STEP: _ClassVar[RecordKind]
    RECORD_KIND_ENTITY: _ClassVar[RecordKind]
    RECORD_KIND_ENTITY_WINDOW: _ClassVar[RecordKind]
    RECORD_KIND_DOCUMENT: _ClassVar[RecordKind]
    RECORD_KIND_DOCUMENT_CHUNK: _ClassVar[RecordKind]
    RECORD_KIND_CONVERSATION: _ClassVar[RecordKind]
    RECORD_KIND_MESSAGE: _ClassVar[RecordKind]
    RECORD_KIND_SUMMARY: _ClassVar[RecordKind]
    RECORD_KIND_TEXT: _ClassVar[RecordKind]
    RECORD_KIND_AGENT: _ClassVar[RecordKind]
    RECORD_KIND_SNAPSHOT: _ClassVar[RecordKind]
    RECORD_KIND_MEMORY_PROPOSAL: _ClassVar[RecordKind]
RECORD_KIND_UNSPECIFIED: RecordKind
RECORD_KIND_ENTRY: RecordKind
RECORD_KIND_SCOPE: RecordKind
RECORD_KIND_FRAGMENT: RecordKind
RECORD_KIND_MEMORY: RecordKind
RECORD_KIND_MEMORY_LINK: RecordKind
RECORD_KIND_NOTE: RecordKind
RECORD_KIND_PLAN: RecordKind
RECORD_KIND_PLAN_STEP: RecordKind
RECORD_KIND_ENTITY: RecordKind
RECORD_KIND_ENTITY_WINDOW: RecordKind
RECORD_KIND_DOCUMENT: RecordKind
RECORD_KIND_DOCUMENT_CHUNK: RecordKind
RECORD_KIND_CONVERSATION: RecordKind
RECORD_KIND_MESSAGE: RecordKind
RECORD_KIND_SUMMARY: RecordKind
RECORD_KIND_TEXT: RecordKind
RECORD_KIND_AGENT: RecordKind
RECORD_KIND_SNAPSHOT: RecordKind
RECORD_KIND_MEMORY_PROPOSAL: RecordKind

class RecordRef(_message.Message):
    __slots__ = ("kind", "entry", "scope_id", "fragment_id", "memory_id", "memory_link", "note_id", "plan_id", "plan_step", "entity", "document_id", "document_chunk", "conversation_id", "message", "snapshot_id", "agent_id")
    KIND_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_ID_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    MEMORY_LINK_FIELD_NUMBER: _ClassVar[int]
    NOTE_ID_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    PLAN_STEP_FIELD_NUMBER: _ClassVar[int]
    ENTITY_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_CHUNK_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    kind: RecordKind
    entry: EntryRef
    scope_id: str
    fragment_id: str
    memory_id: str
    memory_link: MemoryLinkRef
    note_id: str
    plan_id: str
    plan_step: PlanStepRef
    entity: EntityRef
    document_id: str
    document_chunk: DocumentChunkRef
    conversation_id: str
    message: MessageRef
    snapshot_id: str
    agent_id: str
    def __init__(self, kind: _Optional[_Union[RecordKind, str]] = ..., entry: _Optional[_Union[EntryRef, _Mapping[str, _Any]]] = ..., scope_id: _Optional[str] = ..., fragment_id: _Optional[str] = ..., memory_id: _Optional[str] = ..., memory_link: _Optional[_Union[MemoryLinkRef, _Mapping[str, _Any]]] = ..., note_id: _Optional[str] = ..., plan_id: _Optional[str] = ..., plan_step: _Optional[_Union[PlanStepRef, _Mapping[str, _Any]]] = ..., entity: _Optional[_Union[EntityRef, _Mapping[str, _Any]]] = ..., document_id: _Optional[str] = ..., document_chunk: _Optional[_Union[DocumentChunkRef, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., message: _Optional[_Union[MessageRef, _Mapping[str, _Any]]] = ..., snapshot_id: _Optional[str] = ..., agent_id: _Optional[str] = ...) -> None: ...

class EntryRef(_message.Message):
    __slots__ = ("scope_id", "key")
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    scope_id: str
    key: str
    def __init__(self, scope_id: _Optional[str] = ..., key: _Optional[str] = ...) -> None: ...

class MemoryLinkRef(_message.Message):
    __slots__ = ("from_memory_id", "to_memory_id", "type")
    FROM_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TO_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    from_memory_id: str
    to_memory_id: str
    type: _memory_pb2.MemoryLinkType
    def __init__(self, from_memory_id: _Optional[str] = ..., to_memory_id: _Optional[str] = ..., type: _Optional[_Union[_memory_pb2.MemoryLinkType, str]] = ...) -> None: ...

class PlanStepRef(_message.Message):
    __slots__ = ("plan_id", "step_id")
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    STEP_ID_FIELD_NUMBER: _ClassVar[int]
    plan_id: str
    step_id: str
    def __init__(self, plan_id: _Optional[str] = ..., step_id: _Optional[str] = ...) -> None: ...

class EntityRef(_message.Message):
    __slots__ = ("conversation_id", "type", "entity_id")
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ENTITY_ID_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    type: str
    entity_id: str
    def __init__(self, conversation_id: _Optional[str] = ..., type: _Optional[str] = ..., entity_id: _Optional[str] = ...) -> None: ...

class DocumentChunkRef(_message.Message):
    __slots__ = ("document_id", "number")
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    number: int
    def __init__(self, document_id: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class MessageRef(_message.Message):
    __slots__ = ("conversation_id", "number")
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    number: int
    def __init__(self, conversation_id: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class RecordCount(_message.Message):
    __slots__ = ("kind", "count")
    KIND_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    kind: RecordKind
    count: int
    def __init__(self, kind: _Optional[_Union[RecordKind, str]] = ..., count: _Optional[int] = ...) -> None: ...
