import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MemoryKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_KIND_UNSPECIFIED: _ClassVar[MemoryKind]
    MEMORY_KIND_WORKING: _ClassVar[MemoryKind]
    MEMORY_KIND_FRAGMENT: _ClassVar[MemoryKind]
    MEMORY_KIND_LONG_TERM: _ClassVar[MemoryKind]
    MEMORY_KIND_NOTE: _ClassVar[MemoryKind]
    MEMORY_KIND_PLAN: _ClassVar[MemoryKind]
    MEMORY_KIND_ENTITY: _ClassVar[MemoryKind]
    MEMORY_KIND_DOCUMENT: _ClassVar[MemoryKind]
    MEMORY_KIND_CONTEXT: _ClassVar[MemoryKind]
MEMORY_KIND_UNSPECIFIED: MemoryKind
MEMORY_KIND_WORKING: MemoryKind
MEMORY_KIND_FRAGMENT: MemoryKind
MEMORY_KIND_LONG_TERM: MemoryKind
MEMORY_KIND_NOTE: MemoryKind
MEMORY_KIND_PLAN: MemoryKind
MEMORY_KIND_ENTITY: MemoryKind
MEMORY_KIND_DOCUMENT: MemoryKind
MEMORY_KIND_CONTEXT: MemoryKind

class Agent(_message.Message):
    __slots__ = ("agent_id", "revision", "create_time", "update_time")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    revision: int
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    def __init__(self, agent_id: _Optional[str] = ..., revision: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class AgentStats(_message.Message):
    __slots__ = ("working_entry_count", "active_scope_count", "long_term_entry_count", "forgotten_entry_count", "storage_bytes_used", "storage_bytes_limit", "storage_percent_used", "oldest_entry_time", "newest_entry_time", "context_tokens_used", "context_tokens_max", "root_entry_count", "fragment_count", "archived_memory_count", "superseded_memory_count", "memory_link_count", "embedding_backlog", "record_counts")
    class RecordCountsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    WORKING_ENTRY_COUNT_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_SCOPE_COUNT_FIELD_NUMBER: _ClassVar[int]
    LONG_TERM_ENTRY_COUNT_FIELD_NUMBER: _ClassVar[int]
    FORGOTTEN_ENTRY_COUNT_FIELD_NUMBER: _ClassVar[int]
    STORAGE_BYTES_USED_FIELD_NUMBER: _ClassVar[int]
    STORAGE_BYTES_LIMIT_FIELD_NUMBER: _ClassVar[int]
    STORAGE_PERCENT_USED_FIELD_NUMBER: _ClassVar[int]
    OLDEST_ENTRY_TIME_FIELD_NUMBER: _ClassVar[int]
    NEWEST_ENTRY_TIME_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_TOKENS_USED_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_TOKENS_MAX_FIELD_NUMBER: _ClassVar[int]
    ROOT_ENTRY_COUNT_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    ARCHIVED_MEMORY_COUNT_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_MEMORY_COUNT_FIELD_NUMBER: _ClassVar[int]
    MEMORY_LINK_COUNT_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_BACKLOG_FIELD_NUMBER: _ClassVar[int]
    RECORD_COUNTS_FIELD_NUMBER: _ClassVar[int]
    working_entry_count: int
    active_scope_count: int
    long_term_entry_count: int
    forgotten_entry_count: int
    storage_bytes_used: int
    storage_bytes_limit: int
    storage_percent_used: float
    oldest_entry_time: _timestamp_pb2.Timestamp
    newest_entry_time: _timestamp_pb2.Timestamp
    context_tokens_used: int
    context_tokens_max: int
    root_entry_count: int
    fragment_count: int
    archived_memory_count: int
    superseded_memory_count: int
    memory_link_count: int
    embedding_backlog: int
    record_counts: _containers.ScalarMap[str, int]
    def __init__(self, working_entry_count: _Optional[int] = ..., active_scope_count: _Optional[int] = ..., long_term_entry_count: _Optional[int] = ..., forgotten_entry_count: _Optional[int] = ..., storage_bytes_used: _Optional[int] = ..., storage_bytes_limit: _Optional[int] = ..., storage_percent_used: _Optional[float] = ..., oldest_entry_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., newest_entry_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., context_tokens_used: _Optional[int] = ..., context_tokens_max: _Optional[int] = ..., root_entry_count: _Optional[int] = ..., fragment_count: _Optional[int] = ..., archived_memory_count: _Optional[int] = ..., superseded_memory_count: _Optional[int] = ..., memory_link_count: _Optional[int] = ..., embedding_backlog: _Optional[int] = ..., record_counts: _Optional[_Mapping[str, int]] = ...) -> None: ...
