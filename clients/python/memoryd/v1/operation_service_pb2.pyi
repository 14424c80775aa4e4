import datetime

from google.api import annotations_pb2 as _annotations_pb2
from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from memoryd.v1 import agent_service_pb2 as _agent_service_pb2
from memoryd.v1 import conversation_service_pb2 as _conversation_service_pb2
from memoryd.v1 import document_service_pb2 as _document_service_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import listing_pb2 as _listing_pb2
from memoryd.v1 import long_term_memory_service_pb2 as _long_term_memory_service_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from memoryd.v1 import operation_pb2 as _operation_pb2
from memoryd.v1 import snapshot_service_pb2 as _snapshot_service_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StartOperationRequest(_message.Message):
    __slots__ = ("operation_id", "create_snapshot", "restore_snapshot", "end_agent", "reembed_memories", "compact_messages", "create_document", "update_document", "forget_user")
    OPERATION_ID_FIELD_NUMBER: _ClassVar[int]
    CREATE_SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    RESTORE_SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    END_AGENT_FIELD_NUMBER: _ClassVar[int]
    REEMBED_MEMORIES_FIELD_NUMBER: _ClassVar[int]
    COMPACT_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    CREATE_DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    FORGET_USER_FIELD_NUMBER: _ClassVar[int]
    operation_id: str
    create_snapshot: _snapshot_service_pb2.CreateSnapshotRequest
    restore_snapshot: _snapshot_service_pb2.RestoreSnapshotRequest
    end_agent: _agent_service_pb2.EndAgentRequest
    reembed_memories: _long_term_memory_service_pb2.ReembedMemoriesRequest
    compact_messages: _conversation_service_pb2.CompactMessagesRequest
    create_document: _document_service_pb2.CreateDocumentRequest
    update_document: _document_service_pb2.UpdateDocumentRequest
    forget_user: _agent_service_pb2.ForgetUserRequest
    def __init__(self, operation_id: _Optional[str] = ..., create_snapshot: _Optional[_Union[_snapshot_service_pb2.CreateSnapshotRequest, _Mapping[str, _Any]]] = ..., restore_snapshot: _Optional[_Union[_snapshot_service_pb2.RestoreSnapshotRequest, _Mapping[str, _Any]]] = ..., end_agent: _Optional[_Union[_agent_service_pb2.EndAgentRequest, _Mapping[str, _Any]]] = ..., reembed_memories: _Optional[_Union[_long_term_memory_service_pb2.ReembedMemoriesRequest, _Mapping[str, _Any]]] = ..., compact_messages: _Optional[_Union[_conversation_service_pb2.CompactMessagesRequest, _Mapping[str, _Any]]] = ..., create_document: _Optional[_Union[_document_service_pb2.CreateDocumentRequest, _Mapping[str, _Any]]] = ..., update_document: _Optional[_Union[_document_service_pb2.UpdateDocumentRequest, _Mapping[str, _Any]]] = ..., forget_user: _Optional[_Union[_agent_service_pb2.ForgetUserRequest, _Mapping[str, _Any]]] = ...) -> None: ...

class StartOperationResponse(_message.Message):
    __slots__ = ("operation", "created")
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    operation: _operation_pb2.Operation
    created: bool
    def __init__(self, operation: _Optional[_Union[_operation_pb2.Operation, _Mapping[str, _Any]]] = ..., created: _Optional[bool] = ...) -> None: ...

class GetOperationRequest(_message.Message):
    __slots__ = ("operation_id",)
    OPERATION_ID_FIELD_NUMBER: _ClassVar[int]
    operation_id: str
    def __init__(self, operation_id: _Optional[str] = ...) -> None: ...

class GetOperationResponse(_message.Message):
    __slots__ = ("operation",)
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    operation: _operation_pb2.Operation
    def __init__(self, operation: _Optional[_Union[_operation_pb2.Operation, _Mapping[str, _Any]]] = ...) -> None: ...

class WaitOperationRequest(_message.Message):
    __slots__ = ("operation_id", "wait_duration")
    OPERATION_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_DURATION_FIELD_NUMBER: _ClassVar[int]
    operation_id: str
    wait_duration: _duration_pb2.Duration
    def __init__(self, operation_id: _Optional[str] = ..., wait_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ...) -> None: ...

class WaitOperationResponse(_message.Message):
    __slots__ = ("operation",)
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    operation: _operation_pb2.Operation
    def __init__(self, operation: _Optional[_Union[_operation_pb2.Operation, _Mapping[str, _Any]]] = ...) -> None: ...

class ListOperationsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "order", "agent_ids", "states")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    AGENT_IDS_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    order: _listing_pb2.ListOrder
    agent_ids: _containers.RepeatedScalarFieldContainer[str]
    states: _containers.RepeatedScalarFieldContainer[_operation_pb2.OperationState]
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., order: _Optional[_Union[_listing_pb2.ListOrder, str]] = ..., agent_ids: _Optional[_Iterable[str]] = ..., states: _Optional[_Iterable[_Union[_operation_pb2.OperationState, str]]] = ...) -> None: ...

class ListOperationsResponse(_message.Message):
    __slots__ = ("next_page_token", "total_count", "operations")
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    OPERATIONS_FIELD_NUMBER: _ClassVar[int]
    next_page_token: str
    total_count: int
    operations: _containers.RepeatedCompositeFieldContainer[_operation_pb2.Operation]
    def __init__(self, next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., operations: _Optional[_Iterable[_Union[_operation_pb2.Operation, _Mapping[str, _Any]]]] = ...) -> None: ...

class WatchOperationRequest(_message.Message):
    __slots__ = ("operation_id",)
    OPERATION_ID_FIELD_NUMBER: _ClassVar[int]
    operation_id: str
    def __init__(self, operation_id: _Optional[str] = ...) -> None: ...

class WatchOperationResponse(_message.Message):
    __slots__ = ("operation",)
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    operation: _operation_pb2.Operation
    def __init__(self, operation: _Optional[_Union[_operation_pb2.Operation, _Mapping[str, _Any]]] = ...) -> None: ...

class CancelOperationRequest(_message.Message):
    __slots__ = ("operation_id",)
    OPERATION_ID_FIELD_NUMBER: _ClassVar[int]
    operation_id: str
    def __init__(self, operation_id: _Optional[str] = ...) -> None: ...

class CancelOperationResponse(_message.Message):
    __slots__ = ("operation", "changed")
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    operation: _operation_pb2.Operation
    changed: bool
    def __init__(self, operation: _Optional[_Union[_operation_pb2.Operation, _Mapping[str, _Any]]] = ..., changed: _Optional[bool] = ...) -> None: ...
