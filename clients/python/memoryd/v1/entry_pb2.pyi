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

class EntryType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENTRY_TYPE_UNSPECIFIED: _ClassVar[EntryType]
    ENTRY_TYPE_FACT: _ClassVar[EntryType]
    ENTRY_TYPE_EVENT: _ClassVar[EntryType]
    ENTRY_TYPE_INSIGHT: _ClassVar[EntryType]
    ENTRY_TYPE_PREFERENCE: _ClassVar[EntryType]
    ENTRY_TYPE_CORRECTION: _ClassVar[EntryType]
    ENTRY_TYPE_CONVERSATION: _ClassVar[EntryType]
ENTRY_TYPE_UNSPECIFIED: EntryType
ENTRY_TYPE_FACT: EntryType
ENTRY_TYPE_EVENT: EntryType
ENTRY_TYPE_INSIGHT: EntryType
ENTRY_TYPE_PREFERENCE: EntryType
ENTRY_TYPE_CORRECTION: EntryType
ENTRY_TYPE_CONVERSATION: EntryType

class Entry(_message.Message):
    __slots__ = ("entry_id", "revision", "create_time", "update_time", "expire_time", "user_id", "tags", "metadata", "key", "value_json", "type_name", "type", "importance", "scope_id", "access_count", "last_access_time")
    ENTRY_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_JSON_FIELD_NUMBER: _ClassVar[int]
    TYPE_NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    ACCESS_COUNT_FIELD_NUMBER: _ClassVar[int]
    LAST_ACCESS_TIME_FIELD_NUMBER: _ClassVar[int]
    entry_id: str
    revision: int
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    expire_time: _timestamp_pb2.Timestamp
    user_id: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    key: str
    value_json: str
    type_name: str
    type: EntryType
    importance: float
    scope_id: str
    access_count: int
    last_access_time: _timestamp_pb2.Timestamp
    def __init__(self, entry_id: _Optional[str] = ..., revision: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., user_id: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., key: _Optional[str] = ..., value_json: _Optional[str] = ..., type_name: _Optional[str] = ..., type: _Optional[_Union[EntryType, str]] = ..., importance: _Optional[float] = ..., scope_id: _Optional[str] = ..., access_count: _Optional[int] = ..., last_access_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ...) -> None: ...
