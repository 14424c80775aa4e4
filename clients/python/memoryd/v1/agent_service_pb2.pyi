from google.api import annotations_pb2 as _annotations_pb2
from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from memoryd.v1 import agent_pb2 as _agent_pb2
from memoryd.v1 import consistency_pb2 as _consistency_pb2
from memoryd.v1 import erasure_pb2 as _erasure_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import listing_pb2 as _listing_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from memoryd.v1 import record_pb2 as _record_pb2
from memoryd.v1 import record_filter_pb2 as _record_filter_pb2
from memoryd.v1 import snapshot_pb2 as _snapshot_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetAgentRequest(_message.Message):
    __slots__ = ("agent_id", "consistency")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ...) -> None: ...

class GetAgentResponse(_message.Message):
    __slots__ = ("revision", "agent")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    agent: _agent_pb2.Agent
    def __init__(self, revision: _Optional[int] = ..., agent: _Optional[_Union[_agent_pb2.Agent, _Mapping[str, _Any]]] = ...) -> None: ...

class UpdateAgentRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "draft", "update_mask")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    draft: _agent_pb2.AgentDraft
    update_mask: _field_mask_pb2.FieldMask
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., draft: _Optional[_Union[_agent_pb2.AgentDraft, _Mapping[str, _Any]]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping[str, _Any]]] = ...) -> None: ...

class UpdateAgentResponse(_message.Message):
    __slots__ = ("revision", "agent", "changed", "created")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    agent: _agent_pb2.Agent
    changed: bool
    created: bool
    def __init__(self, revision: _Optional[int] = ..., agent: _Optional[_Union[_agent_pb2.Agent, _Mapping[str, _Any]]] = ..., changed: _Optional[bool] = ..., created: _Optional[bool] = ...) -> None: ...

class ListAgentsRequest(_message.Message):
    __slots__ = ("consistency", "page_size", "page_token", "order", "view", "agent_ids", "filter")
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    AGENT_IDS_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    consistency: _consistency_pb2.Consistency
    page_size: int
    page_token: str
    order: _listing_pb2.ListOrder
    view: _listing_pb2.RecordView
    agent_ids: _containers.RepeatedScalarFieldContainer[str]
    filter: _record_filter_pb2.RecordFilter
    def __init__(self, consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., order: _Optional[_Union[_listing_pb2.ListOrder, str]] = ..., view: _Optional[_Union[_listing_pb2.RecordView, str]] = ..., agent_ids: _Optional[_Iterable[str]] = ..., filter: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ...) -> None: ...

class ListAgentsResponse(_message.Message):
    __slots__ = ("next_page_token", "agents")
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AGENTS_FIELD_NUMBER: _ClassVar[int]
    next_page_token: str
    agents: _containers.RepeatedCompositeFieldContainer[_agent_pb2.Agent]
    def __init__(self, next_page_token: _Optional[str] = ..., agents: _Optional[_Iterable[_Union[_agent_pb2.Agent, _Mapping[str, _Any]]]] = ...) -> None: ...

class GetAgentStatsRequest(_message.Message):
    __slots__ = ("agent_id", "consistency")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ...) -> None: ...

class GetAgentStatsResponse(_message.Message):
    __slots__ = ("revision", "stats")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    STATS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    stats: _agent_pb2.AgentStats
    def __init__(self, revision: _Optional[int] = ..., stats: _Optional[_Union[_agent_pb2.AgentStats, _Mapping[str, _Any]]] = ...) -> None: ...

class ClearAgentRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "kinds", "erase")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    ERASE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    kinds: _containers.RepeatedScalarFieldContainer[_record_pb2.RecordKind]
    erase: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., kinds: _Optional[_Iterable[_Union[_record_pb2.RecordKind, str]]] = ..., erase: _Optional[bool] = ...) -> None: ...

class ClearAgentResponse(_message.Message):
    __slots__ = ("revision", "receipt", "cleared")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    cleared: _containers.RepeatedCompositeFieldContainer[_record_pb2.RecordCount]
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., cleared: _Optional[_Iterable[_Union[_record_pb2.RecordCount, _Mapping[str, _Any]]]] = ...) -> None: ...

class EndAgentRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "create_snapshot", "erase")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    CREATE_SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    ERASE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    create_snapshot: bool
    erase: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., create_snapshot: _Optional[bool] = ..., erase: _Optional[bool] = ...) -> None: ...

class EndAgentResponse(_message.Message):
    __slots__ = ("revision", "receipt", "cleared", "snapshot", "deleted")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    cleared: _containers.RepeatedCompositeFieldContainer[_record_pb2.RecordCount]
    snapshot: _snapshot_pb2.Snapshot
    deleted: bool
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., cleared: _Optional[_Iterable[_Union[_record_pb2.RecordCount, _Mapping[str, _Any]]]] = ..., snapshot: _Optional[_Union[_snapshot_pb2.Snapshot, _Mapping[str, _Any]]] = ..., deleted: _Optional[bool] = ...) -> None: ...

class ForgetUserRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "user_id", "block_reimport")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    BLOCK_REIMPORT_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    user_id: str
    block_reimport: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., user_id: _Optional[str] = ..., block_reimport: _Optional[bool] = ...) -> None: ...

class ForgetUserResponse(_message.Message):
    __slots__ = ("revision", "receipt", "deleted", "snapshot_ids", "snapshot_count")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_IDS_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_COUNT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    deleted: _containers.RepeatedCompositeFieldContainer[_record_pb2.RecordCount]
    snapshot_ids: _containers.RepeatedScalarFieldContainer[str]
    snapshot_count: int
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., deleted: _Optional[_Iterable[_Union[_record_pb2.RecordCount, _Mapping[str, _Any]]]] = ..., snapshot_ids: _Optional[_Iterable[str]] = ..., snapshot_count: _Optional[int] = ...) -> None: ...
