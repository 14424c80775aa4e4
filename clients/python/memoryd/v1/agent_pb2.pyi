import datetime

from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import record_pb2 as _record_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Agent(_message.Message):
    __slots__ = ("agent_id", "revision", "create_time", "update_time", "tags", "metadata", "display_name", "defaults", "tier")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    DEFAULTS_FIELD_NUMBER: _ClassVar[int]
    TIER_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    revision: int
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    display_name: str
    defaults: AgentDefaults
    tier: str
    def __init__(self, agent_id: _Optional[str] = ..., revision: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., display_name: _Optional[str] = ..., defaults: _Optional[_Union[AgentDefaults, _Mapping[str, _Any]]] = ..., tier: _Optional[str] = ...) -> None: ...

class AgentDraft(_message.Message):
    __slots__ = ("tags", "metadata", "display_name", "defaults", "tier")
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    DEFAULTS_FIELD_NUMBER: _ClassVar[int]
    TIER_FIELD_NUMBER: _ClassVar[int]
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    display_name: str
    defaults: AgentDefaults
    tier: str
    def __init__(self, tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., display_name: _Optional[str] = ..., defaults: _Optional[_Union[AgentDefaults, _Mapping[str, _Any]]] = ..., tier: _Optional[str] = ...) -> None: ...

class AgentDefaults(_message.Message):
    __slots__ = ("entry_ttl", "fragment_ttl", "context_max_tokens", "model")
    ENTRY_TTL_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_TTL_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    entry_ttl: _duration_pb2.Duration
    fragment_ttl: _duration_pb2.Duration
    context_max_tokens: int
    model: str
    def __init__(self, entry_ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., fragment_ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., context_max_tokens: _Optional[int] = ..., model: _Optional[str] = ...) -> None: ...

class AgentStats(_message.Message):
    __slots__ = ("record_counts", "root_entry_count", "oldest_entry_time", "newest_entry_time", "archived_memory_count", "superseded_memory_count", "forgotten_memory_count", "unembedded_memory_count", "storage_bytes", "storage_bytes_max", "context_token_count", "context_token_count_max")
    RECORD_COUNTS_FIELD_NUMBER: _ClassVar[int]
    ROOT_ENTRY_COUNT_FIELD_NUMBER: _ClassVar[int]
    OLDEST_ENTRY_TIME_FIELD_NUMBER: _ClassVar[int]
    NEWEST_ENTRY_TIME_FIELD_NUMBER: _ClassVar[int]
    ARCHIVED_MEMORY_COUNT_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_MEMORY_COUNT_FIELD_NUMBER: _ClassVar[int]
    FORGOTTEN_MEMORY_COUNT_FIELD_NUMBER: _ClassVar[int]
    UNEMBEDDED_MEMORY_COUNT_FIELD_NUMBER: _ClassVar[int]
    STORAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    STORAGE_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_TOKEN_COUNT_MAX_FIELD_NUMBER: _ClassVar[int]
    record_counts: _containers.RepeatedCompositeFieldContainer[_record_pb2.RecordCount]
    root_entry_count: int
    oldest_entry_time: _timestamp_pb2.Timestamp
    newest_entry_time: _timestamp_pb2.Timestamp
    archived_memory_count: int
    superseded_memory_count: int
    forgotten_memory_count: int
    unembedded_memory_count: int
    storage_bytes: int
    storage_bytes_max: int
    context_token_count: int
    context_token_count_max: int
    def __init__(self, record_counts: _Optional[_Iterable[_Union[_record_pb2.RecordCount, _Mapping[str, _Any]]]] = ..., root_entry_count: _Optional[int] = ..., oldest_entry_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., newest_entry_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., archived_memory_count: _Optional[int] = ..., superseded_memory_count: _Optional[int] = ..., forgotten_memory_count: _Optional[int] = ..., unembedded_memory_count: _Optional[int] = ..., storage_bytes: _Optional[int] = ..., storage_bytes_max: _Optional[int] = ..., context_token_count: _Optional[int] = ..., context_token_count_max: _Optional[int] = ...) -> None: ...

class AgentRevision(_message.Message):
    __slots__ = ("agent_id", "revision")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    revision: int
    def __init__(self, agent_id: _Optional[str] = ..., revision: _Optional[int] = ...) -> None: ...
