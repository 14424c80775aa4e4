import datetime

from google.api import annotations_pb2 as _annotations_pb2
from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import listing_pb2 as _listing_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from memoryd.v1 import snapshot_pb2 as _snapshot_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateSnapshotRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "snapshot_id", "label")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    snapshot_id: str
    label: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., snapshot_id: _Optional[str] = ..., label: _Optional[str] = ...) -> None: ...

class CreateSnapshotResponse(_message.Message):
    __slots__ = ("revision", "snapshot")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    snapshot: _snapshot_pb2.Snapshot
    def __init__(self, revision: _Optional[int] = ..., snapshot: _Optional[_Union[_snapshot_pb2.Snapshot, _Mapping[str, _Any]]] = ...) -> None: ...

class GetSnapshotRequest(_message.Message):
    __slots__ = ("snapshot_id",)
    SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    snapshot_id: str
    def __init__(self, snapshot_id: _Optional[str] = ...) -> None: ...

class GetSnapshotResponse(_message.Message):
    __slots__ = ("snapshot",)
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    snapshot: _snapshot_pb2.Snapshot
    def __init__(self, snapshot: _Optional[_Union[_snapshot_pb2.Snapshot, _Mapping[str, _Any]]] = ...) -> None: ...

class ListSnapshotsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "order", "view", "agent_ids")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    AGENT_IDS_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    order: _listing_pb2.ListOrder
    view: _listing_pb2.RecordView
    agent_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., order: _Optional[_Union[_listing_pb2.ListOrder, str]] = ..., view: _Optional[_Union[_listing_pb2.RecordView, str]] = ..., agent_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ListSnapshotsResponse(_message.Message):
    __slots__ = ("next_page_token", "total_count", "snapshots")
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOTS_FIELD_NUMBER: _ClassVar[int]
    next_page_token: str
    total_count: int
    snapshots: _containers.RepeatedCompositeFieldContainer[_snapshot_pb2.Snapshot]
    def __init__(self, next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., snapshots: _Optional[_Iterable[_Union[_snapshot_pb2.Snapshot, _Mapping[str, _Any]]]] = ...) -> None: ...

class RestoreSnapshotRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "snapshot_id", "as_agent_id", "dry_run")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    AS_AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    snapshot_id: str
    as_agent_id: str
    dry_run: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., snapshot_id: _Optional[str] = ..., as_agent_id: _Optional[str] = ..., dry_run: _Optional[bool] = ...) -> None: ...

class RestoreSnapshotResponse(_message.Message):
    __slots__ = ("revision", "snapshot", "restored_agent_count", "ended_agent_count")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    RESTORED_AGENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    ENDED_AGENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    snapshot: _snapshot_pb2.Snapshot
    restored_agent_count: int
    ended_agent_count: int
    def __init__(self, revision: _Optional[int] = ..., snapshot: _Optional[_Union[_snapshot_pb2.Snapshot, _Mapping[str, _Any]]] = ..., restored_agent_count: _Optional[int] = ..., ended_agent_count: _Optional[int] = ...) -> None: ...

class DeleteSnapshotRequest(_message.Message):
    __slots__ = ("precondition", "snapshot_id")
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    precondition: _precondition_pb2.Precondition
    snapshot_id: str
    def __init__(self, precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., snapshot_id: _Optional[str] = ...) -> None: ...

class DeleteSnapshotResponse(_message.Message):
    __slots__ = ("deleted",)
    DELETED_FIELD_NUMBER: _ClassVar[int]
    deleted: bool
    def __init__(self, deleted: _Optional[bool] = ...) -> None: ...

class ExportSnapshotRequest(_message.Message):
    __slots__ = ("snapshot_id", "offset")
    SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    snapshot_id: str
    offset: int
    def __init__(self, snapshot_id: _Optional[str] = ..., offset: _Optional[int] = ...) -> None: ...

class ExportSnapshotResponse(_message.Message):
    __slots__ = ("snapshot", "chunk")
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    snapshot: _snapshot_pb2.Snapshot
    chunk: bytes
    def __init__(self, snapshot: _Optional[_Union[_snapshot_pb2.Snapshot, _Mapping[str, _Any]]] = ..., chunk: _Optional[bytes] = ...) -> None: ...

class ImportSnapshotHeader(_message.Message):
    __slots__ = ("snapshot_id", "sha256")
    SNAPSHOT_ID_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    snapshot_id: str
    sha256: str
    def __init__(self, snapshot_id: _Optional[str] = ..., sha256: _Optional[str] = ...) -> None: ...

class ImportSnapshotRequest(_message.Message):
    __slots__ = ("header", "chunk")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    header: ImportSnapshotHeader
    chunk: bytes
    def __init__(self, header: _Optional[_Union[ImportSnapshotHeader, _Mapping[str, _Any]]] = ..., chunk: _Optional[bytes] = ...) -> None: ...

class ImportSnapshotResponse(_message.Message):
    __slots__ = ("snapshot",)
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    snapshot: _snapshot_pb2.Snapshot
    def __init__(self, snapshot: _Optional[_Union[_snapshot_pb2.Snapshot, _Mapping[str, _Any]]] = ...) -> None: ...

class ExportJournalRequest(_message.Message):
    __slots__ = ("start_token",)
    START_TOKEN_FIELD_NUMBER: _ClassVar[int]
    start_token: str
    def __init__(self, start_token: _Optional[str] = ...) -> None: ...

class JournalSegment(_message.Message):
    __slots__ = ("start_token", "end_token", "end_time", "complete", "commit_count", "size_bytes", "encrypted", "sha256", "format_version")
    START_TOKEN_FIELD_NUMBER: _ClassVar[int]
    END_TOKEN_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    COMMIT_COUNT_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    ENCRYPTED_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    FORMAT_VERSION_FIELD_NUMBER: _ClassVar[int]
    start_token: str
    end_token: str
    end_time: _timestamp_pb2.Timestamp
    complete: bool
    commit_count: int
    size_bytes: int
    encrypted: bool
    sha256: str
    format_version: int
    def __init__(self, start_token: _Optional[str] = ..., end_token: _Optional[str] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., complete: _Optional[bool] = ..., commit_count: _Optional[int] = ..., size_bytes: _Optional[int] = ..., encrypted: _Optional[bool] = ..., sha256: _Optional[str] = ..., format_version: _Optional[int] = ...) -> None: ...

class ExportJournalResponse(_message.Message):
    __slots__ = ("segment", "chunk")
    SEGMENT_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    segment: JournalSegment
    chunk: bytes
    def __init__(self, segment: _Optional[_Union[JournalSegment, _Mapping[str, _Any]]] = ..., chunk: _Optional[bytes] = ...) -> None: ...
