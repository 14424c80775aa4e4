import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import entry_pb2 as _entry_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from memoryd.v1 import scope_pb2 as _scope_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ReserveOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RESERVE_OUTCOME_UNSPECIFIED: _ClassVar[ReserveOutcome]
    RESERVE_OUTCOME_FOUND: _ClassVar[ReserveOutcome]
    RESERVE_OUTCOME_RESERVED: _ClassVar[ReserveOutcome]
    RESERVE_OUTCOME_HELD: _ClassVar[ReserveOutcome]
RESERVE_OUTCOME_UNSPECIFIED: ReserveOutcome
RESERVE_OUTCOME_FOUND: ReserveOutcome
RESERVE_OUTCOME_RESERVED: ReserveOutcome
RESERVE_OUTCOME_HELD: ReserveOutcome

class SetEntryRequest(_message.Message):
    __slots__ = ("agent_id", "scope_id", "key", "value_json", "value", "type_name", "memory_type", "importance", "tags", "metadata", "ttl", "expire_time", "expiry_days", "reservation_token", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_JSON_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    TYPE_NAME_FIELD_NUMBER: _ClassVar[int]
    MEMORY_TYPE_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRY_DAYS_FIELD_NUMBER: _ClassVar[int]
    RESERVATION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    scope_id: str
    key: str
    value_json: str
    value: _struct_pb2.Value
    type_name: str
    memory_type: _entry_pb2.MemoryType
    importance: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    ttl: _duration_pb2.Duration
    expire_time: _timestamp_pb2.Timestamp
    expiry_days: int
    reservation_token: str
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., scope_id: _Optional[str] = ..., key: _Optional[str] = ..., value_json: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., type_name: _Optional[str] = ..., memory_type: _Optional[_Union[_entry_pb2.MemoryType, str]] = ..., importance: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expiry_days: _Optional[int] = ..., reservation_token: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class SetEntryResponse(_message.Message):
    __slots__ = ("is_update", "entry_id", "revision")
    IS_UPDATE_FIELD_NUMBER: _ClassVar[int]
    ENTRY_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    is_update: bool
    entry_id: str
    revision: int
    def __init__(self, is_update: _Optional[bool] = ..., entry_id: _Optional[str] = ..., revision: _Optional[int] = ...) -> None: ...

class GetEntryRequest(_message.Message):
    __slots__ = ("agent_id", "scope_id", "key", "local_only", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    LOCAL_ONLY_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    scope_id: str
    key: str
    local_only: bool
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., scope_id: _Optional[str] = ..., key: _Optional[str] = ..., local_only: _Optional[bool] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class GetEntryResponse(_message.Message):
    __slots__ = ("found", "entry", "revision")
    FOUND_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    found: bool
    entry: _entry_pb2.Entry
    revision: int
    def __init__(self, found: _Optional[bool] = ..., entry: _Optional[_Union[_entry_pb2.Entry, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class GetOrSetEntryRequest(_message.Message):
    __slots__ = ("agent_id", "scope_id", "key", "value_json", "value", "type_name", "memory_type", "importance", "tags", "metadata", "ttl", "expire_time", "expiry_days", "local_only", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_JSON_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    TYPE_NAME_FIELD_NUMBER: _ClassVar[int]
    MEMORY_TYPE_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRY_DAYS_FIELD_NUMBER: _ClassVar[int]
    LOCAL_ONLY_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    scope_id: str
    key: str
    value_json: str
    value: _struct_pb2.Value
    type_name: str
    memory_type: _entry_pb2.MemoryType
    importance: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    ttl: _duration_pb2.Duration
    expire_time: _timestamp_pb2.Timestamp
    expiry_days: int
    local_only: bool
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., scope_id: _Optional[str] = ..., key: _Optional[str] = ..., value_json: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., type_name: _Optional[str] = ..., memory_type: _Optional[_Union[_entry_pb2.MemoryType, str]] = ..., importance: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expiry_days: _Optional[int] = ..., local_only: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class GetOrSetEntryResponse(_message.Message):
    __slots__ = ("was_set", "entry", "revision")
    WAS_SET_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    was_set: bool
    entry: _entry_pb2.Entry
    revision: int
    def __init__(self, was_set: _Optional[bool] = ..., entry: _Optional[_Union[_entry_pb2.Entry, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class ReserveEntryRequest(_message.Message):
    __slots__ = ("agent_id", "scope_id", "key", "local_only", "lease", "wait", "reservation_token", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    LOCAL_ONLY_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    RESERVATION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    scope_id: str
    key: str
    local_only: bool
    lease: _duration_pb2.Duration
    wait: _duration_pb2.Duration
    reservation_token: str
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., scope_id: _Optional[str] = ..., key: _Optional[str] = ..., local_only: _Optional[bool] = ..., lease: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., reservation_token: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class ReserveEntryResponse(_message.Message):
    __slots__ = ("outcome", "entry", "reservation_token", "lease_expire_time", "revision")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    RESERVATION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LEASE_EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    outcome: ReserveOutcome
    entry: _entry_pb2.Entry
    reservation_token: str
    lease_expire_time: _timestamp_pb2.Timestamp
    revision: int
    def __init__(self, outcome: _Optional[_Union[ReserveOutcome, str]] = ..., entry: _Optional[_Union[_entry_pb2.Entry, _Mapping]] = ..., reservation_token: _Optional[str] = ..., lease_expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class ContainsEntryRequest(_message.Message):
    __slots__ = ("agent_id", "scope_id", "key", "local_only", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    LOCAL_ONLY_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    scope_id: str
    key: str
    local_only: bool
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., scope_id: _Optional[str] = ..., key: _Optional[str] = ..., local_only: _Optional[bool] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ContainsEntryResponse(_message.Message):
    __slots__ = ("found", "scope_id", "revision")
    FOUND_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    found: bool
    scope_id: str
    revision: int
    def __init__(self, found: _Optional[bool] = ..., scope_id: _Optional[str] = ..., revision: _Optional[int] = ...) -> None: ...

class RemoveEntryRequest(_message.Message):
    __slots__ = ("agent_id", "scope_id", "key", "reservation_token", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    RESERVATION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    scope_id: str
    key: str
    reservation_token: str
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., scope_id: _Optional[str] = ..., key: _Optional[str] = ..., reservation_token: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class RemoveEntryResponse(_message.Message):
    __slots__ = ("removed", "revision")
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    removed: bool
    revision: int
    def __init__(self, removed: _Optional[bool] = ..., revision: _Optional[int] = ...) -> None: ...

class ListEntriesRequest(_message.Message):
    __slots__ = ("agent_id", "scope_id", "include_inherited", "key_prefix", "tags", "memory_types", "payload_mode", "page_size", "page_token", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_INHERITED_FIELD_NUMBER: _ClassVar[int]
    KEY_PREFIX_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    MEMORY_TYPES_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_MODE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    scope_id: str
    include_inherited: bool
    key_prefix: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    memory_types: _containers.RepeatedScalarFieldContainer[_entry_pb2.MemoryType]
    payload_mode: _entry_pb2.PayloadMode
    page_size: int
    page_token: str
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., scope_id: _Optional[str] = ..., include_inherited: _Optional[bool] = ..., key_prefix: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., memory_types: _Optional[_Iterable[_Union[_entry_pb2.MemoryType, str]]] = ..., payload_mode: _Optional[_Union[_entry_pb2.PayloadMode, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ListEntriesResponse(_message.Message):
    __slots__ = ("entries", "next_page_token", "total_count", "revision")
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[_entry_pb2.Entry]
    next_page_token: str
    total_count: int
    revision: int
    def __init__(self, entries: _Optional[_Iterable[_Union[_entry_pb2.Entry, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class ClearEntriesRequest(_message.Message):
    __slots__ = ("agent_id", "scope_id", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    scope_id: str
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., scope_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class ClearEntriesResponse(_message.Message):
    __slots__ = ("entries_cleared", "revision")
    ENTRIES_CLEARED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    entries_cleared: int
    revision: int
    def __init__(self, entries_cleared: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class BatchGetEntriesRequest(_message.Message):
    __slots__ = ("agent_id", "scope_id", "keys", "local_only", "payload_mode", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    LOCAL_ONLY_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_MODE_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    scope_id: str
    keys: _containers.RepeatedScalarFieldContainer[str]
    local_only: bool
    payload_mode: _entry_pb2.PayloadMode
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., scope_id: _Optional[str] = ..., keys: _Optional[_Iterable[str]] = ..., local_only: _Optional[bool] = ..., payload_mode: _Optional[_Union[_entry_pb2.PayloadMode, str]] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class BatchGetEntriesResponse(_message.Message):
    __slots__ = ("entries", "missing_keys", "revision")
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    MISSING_KEYS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[_entry_pb2.Entry]
    missing_keys: _containers.RepeatedScalarFieldContainer[str]
    revision: int
    def __init__(self, entries: _Optional[_Iterable[_Union[_entry_pb2.Entry, _Mapping]]] = ..., missing_keys: _Optional[_Iterable[str]] = ..., revision: _Optional[int] = ...) -> None: ...

class EntryOperation(_message.Message):
    __slots__ = ("set", "remove")
    SET_FIELD_NUMBER: _ClassVar[int]
    REMOVE_FIELD_NUMBER: _ClassVar[int]
    set: SetEntryOperation
    remove: RemoveEntryOperation
    def __init__(self, set: _Optional[_Union[SetEntryOperation, _Mapping]] = ..., remove: _Optional[_Union[RemoveEntryOperation, _Mapping]] = ...) -> None: ...

class SetEntryOperation(_message.Message):
    __slots__ = ("key", "value_json", "value", "type_name", "memory_type", "importance", "tags", "metadata", "ttl", "expire_time", "expiry_days", "precondition")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_JSON_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    TYPE_NAME_FIELD_NUMBER: _ClassVar[int]
    MEMORY_TYPE_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRY_DAYS_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    key: str
    value_json: str
    value: _struct_pb2.Value
    type_name: str
    memory_type: _entry_pb2.MemoryType
    importance: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    ttl: _duration_pb2.Duration
    expire_time: _timestamp_pb2.Timestamp
    expiry_days: int
    precondition: _precondition_pb2.Precondition
    def __init__(self, key: _Optional[str] = ..., value_json: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., type_name: _Optional[str] = ..., memory_type: _Optional[_Union[_entry_pb2.MemoryType, str]] = ..., importance: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expiry_days: _Optional[int] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ...) -> None: ...

class RemoveEntryOperation(_message.Message):
    __slots__ = ("key", "precondition")
    KEY_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    key: str
    precondition: _precondition_pb2.Precondition
    def __init__(self, key: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ...) -> None: ...

class BatchWriteEntriesRequest(_message.Message):
    __slots__ = ("agent_id", "scope_id", "operations", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    OPERATIONS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    scope_id: str
    operations: _containers.RepeatedCompositeFieldContainer[EntryOperation]
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., scope_id: _Optional[str] = ..., operations: _Optional[_Iterable[_Union[EntryOperation, _Mapping]]] = ..., request_id: _Optional[str] = ...) -> None: ...

class EntryOperationResult(_message.Message):
    __slots__ = ("key", "existed", "entry_id")
    KEY_FIELD_NUMBER: _ClassVar[int]
    EXISTED_FIELD_NUMBER: _ClassVar[int]
    ENTRY_ID_FIELD_NUMBER: _ClassVar[int]
    key: str
    existed: bool
    entry_id: str
    def __init__(self, key: _Optional[str] = ..., existed: _Optional[bool] = ..., entry_id: _Optional[str] = ...) -> None: ...

class BatchWriteEntriesResponse(_message.Message):
    __slots__ = ("results", "revision")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[EntryOperationResult]
    revision: int
    def __init__(self, results: _Optional[_Iterable[_Union[EntryOperationResult, _Mapping]]] = ..., revision: _Optional[int] = ...) -> None: ...

class CreateScopeRequest(_message.Message):
    __slots__ = ("agent_id", "name", "parent_scope_id", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PARENT_SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    name: str
    parent_scope_id: str
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., name: _Optional[str] = ..., parent_scope_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class CreateScopeResponse(_message.Message):
    __slots__ = ("scope", "revision")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    scope: _scope_pb2.Scope
    revision: int
    def __init__(self, scope: _Optional[_Union[_scope_pb2.Scope, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class GetScopeRequest(_message.Message):
    __slots__ = ("agent_id", "scope_id", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    scope_id: str
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., scope_id: _Optional[str] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class GetScopeResponse(_message.Message):
    __slots__ = ("scope", "revision")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    scope: _scope_pb2.Scope
    revision: int
    def __init__(self, scope: _Optional[_Union[_scope_pb2.Scope, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class ListScopesRequest(_message.Message):
    __slots__ = ("agent_id", "parent_scope_id", "page_size", "page_token", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    PARENT_SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    parent_scope_id: str
    page_size: int
    page_token: str
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., parent_scope_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ListScopesResponse(_message.Message):
    __slots__ = ("scopes", "next_page_token", "total_count", "revision")
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    scopes: _containers.RepeatedCompositeFieldContainer[_scope_pb2.Scope]
    next_page_token: str
    total_count: int
    revision: int
    def __init__(self, scopes: _Optional[_Iterable[_Union[_scope_pb2.Scope, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class MergeScopeRequest(_message.Message):
    __slots__ = ("agent_id", "scope_id", "overwrite", "dispose", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    OVERWRITE_FIELD_NUMBER: _ClassVar[int]
    DISPOSE_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    scope_id: str
    overwrite: bool
    dispose: bool
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., scope_id: _Optional[str] = ..., overwrite: _Optional[bool] = ..., dispose: _Optional[bool] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class MergeScopeResponse(_message.Message):
    __slots__ = ("entries_merged", "revision")
    ENTRIES_MERGED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    entries_merged: int
    revision: int
    def __init__(self, entries_merged: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class DisposeScopeRequest(_message.Message):
    __slots__ = ("agent_id", "scope_id", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    scope_id: str
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., scope_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class DisposeScopeResponse(_message.Message):
    __slots__ = ("entries_cleared", "disposed_scope_ids", "already_disposed", "revision")
    ENTRIES_CLEARED_FIELD_NUMBER: _ClassVar[int]
    DISPOSED_SCOPE_IDS_FIELD_NUMBER: _ClassVar[int]
    ALREADY_DISPOSED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    entries_cleared: int
    disposed_scope_ids: _containers.RepeatedScalarFieldContainer[str]
    already_disposed: bool
    revision: int
    def __init__(self, entries_cleared: _Optional[int] = ..., disposed_scope_ids: _Optional[_Iterable[str]] = ..., already_disposed: _Optional[bool] = ..., revision: _Optional[int] = ...) -> None: ...
