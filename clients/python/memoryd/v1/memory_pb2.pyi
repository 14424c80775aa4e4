import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class LongTermMemoryType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LONG_TERM_MEMORY_TYPE_UNSPECIFIED: _ClassVar[LongTermMemoryType]
    LONG_TERM_MEMORY_TYPE_SEMANTIC: _ClassVar[LongTermMemoryType]
    LONG_TERM_MEMORY_TYPE_EPISODIC: _ClassVar[LongTermMemoryType]
    LONG_TERM_MEMORY_TYPE_PROCEDURAL: _ClassVar[LongTermMemoryType]
    LONG_TERM_MEMORY_TYPE_WORKING: _ClassVar[LongTermMemoryType]

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
LONG_TERM_MEMORY_TYPE_UNSPECIFIED: LongTermMemoryType
LONG_TERM_MEMORY_TYPE_SEMANTIC: LongTermMemoryType
LONG_TERM_MEMORY_TYPE_EPISODIC: LongTermMemoryType
LONG_TERM_MEMORY_TYPE_PROCEDURAL: LongTermMemoryType
LONG_TERM_MEMORY_TYPE_WORKING: LongTermMemoryType
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
    __slots__ = ("conversation_id", "document_id", "learning_context", "position")
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    LEARNING_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    document_id: str
    learning_context: str
    position: int
    def __init__(self, conversation_id: _Optional[str] = ..., document_id: _Optional[str] = ..., learning_context: _Optional[str] = ..., position: _Optional[int] = ...) -> None: ...

class Embedding(_message.Message):
    __slots__ = ("vector", "model", "version")
    VECTOR_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    vector: _containers.RepeatedScalarFieldContainer[float]
    model: str
    version: str
    def __init__(self, vector: _Optional[_Iterable[float]] = ..., model: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class Temporal(_message.Message):
    __slots__ = ("create_time", "update_time", "occur_time", "last_access_time", "access_count", "reinforce_time", "reinforce_count", "confidence_trajectory", "expire_time", "forget_time", "purge_time")
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    OCCUR_TIME_FIELD_NUMBER: _ClassVar[int]
    LAST_ACCESS_TIME_FIELD_NUMBER: _ClassVar[int]
    ACCESS_COUNT_FIELD_NUMBER: _ClassVar[int]
    REINFORCE_TIME_FIELD_NUMBER: _ClassVar[int]
    REINFORCE_COUNT_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_TRAJECTORY_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    FORGET_TIME_FIELD_NUMBER: _ClassVar[int]
    PURGE_TIME_FIELD_NUMBER: _ClassVar[int]
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    occur_time: _timestamp_pb2.Timestamp
    last_access_time: _timestamp_pb2.Timestamp
    access_count: int
    reinforce_time: _timestamp_pb2.Timestamp
    reinforce_count: int
    confidence_trajectory: _containers.RepeatedScalarFieldContainer[float]
    expire_time: _timestamp_pb2.Timestamp
    forget_time: _timestamp_pb2.Timestamp
    purge_time: _timestamp_pb2.Timestamp
    def __init__(self, create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., occur_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_access_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., access_count: _Optional[int] = ..., reinforce_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., reinforce_count: _Optional[int] = ..., confidence_trajectory: _Optional[_Iterable[float]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., forget_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., purge_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Memory(_message.Message):
    __slots__ = ("memory_id", "agent_id", "type", "content", "user_id", "project_id", "status", "provenance", "temporal", "importance", "current_salience", "linked_memory_ids", "tags", "metadata", "embedding", "revision")
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    PROVENANCE_FIELD_NUMBER: _ClassVar[int]
    TEMPORAL_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    CURRENT_SALIENCE_FIELD_NUMBER: _ClassVar[int]
    LINKED_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    memory_id: str
    agent_id: str
    type: LongTermMemoryType
    content: str
    user_id: str
    project_id: str
    status: MemoryStatus
    provenance: Provenance
    temporal: Temporal
    importance: float
    current_salience: float
    linked_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    embedding: Embedding
    revision: int
    def __init__(self, memory_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., type: _Optional[_Union[LongTermMemoryType, str]] = ..., content: _Optional[str] = ..., user_id: _Optional[str] = ..., project_id: _Optional[str] = ..., status: _Optional[_Union[MemoryStatus, str]] = ..., provenance: _Optional[_Union[Provenance, _Mapping]] = ..., temporal: _Optional[_Union[Temporal, _Mapping]] = ..., importance: _Optional[float] = ..., current_salience: _Optional[float] = ..., linked_memory_ids: _Optional[_Iterable[str]] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., embedding: _Optional[_Union[Embedding, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class MemoryLink(_message.Message):
    __slots__ = ("from_memory_id", "to_memory_id", "type", "strength", "create_time", "revision")
    FROM_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TO_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    from_memory_id: str
    to_memory_id: str
    type: MemoryLinkType
    strength: float
    create_time: _timestamp_pb2.Timestamp
    revision: int
    def __init__(self, from_memory_id: _Optional[str] = ..., to_memory_id: _Optional[str] = ..., type: _Optional[_Union[MemoryLinkType, str]] = ..., strength: _Optional[float] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...
