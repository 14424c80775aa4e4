import datetime

from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import agent_service_pb2 as _agent_service_pb2
from memoryd.v1 import conversation_service_pb2 as _conversation_service_pb2
from memoryd.v1 import document_service_pb2 as _document_service_pb2
from memoryd.v1 import error_reason_pb2 as _error_reason_pb2
from memoryd.v1 import long_term_memory_service_pb2 as _long_term_memory_service_pb2
from memoryd.v1 import record_pb2 as _record_pb2
from memoryd.v1 import snapshot_service_pb2 as _snapshot_service_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class OperationState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OPERATION_STATE_UNSPECIFIED: _ClassVar[OperationState]
    OPERATION_STATE_RUNNING: _ClassVar[OperationState]
    OPERATION_STATE_SUCCEEDED: _ClassVar[OperationState]
    OPERATION_STATE_FAILED: _ClassVar[OperationState]
    OPERATION_STATE_CANCELLED: _ClassVar[OperationState]
OPERATION_STATE_UNSPECIFIED: OperationState
OPERATION_STATE_RUNNING: OperationState
OPERATION_STATE_SUCCEEDED: OperationState
OPERATION_STATE_FAILED: OperationState
OPERATION_STATE_CANCELLED: OperationState

class OperationProgress(_message.Message):
    __slots__ = ("kind", "done_count", "total_count")
    KIND_FIELD_NUMBER: _ClassVar[int]
    DONE_COUNT_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    kind: _record_pb2.RecordKind
    done_count: int
    total_count: int
    def __init__(self, kind: _Optional[_Union[_record_pb2.RecordKind, str]] = ..., done_count: _Optional[int] = ..., total_count: _Optional[int] = ...) -> None: ...

class OperationError(_message.Message):
    __slots__ = ("code", "message", "reason", "metadata")
    class MetadataEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    code: int
    message: str
    reason: _error_reason_pb2.ErrorReason
    metadata: _containers.ScalarMap[str, str]
    def __init__(self, code: _Optional[int] = ..., message: _Optional[str] = ..., reason: _Optional[_Union[_error_reason_pb2.ErrorReason, str]] = ..., metadata: _Optional[_Mapping[str, str]] = ...) -> None: ...

class Operation(_message.Message):
    __slots__ = ("operation_id", "agent_id", "create_time", "update_time", "method", "state", "progress", "cancel_requested", "end_time", "principal", "error", "create_snapshot", "restore_snapshot", "end_agent", "reembed_memories", "compact_messages", "create_document", "update_document", "forget_user")
    OPERATION_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    CANCEL_REQUESTED_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    PRINCIPAL_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    CREATE_SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    RESTORE_SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    END_AGENT_FIELD_NUMBER: _ClassVar[int]
    REEMBED_MEMORIES_FIELD_NUMBER: _ClassVar[int]
    COMPACT_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    CREATE_DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    FORGET_USER_FIELD_NUMBER: _ClassVar[int]
    operation_id: str
    agent_id: str
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    method: str
    state: OperationState
    progress: OperationProgress
    cancel_requested: bool
    end_time: _timestamp_pb2.Timestamp
    principal: str
    error: OperationError
    create_snapshot: _snapshot_service_pb2.CreateSnapshotResponse
    restore_snapshot: _snapshot_service_pb2.RestoreSnapshotResponse
    end_agent: _agent_service_pb2.EndAgentResponse
    reembed_memories: _long_term_memory_service_pb2.ReembedMemoriesResponse
    compact_messages: _conversation_service_pb2.CompactMessagesResponse
    create_document: _document_service_pb2.CreateDocumentResponse
    update_document: _document_service_pb2.UpdateDocumentResponse
    forget_user: _agent_service_pb2.ForgetUserResponse
    def __init__(self, operation_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., method: _Optional[str] = ..., state: _Optional[_Union[OperationState, str]] = ..., progress: _Optional[_Union[OperationProgress, _Mapping[str, _Any]]] = ..., cancel_requested: _Optional[bool] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., principal: _Optional[str] = ..., error: _Optional[_Union[OperationError, _Mapping[str, _Any]]] = ..., create_snapshot: _Optional[_Union[_snapshot_service_pb2.CreateSnapshotResponse, _Mapping[str, _Any]]] = ..., restore_snapshot: _Optional[_Union[_snapshot_service_pb2.RestoreSnapshotResponse, _Mapping[str, _Any]]] = ..., end_agent: _Optional[_Union[_agent_service_pb2.EndAgentResponse, _Mapping[str, _Any]]] = ..., reembed_memories: _Optional[_Union[_long_term_memory_service_pb2.ReembedMemoriesResponse, _Mapping[str, _Any]]] = ..., compact_messages: _Optional[_Union[_conversation_service_pb2.CompactMessagesResponse, _Mapping[str, _Any]]] = ..., create_document: _Optional[_Union[_document_service_pb2.CreateDocumentResponse, _Mapping[str, _Any]]] = ..., update_document: _Optional[_Union[_document_service_pb2.UpdateDocumentResponse, _Mapping[str, _Any]]] = ..., forget_user: _Optional[_Union[_agent_service_pb2.ForgetUserResponse, _Mapping[str, _Any]]] = ...) -> None: ...
