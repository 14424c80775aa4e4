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

class MemoryType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_TYPE_UNSPECIFIED: _ClassVar[MemoryType]
    MEMORY_TYPE_FACT: _ClassVar[MemoryType]
    MEMORY_TYPE_EVENT: _ClassVar[MemoryType]
    MEMORY_TYPE_INSIGHT: _ClassVar[MemoryType]
    MEMORY_TYPE_PREFERENCE: _ClassVar[MemoryType]
    MEMORY_TYPE_CORRECTION: _ClassVar[MemoryType]
    MEMORY_TYPE_CONVERSATION: _ClassVar[MemoryType]

class PayloadMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PAYLOAD_MODE_UNSPECIFIED: _ClassVar[PayloadMode]
    PAYLOAD_MODE_FULL: _ClassVar[PayloadMode]
    PAYLOAD_MODE_METADATA_ONLY: _ClassVar[PayloadMode]
MEMORY_TYPE_UNSPECIFIED: MemoryType
MEMORY_TYPE_FACT: MemoryType
MEMORY_TYPE_EVENT: MemoryType
MEMORY_TYPE_INSIGHT: MemoryType
MEMORY_TYPE_PREFERENCE: MemoryType
MEMORY_TYPE_CORRECTION: MemoryType
MEMORY_TYPE_CONVERSATION: MemoryType
PAYLOAD_MODE_UNSPECIFIED: PayloadMode
PAYLOAD_MODE_FULL: PayloadMode
PAYLOAD_MODE_METADATA_ONLY: PayloadMode

class Entry(_message.Message):
    __slots__ = ("key", "value_json", "entry_id", "type_name", "memory_type", "importance", "tags", "metadata", "scope_id", "revision", "create_time", "update_time", "expire_time", "access_count", "last_access_time")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_JSON_FIELD_NUMBER: _ClassVar[int]
    ENTRY_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_NAME_FIELD_NUMBER: _ClassVar[int]
    MEMORY_TYPE_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    ACCESS_COUNT_FIELD_NUMBER: _ClassVar[int]
    LAST_ACCESS_TIME_FIELD_NUMBER: _ClassVar[int]
    key: str
    value_json: str
    entry_id: str
    type_name: str
    memory_type: MemoryType
    importance: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    scope_id: str
    revision: int
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    expire_time: _timestamp_pb2.Timestamp
    access_count: int
    last_access_time: _timestamp_pb2.Timestamp
    def __init__(self, key: _Optional[str] = ..., value_json: _Optional[str] = ..., entry_id: _Optional[str] = ..., type_name: _Optional[str] = ..., memory_type: _Optional[_Union[MemoryType, str]] = ..., importance: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., scope_id: _Optional[str] = ..., revision: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., access_count: _Optional[int] = ..., last_access_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
