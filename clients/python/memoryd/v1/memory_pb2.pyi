import datetime

from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MemoryType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_TYPE_UNSPECIFIED: _ClassVar[MemoryType]
    MEMORY_TYPE_SEMANTIC: _ClassVar[MemoryType]
    MEMORY_TYPE_EPISODIC: _ClassVar[MemoryType]
    MEMORY_TYPE_PROCEDURAL: _ClassVar[MemoryType]
    MEMORY_TYPE_WORKING: _ClassVar[MemoryType]

class MemoryStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_STATUS_UNSPECIFIED: _ClassVar[MemoryStatus]
    MEMORY_STATUS_ACTIVE: _ClassVar[MemoryStatus]
    MEMORY_STATUS_ARCHIVED: _ClassVar[MemoryStatus]
    MEMORY_STATUS_SUPERSEDED: _ClassVar[MemoryStatus]

class MemoryLinkType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_LINK_TYPE_UNSPECIFIED: _ClassVar[MemoryLinkType]
    MEMORY_LINK_TYPE_RELATED: _ClassVar[MemoryLinkType]
    MEMORY_LINK_TYPE_DERIVED_FROM: _ClassVar[MemoryLinkType]
    MEMORY_LINK_TYPE_CONTRADICTS: _ClassVar[MemoryLinkType]
    MEMORY_LINK_TYPE_SUPERSEDES: _ClassVar[MemoryLinkType]
    MEMORY_LINK_TYPE_REINFORCES: _ClassVar[MemoryLinkType]
MEMORY_TYPE_UNSPECIFIED: MemoryType
MEMORY_TYPE_SEMANTIC: MemoryType
MEMORY_TYPE_EPISODIC: MemoryType
MEMORY_TYPE_PROCEDURAL: MemoryType
MEMORY_TYPE_WORKING: MemoryType
MEMORY_STATUS_UNSPECIFIED: MemoryStatus
MEMORY_STATUS_ACTIVE: MemoryStatus
MEMORY_STATUS_ARCHIVED: MemoryStatus
MEMORY_STATUS_SUPERSEDED: MemoryStatus
MEMORY_LINK_TYPE_UNSPECIFIED: MemoryLinkType
MEMORY_LINK_TYPE_RELATED: MemoryLinkType
MEMORY_LINK_TYPE_DERIVED_FROM: MemoryLinkType
MEMORY_LINK_TYPE_CONTRADICTS: MemoryLinkType
MEMORY_LINK_TYPE_SUPERSEDES: MemoryLinkType
MEMORY_LINK_TYPE_REINFORCES: MemoryLinkType

class Provenance(_message.Message):
    __slots__ = ("conversation_id", "document_id", "learning_context", "position", "message_number")
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    LEARNING_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_NUMBER_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    document_id: str
    learning_context: str
    position: int
    message_number: int
    def __init__(self, conversation_id: _Optional[str] = ..., document_id: _Optional[str] = ..., learning_context: _Optional[str] = ..., position: _Optional[int] = ..., message_number: _Optional[int] = ...) -> None: ...

class Embedding(_message.Message):
    __slots__ = ("vector", "model", "version")
    VECTOR_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    vector: _containers.RepeatedScalarFieldContainer[float]
    model: str
    version: str
    def __init__(self, vector: _Optional[_Iterable[float]] = ..., model: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class MemoryConfidence(_message.Message):
    __slots__ = ("start_time", "confidence")
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    start_time: _timestamp_pb2.Timestamp
    confidence: float
    def __init__(self, start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., confidence: _Optional[float] = ...) -> None: ...

class Memory(_message.Message):
    __slots__ = ("memory_id", "agent_id", "revision", "create_time", "update_time", "expire_time", "user_id", "tags", "metadata", "content", "type", "status", "project_id", "provenance", "importance", "occur_time", "embedding", "confidence", "salience", "link_count", "last_access_time", "access_count", "reinforce_time", "reinforce_count", "forget_time", "purge_time", "confidence_history", "aliases")
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    PROVENANCE_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    OCCUR_TIME_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    SALIENCE_FIELD_NUMBER: _ClassVar[int]
    LINK_COUNT_FIELD_NUMBER: _ClassVar[int]
    LAST_ACCESS_TIME_FIELD_NUMBER: _ClassVar[int]
    ACCESS_COUNT_FIELD_NUMBER: _ClassVar[int]
    REINFORCE_TIME_FIELD_NUMBER: _ClassVar[int]
    REINFORCE_COUNT_FIELD_NUMBER: _ClassVar[int]
    FORGET_TIME_FIELD_NUMBER: _ClassVar[int]
    PURGE_TIME_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_HISTORY_FIELD_NUMBER: _ClassVar[int]
    ALIASES_FIELD_NUMBER: _ClassVar[int]
    memory_id: str
    agent_id: str
    revision: int
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    expire_time: _timestamp_pb2.Timestamp
    user_id: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    content: str
    type: MemoryType
    status: MemoryStatus
    project_id: str
    provenance: Provenance
    importance: float
    occur_time: _timestamp_pb2.Timestamp
    embedding: Embedding
    confidence: float
    salience: float
    link_count: int
    last_access_time: _timestamp_pb2.Timestamp
    access_count: int
    reinforce_time: _timestamp_pb2.Timestamp
    reinforce_count: int
    forget_time: _timestamp_pb2.Timestamp
    purge_time: _timestamp_pb2.Timestamp
    confidence_history: _containers.RepeatedCompositeFieldContainer[MemoryConfidence]
    aliases: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, memory_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., revision: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., user_id: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., content: _Optional[str] = ..., type: _Optional[_Union[MemoryType, str]] = ..., status: _Optional[_Union[MemoryStatus, str]] = ..., project_id: _Optional[str] = ..., provenance: _Optional[_Union[Provenance, _Mapping[str, _Any]]] = ..., importance: _Optional[float] = ..., occur_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., embedding: _Optional[_Union[Embedding, _Mapping[str, _Any]]] = ..., confidence: _Optional[float] = ..., salience: _Optional[float] = ..., link_count: _Optional[int] = ..., last_access_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., access_count: _Optional[int] = ..., reinforce_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., reinforce_count: _Optional[int] = ..., forget_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., purge_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., confidence_history: _Optional[_Iterable[_Union[MemoryConfidence, _Mapping[str, _Any]]]] = ..., aliases: _Optional[_Iterable[str]] = ...) -> None: ...

class MentionedTime(_message.Message):
    __slots__ = ("text", "start_time", "end_time")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    text: str
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    def __init__(self, text: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ...) -> None: ...

class MemoryLink(_message.Message):
    __slots__ = ("agent_id", "revision", "create_time", "update_time", "from_memory_id", "to_memory_id", "type", "strength")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    FROM_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TO_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    revision: int
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    from_memory_id: str
    to_memory_id: str
    type: MemoryLinkType
    strength: float
    def __init__(self, agent_id: _Optional[str] = ..., revision: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., from_memory_id: _Optional[str] = ..., to_memory_id: _Optional[str] = ..., type: _Optional[_Union[MemoryLinkType, str]] = ..., strength: _Optional[float] = ...) -> None: ...
