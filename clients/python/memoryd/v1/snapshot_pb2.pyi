import datetime

from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SnapshotTrigger(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SNAPSHOT_TRIGGER_UNSPECIFIED: _ClassVar[SnapshotTrigger]
    SNAPSHOT_TRIGGER_REQUEST: _ClassVar[SnapshotTrigger]
    SNAPSHOT_TRIGGER_SHUTDOWN: _ClassVar[SnapshotTrigger]
    SNAPSHOT_TRIGGER_PERIODIC: _ClassVar[SnapshotTrigger]
    SNAPSHOT_TRIGGER_END_AGENT: _ClassVar[SnapshotTrigger]
SNAPSHOT_TRIGGER_UNSPECIFIED: SnapshotTrigger
SNAPSHOT_TRIGGER_REQUEST: SnapshotTrigger
SNAPSHOT_TRIGGER_SHUTDOWN: SnapshotTrigger
SNAPSHOT_TRIGGER_PERIODIC: SnapshotTrigger
SNAPSHOT_TRIGGER_END_AGENT: SnapshotTrigger

class Snapshot(_message.Message):
    __slots__ = ("snapshot_id", "agent_id", "revision", "create_time", "size_bytes", "agent_count", "record_count", "encrypted", "trigger", "label", "sha256", "format_version")
    SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    AGENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    RECORD_COUNT_FIELD_NUMBER: _ClassVar[int]
    ENCRYPTED_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    FORMAT_VERSION_FIELD_NUMBER: _ClassVar[int]
    snapshot_id: str
    agent_id: str
    revision: int
    create_time: _timestamp_pb2.Timestamp
    size_bytes: int
    agent_count: int
    record_count: int
    encrypted: bool
    trigger: SnapshotTrigger
    label: str
    sha256: str
    format_version: int
    def __init__(self, snapshot_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., revision: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., size_bytes: _Optional[int] = ..., agent_count: _Optional[int] = ..., record_count: _Optional[int] = ..., encrypted: _Optional[bool] = ..., trigger: _Optional[_Union[SnapshotTrigger, str]] = ..., label: _Optional[str] = ..., sha256: _Optional[str] = ..., format_version: _Optional[int] = ...) -> None: ...
