import datetime

from google.api import annotations_pb2 as _annotations_pb2
from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import consistency_pb2 as _consistency_pb2
from memoryd.v1 import entry_pb2 as _entry_pb2
from memoryd.v1 import erasure_pb2 as _erasure_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import listing_pb2 as _listing_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from memoryd.v1 import record_filter_pb2 as _record_filter_pb2
from memoryd.v1 import scope_pb2 as _scope_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

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
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "scope_id", "key", "value_json", "value", "type_name", "type", "importance", "tags", "metadata", "ttl", "expire_time", "user_id", "reservation_token", "update_mask")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_JSON_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    TYPE_NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    RESERVATION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    scope_id: str
    key: str
    value_json: str
    value: _struct_pb2.Value
    type_name: str
    type: _entry_pb2.EntryType
    importance: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    ttl: _duration_pb2.Duration
    expire_time: _timestamp_pb2.Timestamp
    user_id: str
    reservation_token: str
    update_mask: _field_mask_pb2.FieldMask
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., scope_id: _Optional[str] = ..., key: _Optional[str] = ..., value_json: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping[str, _Any]]] = ..., type_name: _Optional[str] = ..., type: _Optional[_Union[_entry_pb2.EntryType, str]] = ..., importance: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., user_id: _Optional[str] = ..., reservation_token: _Optional[str] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping[str, _Any]]] = ...) -> None: ...

class SetEntryResponse(_message.Message):
    __slots__ = ("revision", "entry", "created")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    entry: _entry_pb2.Entry
    created: bool
    def __init__(self, revision: _Optional[int] = ..., entry: _Optional[_Union[_entry_pb2.Entry, _Mapping[str, _Any]]] = ..., created: _Optional[bool] = ...) -> None: ...

class GetEntryRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "scope_id", "key", "local_only")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    LOCAL_ONLY_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    scope_id: str
    key: str
    local_only: bool
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., scope_id: _Optional[str] = ..., key: _Optional[str] = ..., local_only: _Optional[bool] = ...) -> None: ...

class GetEntryResponse(_message.Message):
    __slots__ = ("revision", "found", "entry")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    FOUND_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    revision: int
    found: bool
    entry: _entry_pb2.Entry
    def __init__(self, revision: _Optional[int] = ..., found: _Optional[bool] = ..., entry: _Optional[_Union[_entry_pb2.Entry, _Mapping[str, _Any]]] = ...) -> None: ...

class GetOrSetEntryRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "scope_id", "key", "value_json", "value", "type_name", "type", "importance", "tags", "metadata", "ttl", "expire_time", "user_id", "local_only")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_JSON_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    TYPE_NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    LOCAL_ONLY_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    scope_id: str
    key: str
    value_json: str
    value: _struct_pb2.Value
    type_name: str
    type: _entry_pb2.EntryType
    importance: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    ttl: _duration_pb2.Duration
    expire_time: _timestamp_pb2.Timestamp
    user_id: str
    local_only: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., scope_id: _Optional[str] = ..., key: _Optional[str] = ..., value_json: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping[str, _Any]]] = ..., type_name: _Optional[str] = ..., type: _Optional[_Union[_entry_pb2.EntryType, str]] = ..., importance: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., user_id: _Optional[str] = ..., local_only: _Optional[bool] = ...) -> None: ...

class GetOrSetEntryResponse(_message.Message):
    __slots__ = ("revision", "entry", "created")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    entry: _entry_pb2.Entry
    created: bool
    def __init__(self, revision: _Optional[int] = ..., entry: _Optional[_Union[_entry_pb2.Entry, _Mapping[str, _Any]]] = ..., created: _Optional[bool] = ...) -> None: ...

class ReserveEntryRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "scope_id", "key", "local_only", "lease_duration", "wait_duration")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    LOCAL_ONLY_FIELD_NUMBER: _ClassVar[int]
    LEASE_DURATION_FIELD_NUMBER: _ClassVar[int]
    WAIT_DURATION_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    scope_id: str
    key: str
    local_only: bool
    lease_duration: _duration_pb2.Duration
    wait_duration: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., scope_id: _Optional[str] = ..., key: _Optional[str] = ..., local_only: _Optional[bool] = ..., lease_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., wait_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ...) -> None: ...

class ReserveEntryResponse(_message.Message):
    __slots__ = ("revision", "outcome", "entry", "reservation_token", "lease_expire_time")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    RESERVATION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LEASE_EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    revision: int
    outcome: ReserveOutcome
    entry: _entry_pb2.Entry
    reservation_token: str
    lease_expire_time: _timestamp_pb2.Timestamp
    def __init__(self, revision: _Optional[int] = ..., outcome: _Optional[_Union[ReserveOutcome, str]] = ..., entry: _Optional[_Union[_entry_pb2.Entry, _Mapping[str, _Any]]] = ..., reservation_token: _Optional[str] = ..., lease_expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ...) -> None: ...

class RenewReservationRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "scope_id", "key", "reservation_token", "lease_duration")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    RESERVATION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LEASE_DURATION_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    scope_id: str
    key: str
    reservation_token: str
    lease_duration: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., scope_id: _Optional[str] = ..., key: _Optional[str] = ..., reservation_token: _Optional[str] = ..., lease_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ...) -> None: ...

class RenewReservationResponse(_message.Message):
    __slots__ = ("revision", "lease_expire_time")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    LEASE_EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    revision: int
    lease_expire_time: _timestamp_pb2.Timestamp
    def __init__(self, revision: _Optional[int] = ..., lease_expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ...) -> None: ...

class ReleaseReservationRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "scope_id", "key", "reservation_token")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    RESERVATION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    scope_id: str
    key: str
    reservation_token: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., scope_id: _Optional[str] = ..., key: _Optional[str] = ..., reservation_token: _Optional[str] = ...) -> None: ...

class ReleaseReservationResponse(_message.Message):
    __slots__ = ("revision",)
    REVISION_FIELD_NUMBER: _ClassVar[int]
    revision: int
    def __init__(self, revision: _Optional[int] = ...) -> None: ...

class ContainsEntryRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "scope_id", "key", "local_only")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    LOCAL_ONLY_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    scope_id: str
    key: str
    local_only: bool
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., scope_id: _Optional[str] = ..., key: _Optional[str] = ..., local_only: _Optional[bool] = ...) -> None: ...

class ContainsEntryResponse(_message.Message):
    __slots__ = ("revision", "found", "scope_id")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    FOUND_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    revision: int
    found: bool
    scope_id: str
    def __init__(self, revision: _Optional[int] = ..., found: _Optional[bool] = ..., scope_id: _Optional[str] = ...) -> None: ...

class RemoveEntryRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "scope_id", "key", "erase")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    ERASE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    scope_id: str
    key: str
    erase: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., scope_id: _Optional[str] = ..., key: _Optional[str] = ..., erase: _Optional[bool] = ...) -> None: ...

class RemoveEntryResponse(_message.Message):
    __slots__ = ("revision", "receipt", "deleted")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    deleted: bool
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., deleted: _Optional[bool] = ...) -> None: ...

class ListEntriesRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "page_size", "page_token", "order", "view", "scope_id", "include_inherited", "filter")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_INHERITED_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    page_size: int
    page_token: str
    order: _listing_pb2.ListOrder
    view: _listing_pb2.RecordView
    scope_id: str
    include_inherited: bool
    filter: _record_filter_pb2.RecordFilter
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., order: _Optional[_Union[_listing_pb2.ListOrder, str]] = ..., view: _Optional[_Union[_listing_pb2.RecordView, str]] = ..., scope_id: _Optional[str] = ..., include_inherited: _Optional[bool] = ..., filter: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ...) -> None: ...

class ListEntriesResponse(_message.Message):
    __slots__ = ("revision", "next_page_token", "total_count", "entries")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    revision: int
    next_page_token: str
    total_count: int
    entries: _containers.RepeatedCompositeFieldContainer[_entry_pb2.Entry]
    def __init__(self, revision: _Optional[int] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., entries: _Optional[_Iterable[_Union[_entry_pb2.Entry, _Mapping[str, _Any]]]] = ...) -> None: ...

class ClearEntriesRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "scope_id", "erase")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    ERASE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    scope_id: str
    erase: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., scope_id: _Optional[str] = ..., erase: _Optional[bool] = ...) -> None: ...

class ClearEntriesResponse(_message.Message):
    __slots__ = ("revision", "receipt", "cleared_entry_count")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    CLEARED_ENTRY_COUNT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    cleared_entry_count: int
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., cleared_entry_count: _Optional[int] = ...) -> None: ...

class BatchGetEntriesRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "view", "scope_id", "keys", "local_only")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    LOCAL_ONLY_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    view: _listing_pb2.RecordView
    scope_id: str
    keys: _containers.RepeatedScalarFieldContainer[str]
    local_only: bool
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., view: _Optional[_Union[_listing_pb2.RecordView, str]] = ..., scope_id: _Optional[str] = ..., keys: _Optional[_Iterable[str]] = ..., local_only: _Optional[bool] = ...) -> None: ...

class BatchGetEntriesResponse(_message.Message):
    __slots__ = ("revision", "entries", "missing_keys")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    MISSING_KEYS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    entries: _containers.RepeatedCompositeFieldContainer[_entry_pb2.Entry]
    missing_keys: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, revision: _Optional[int] = ..., entries: _Optional[_Iterable[_Union[_entry_pb2.Entry, _Mapping[str, _Any]]]] = ..., missing_keys: _Optional[_Iterable[str]] = ...) -> None: ...

class EntryOperation(_message.Message):
    __slots__ = ("set", "remove")
    SET_FIELD_NUMBER: _ClassVar[int]
    REMOVE_FIELD_NUMBER: _ClassVar[int]
    set: SetEntryOperation
    remove: RemoveEntryOperation
    def __init__(self, set: _Optional[_Union[SetEntryOperation, _Mapping[str, _Any]]] = ..., remove: _Optional[_Union[RemoveEntryOperation, _Mapping[str, _Any]]] = ...) -> None: ...

class SetEntryOperation(_message.Message):
    __slots__ = ("precondition", "key", "value_json", "value", "type_name", "type", "importance", "tags", "metadata", "ttl", "expire_time", "user_id")
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_JSON_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    TYPE_NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    precondition: _precondition_pb2.Precondition
    key: str
    value_json: str
    value: _struct_pb2.Value
    type_name: str
    type: _entry_pb2.EntryType
    importance: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    ttl: _duration_pb2.Duration
    expire_time: _timestamp_pb2.Timestamp
    user_id: str
    def __init__(self, precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., key: _Optional[str] = ..., value_json: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping[str, _Any]]] = ..., type_name: _Optional[str] = ..., type: _Optional[_Union[_entry_pb2.EntryType, str]] = ..., importance: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., user_id: _Optional[str] = ...) -> None: ...

class RemoveEntryOperation(_message.Message):
    __slots__ = ("precondition", "key")
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    precondition: _precondition_pb2.Precondition
    key: str
    def __init__(self, precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., key: _Optional[str] = ...) -> None: ...

class BatchWriteEntriesRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "scope_id", "operations", "erase")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    OPERATIONS_FIELD_NUMBER: _ClassVar[int]
    ERASE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    scope_id: str
    operations: _containers.RepeatedCompositeFieldContainer[EntryOperation]
    erase: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., scope_id: _Optional[str] = ..., operations: _Optional[_Iterable[_Union[EntryOperation, _Mapping[str, _Any]]]] = ..., erase: _Optional[bool] = ...) -> None: ...

class EntryOperationResult(_message.Message):
    __slots__ = ("key", "entry_id", "created", "deleted")
    KEY_FIELD_NUMBER: _ClassVar[int]
    ENTRY_ID_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    key: str
    entry_id: str
    created: bool
    deleted: bool
    def __init__(self, key: _Optional[str] = ..., entry_id: _Optional[str] = ..., created: _Optional[bool] = ..., deleted: _Optional[bool] = ...) -> None: ...

class BatchWriteEntriesResponse(_message.Message):
    __slots__ = ("revision", "receipt", "results")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    results: _containers.RepeatedCompositeFieldContainer[EntryOperationResult]
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., results: _Optional[_Iterable[_Union[EntryOperationResult, _Mapping[str, _Any]]]] = ...) -> None: ...

class CreateScopeRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "name", "parent_scope_id", "user_id", "idle_ttl")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PARENT_SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    IDLE_TTL_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    name: str
    parent_scope_id: str
    user_id: str
    idle_ttl: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., name: _Optional[str] = ..., parent_scope_id: _Optional[str] = ..., user_id: _Optional[str] = ..., idle_ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ...) -> None: ...

class CreateScopeResponse(_message.Message):
    __slots__ = ("revision", "scope")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    revision: int
    scope: _scope_pb2.Scope
    def __init__(self, revision: _Optional[int] = ..., scope: _Optional[_Union[_scope_pb2.Scope, _Mapping[str, _Any]]] = ...) -> None: ...

class GetScopeRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "scope_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    scope_id: str
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., scope_id: _Optional[str] = ...) -> None: ...

class GetScopeResponse(_message.Message):
    __slots__ = ("revision", "scope")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    revision: int
    scope: _scope_pb2.Scope
    def __init__(self, revision: _Optional[int] = ..., scope: _Optional[_Union[_scope_pb2.Scope, _Mapping[str, _Any]]] = ...) -> None: ...

class ListScopesRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "page_size", "page_token", "order", "view", "parent_scope_id", "filter")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    PARENT_SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    page_size: int
    page_token: str
    order: _listing_pb2.ListOrder
    view: _listing_pb2.RecordView
    parent_scope_id: str
    filter: _record_filter_pb2.RecordFilter
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., order: _Optional[_Union[_listing_pb2.ListOrder, str]] = ..., view: _Optional[_Union[_listing_pb2.RecordView, str]] = ..., parent_scope_id: _Optional[str] = ..., filter: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ...) -> None: ...

class ListScopesResponse(_message.Message):
    __slots__ = ("revision", "next_page_token", "total_count", "scopes")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    revision: int
    next_page_token: str
    total_count: int
    scopes: _containers.RepeatedCompositeFieldContainer[_scope_pb2.Scope]
    def __init__(self, revision: _Optional[int] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., scopes: _Optional[_Iterable[_Union[_scope_pb2.Scope, _Mapping[str, _Any]]]] = ...) -> None: ...

class MergeScopeRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "scope_id", "overwrite", "dispose")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    OVERWRITE_FIELD_NUMBER: _ClassVar[int]
    DISPOSE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    scope_id: str
    overwrite: bool
    dispose: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., scope_id: _Optional[str] = ..., overwrite: _Optional[bool] = ..., dispose: _Optional[bool] = ...) -> None: ...

class MergeScopeResponse(_message.Message):
    __slots__ = ("revision", "merged_entry_count")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    MERGED_ENTRY_COUNT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    merged_entry_count: int
    def __init__(self, revision: _Optional[int] = ..., merged_entry_count: _Optional[int] = ...) -> None: ...

class DisposeScopeRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "scope_id", "erase")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    ERASE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    scope_id: str
    erase: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., scope_id: _Optional[str] = ..., erase: _Optional[bool] = ...) -> None: ...

class DisposeScopeResponse(_message.Message):
    __slots__ = ("revision", "receipt", "deleted", "cleared_entry_count", "disposed_scope_ids")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    CLEARED_ENTRY_COUNT_FIELD_NUMBER: _ClassVar[int]
    DISPOSED_SCOPE_IDS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    deleted: bool
    cleared_entry_count: int
    disposed_scope_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., deleted: _Optional[bool] = ..., cleared_entry_count: _Optional[int] = ..., disposed_scope_ids: _Optional[_Iterable[str]] = ...) -> None: ...
