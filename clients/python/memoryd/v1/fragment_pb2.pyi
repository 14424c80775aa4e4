import datetime

from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Fragment(_message.Message):
    __slots__ = ("fragment_id", "agent_id", "revision", "create_time", "expire_time", "user_id", "metadata", "agent_fingerprint", "content", "type", "dynamic_type", "confidence", "participants", "causal_chain", "sources", "flushed", "delivery_count")
    FRAGMENT_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    AGENT_FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    DYNAMIC_TYPE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    PARTICIPANTS_FIELD_NUMBER: _ClassVar[int]
    CAUSAL_CHAIN_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    FLUSHED_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_COUNT_FIELD_NUMBER: _ClassVar[int]
    fragment_id: str
    agent_id: str
    revision: int
    create_time: _timestamp_pb2.Timestamp
    expire_time: _timestamp_pb2.Timestamp
    user_id: str
    metadata: _struct_pb2.Struct
    agent_fingerprint: str
    content: str
    type: str
    dynamic_type: str
    confidence: float
    participants: _containers.RepeatedScalarFieldContainer[str]
    causal_chain: _containers.RepeatedScalarFieldContainer[str]
    sources: _containers.RepeatedCompositeFieldContainer[_struct_pb2.Struct]
    flushed: bool
    delivery_count: int
    def __init__(self, fragment_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., revision: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., user_id: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., agent_fingerprint: _Optional[str] = ..., content: _Optional[str] = ..., type: _Optional[str] = ..., dynamic_type: _Optional[str] = ..., confidence: _Optional[float] = ..., participants: _Optional[_Iterable[str]] = ..., causal_chain: _Optional[_Iterable[str]] = ..., sources: _Optional[_Iterable[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]]] = ..., flushed: _Optional[bool] = ..., delivery_count: _Optional[int] = ...) -> None: ...

class FragmentDraft(_message.Message):
    __slots__ = ("user_id", "metadata", "content", "type", "dynamic_type", "confidence", "participants", "causal_chain", "sources", "expire_time", "ttl")
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    DYNAMIC_TYPE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    PARTICIPANTS_FIELD_NUMBER: _ClassVar[int]
    CAUSAL_CHAIN_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    user_id: str
    metadata: _struct_pb2.Struct
    content: str
    type: str
    dynamic_type: str
    confidence: float
    participants: _containers.RepeatedScalarFieldContainer[str]
    causal_chain: _containers.RepeatedScalarFieldContainer[str]
    sources: _containers.RepeatedCompositeFieldContainer[_struct_pb2.Struct]
    expire_time: _timestamp_pb2.Timestamp
    ttl: _duration_pb2.Duration
    def __init__(self, user_id: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., content: _Optional[str] = ..., type: _Optional[str] = ..., dynamic_type: _Optional[str] = ..., confidence: _Optional[float] = ..., participants: _Optional[_Iterable[str]] = ..., causal_chain: _Optional[_Iterable[str]] = ..., sources: _Optional[_Iterable[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ...) -> None: ...
