import datetime

from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import memory_pb2 as _memory_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MemoryProposal(_message.Message):
    __slots__ = ("memory_proposal_id", "agent_id", "revision", "create_time", "user_id", "tags", "metadata", "content", "type", "project_id", "provenance", "occur_time")
    MEMORY_PROPOSAL_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    PROVENANCE_FIELD_NUMBER: _ClassVar[int]
    OCCUR_TIME_FIELD_NUMBER: _ClassVar[int]
    memory_proposal_id: str
    agent_id: str
    revision: int
    create_time: _timestamp_pb2.Timestamp
    user_id: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    content: str
    type: _memory_pb2.MemoryType
    project_id: str
    provenance: _memory_pb2.Provenance
    occur_time: _timestamp_pb2.Timestamp
    def __init__(self, memory_proposal_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., revision: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., user_id: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., content: _Optional[str] = ..., type: _Optional[_Union[_memory_pb2.MemoryType, str]] = ..., project_id: _Optional[str] = ..., provenance: _Optional[_Union[_memory_pb2.Provenance, _Mapping[str, _Any]]] = ..., occur_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ...) -> None: ...

class MemoryProposalDraft(_message.Message):
    __slots__ = ("memory_proposal_id", "user_id", "tags", "metadata", "content", "type", "project_id", "provenance", "occur_time")
    MEMORY_PROPOSAL_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    PROVENANCE_FIELD_NUMBER: _ClassVar[int]
    OCCUR_TIME_FIELD_NUMBER: _ClassVar[int]
    memory_proposal_id: str
    user_id: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    content: str
    type: _memory_pb2.MemoryType
    project_id: str
    provenance: _memory_pb2.Provenance
    occur_time: _timestamp_pb2.Timestamp
    def __init__(self, memory_proposal_id: _Optional[str] = ..., user_id: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., content: _Optional[str] = ..., type: _Optional[_Union[_memory_pb2.MemoryType, str]] = ..., project_id: _Optional[str] = ..., provenance: _Optional[_Union[_memory_pb2.Provenance, _Mapping[str, _Any]]] = ..., occur_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ...) -> None: ...
