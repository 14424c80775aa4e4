import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Fragment(_message.Message):
    __slots__ = ("fragment_id", "agent_id", "agent_fingerprint", "content", "type", "dynamic_type", "confidence", "properties", "participants", "causal_chain", "sources", "create_time", "expire_time", "revision", "flushed", "delivery_count")
    FRAGMENT_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    DYNAMIC_TYPE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    PARTICIPANTS_FIELD_NUMBER: _ClassVar[int]
    CAUSAL_CHAIN_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    FLUSHED_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_COUNT_FIELD_NUMBER: _ClassVar[int]
    fragment_id: str
    agent_id: str
    agent_fingerprint: str
    content: str
    type: str
    dynamic_type: str
    confidence: float
    properties: _struct_pb2.Struct
    participants: _containers.RepeatedScalarFieldContainer[str]
    causal_chain: _containers.RepeatedScalarFieldContainer[str]
    sources: _containers.RepeatedCompositeFieldContainer[_struct_pb2.Struct]
    create_time: _timestamp_pb2.Timestamp
    expire_time: _timestamp_pb2.Timestamp
    revision: int
    flushed: bool
    delivery_count: int
    def __init__(self, fragment_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., agent_fingerprint: _Optional[str] = ..., content: _Optional[str] = ..., type: _Optional[str] = ..., dynamic_type: _Optional[str] = ..., confidence: _Optional[float] = ..., properties: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., participants: _Optional[_Iterable[str]] = ..., causal_chain: _Optional[_Iterable[str]] = ..., sources: _Optional[_Iterable[_Union[_struct_pb2.Struct, _Mapping]]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., revision: _Optional[int] = ..., flushed: _Optional[bool] = ..., delivery_count: _Optional[int] = ...) -> None: ...
