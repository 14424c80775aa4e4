import datetime

from google.api import annotations_pb2 as _annotations_pb2
from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import agent_pb2 as _agent_pb2
from memoryd.v1 import consistency_pb2 as _consistency_pb2
from memoryd.v1 import conversation_pb2 as _conversation_pb2
from memoryd.v1 import erasure_pb2 as _erasure_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import listing_pb2 as _listing_pb2
from memoryd.v1 import memory_pb2 as _memory_pb2
from memoryd.v1 import memory_proposal_pb2 as _memory_proposal_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from memoryd.v1 import record_filter_pb2 as _record_filter_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateMemoryOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CREATE_MEMORY_OUTCOME_UNSPECIFIED: _ClassVar[CreateMemoryOutcome]
    CREATE_MEMORY_OUTCOME_CREATED: _ClassVar[CreateMemoryOutcome]
    CREATE_MEMORY_OUTCOME_REINFORCED: _ClassVar[CreateMemoryOutcome]
    CREATE_MEMORY_OUTCOME_BLOCKED: _ClassVar[CreateMemoryOutcome]

class IngestMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    INGEST_MODE_UNSPECIFIED: _ClassVar[IngestMode]
    INGEST_MODE_STORE: _ClassVar[IngestMode]
    INGEST_MODE_PROPOSE: _ClassVar[IngestMode]
CREATE_MEMORY_OUTCOME_UNSPECIFIED: CreateMemoryOutcome
CREATE_MEMORY_OUTCOME_CREATED: CreateMemoryOutcome
CREATE_MEMORY_OUTCOME_REINFORCED: CreateMemoryOutcome
CREATE_MEMORY_OUTCOME_BLOCKED: CreateMemoryOutcome
INGEST_MODE_UNSPECIFIED: IngestMode
INGEST_MODE_STORE: IngestMode
INGEST_MODE_PROPOSE: IngestMode

class MemoryDraft(_message.Message):
    __slots__ = ("memory_id", "expire_time", "ttl", "user_id", "tags", "metadata", "content", "type", "status", "project_id", "provenance", "importance", "occur_time", "embedding", "aliases", "links", "allow_duplicates", "skip_contradictions")
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    PROVENANCE_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    OCCUR_TIME_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    ALIASES_FIELD_NUMBER: _ClassVar[int]
    LINKS_FIELD_NUMBER: _ClassVar[int]
    ALLOW_DUPLICATES_FIELD_NUMBER: _ClassVar[int]
    SKIP_CONTRADICTIONS_FIELD_NUMBER: _ClassVar[int]
    memory_id: str
    expire_time: _timestamp_pb2.Timestamp
    ttl: _duration_pb2.Duration
    user_id: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    content: str
    type: _memory_pb2.MemoryType
    status: _memory_pb2.MemoryStatus
    project_id: str
    provenance: _memory_pb2.Provenance
    importance: float
    occur_time: _timestamp_pb2.Timestamp
    embedding: _memory_pb2.Embedding
    aliases: _containers.RepeatedScalarFieldContainer[str]
    links: _containers.RepeatedCompositeFieldContainer[MemoryLinkDraft]
    allow_duplicates: bool
    skip_contradictions: bool
    def __init__(self, memory_id: _Optional[str] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., user_id: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., content: _Optional[str] = ..., type: _Optional[_Union[_memory_pb2.MemoryType, str]] = ..., status: _Optional[_Union[_memory_pb2.MemoryStatus, str]] = ..., project_id: _Optional[str] = ..., provenance: _Optional[_Union[_memory_pb2.Provenance, _Mapping[str, _Any]]] = ..., importance: _Optional[float] = ..., occur_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., embedding: _Optional[_Union[_memory_pb2.Embedding, _Mapping[str, _Any]]] = ..., aliases: _Optional[_Iterable[str]] = ..., links: _Optional[_Iterable[_Union[MemoryLinkDraft, _Mapping[str, _Any]]]] = ..., allow_duplicates: _Optional[bool] = ..., skip_contradictions: _Optional[bool] = ...) -> None: ...

class MemoryLinkDraft(_message.Message):
    __slots__ = ("to_memory_id", "type", "strength")
    TO_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_FIELD_NUMBER: _ClassVar[int]
    to_memory_id: str
    type: _memory_pb2.MemoryLinkType
    strength: float
    def __init__(self, to_memory_id: _Optional[str] = ..., type: _Optional[_Union[_memory_pb2.MemoryLinkType, str]] = ..., strength: _Optional[float] = ...) -> None: ...

class CreateMemoryRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "draft")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    draft: MemoryDraft
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., draft: _Optional[_Union[MemoryDraft, _Mapping[str, _Any]]] = ...) -> None: ...

class CreateMemoryResponse(_message.Message):
    __slots__ = ("revision", "memory", "created", "outcome", "contradicted_memory_ids", "mentioned_times")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    CONTRADICTED_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    MENTIONED_TIMES_FIELD_NUMBER: _ClassVar[int]
    revision: int
    memory: _memory_pb2.Memory
    created: bool
    outcome: CreateMemoryOutcome
    contradicted_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    mentioned_times: _containers.RepeatedCompositeFieldContainer[_memory_pb2.MentionedTime]
    def __init__(self, revision: _Optional[int] = ..., memory: _Optional[_Union[_memory_pb2.Memory, _Mapping[str, _Any]]] = ..., created: _Optional[bool] = ..., outcome: _Optional[_Union[CreateMemoryOutcome, str]] = ..., contradicted_memory_ids: _Optional[_Iterable[str]] = ..., mentioned_times: _Optional[_Iterable[_Union[_memory_pb2.MentionedTime, _Mapping[str, _Any]]]] = ...) -> None: ...

class BatchCreateMemoriesRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "drafts")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    DRAFTS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    drafts: _containers.RepeatedCompositeFieldContainer[MemoryDraft]
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., drafts: _Optional[_Iterable[_Union[MemoryDraft, _Mapping[str, _Any]]]] = ...) -> None: ...

class CreateMemoryResult(_message.Message):
    __slots__ = ("memory", "created", "outcome", "contradicted_memory_ids")
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    CONTRADICTED_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    memory: _memory_pb2.Memory
    created: bool
    outcome: CreateMemoryOutcome
    contradicted_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, memory: _Optional[_Union[_memory_pb2.Memory, _Mapping[str, _Any]]] = ..., created: _Optional[bool] = ..., outcome: _Optional[_Union[CreateMemoryOutcome, str]] = ..., contradicted_memory_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class BatchCreateMemoriesResponse(_message.Message):
    __slots__ = ("revision", "results")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    results: _containers.RepeatedCompositeFieldContainer[CreateMemoryResult]
    def __init__(self, revision: _Optional[int] = ..., results: _Optional[_Iterable[_Union[CreateMemoryResult, _Mapping[str, _Any]]]] = ...) -> None: ...

class IngestConversationRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "conversation_id", "project_id", "mode")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    conversation_id: str
    project_id: str
    mode: IngestMode
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., project_id: _Optional[str] = ..., mode: _Optional[_Union[IngestMode, str]] = ...) -> None: ...

class IngestConversationResponse(_message.Message):
    __slots__ = ("revision", "conversation", "results", "message_count", "remaining_count", "memory_proposals")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_COUNT_FIELD_NUMBER: _ClassVar[int]
    REMAINING_COUNT_FIELD_NUMBER: _ClassVar[int]
    MEMORY_PROPOSALS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    conversation: _conversation_pb2.Conversation
    results: _containers.RepeatedCompositeFieldContainer[CreateMemoryResult]
    message_count: int
    remaining_count: int
    memory_proposals: _containers.RepeatedCompositeFieldContainer[_memory_proposal_pb2.MemoryProposal]
    def __init__(self, revision: _Optional[int] = ..., conversation: _Optional[_Union[_conversation_pb2.Conversation, _Mapping[str, _Any]]] = ..., results: _Optional[_Iterable[_Union[CreateMemoryResult, _Mapping[str, _Any]]]] = ..., message_count: _Optional[int] = ..., remaining_count: _Optional[int] = ..., memory_proposals: _Optional[_Iterable[_Union[_memory_proposal_pb2.MemoryProposal, _Mapping[str, _Any]]]] = ...) -> None: ...

class ProposeMemoriesRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "drafts")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    DRAFTS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    drafts: _containers.RepeatedCompositeFieldContainer[_memory_proposal_pb2.MemoryProposalDraft]
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., drafts: _Optional[_Iterable[_Union[_memory_proposal_pb2.MemoryProposalDraft, _Mapping[str, _Any]]]] = ...) -> None: ...

class ProposeMemoriesResponse(_message.Message):
    __slots__ = ("revision", "memory_proposals", "created_count")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_PROPOSALS_FIELD_NUMBER: _ClassVar[int]
    CREATED_COUNT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    memory_proposals: _containers.RepeatedCompositeFieldContainer[_memory_proposal_pb2.MemoryProposal]
    created_count: int
    def __init__(self, revision: _Optional[int] = ..., memory_proposals: _Optional[_Iterable[_Union[_memory_proposal_pb2.MemoryProposal, _Mapping[str, _Any]]]] = ..., created_count: _Optional[int] = ...) -> None: ...

class ListMemoryProposalsRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "page_size", "page_token", "order", "view", "filter")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    page_size: int
    page_token: str
    order: _listing_pb2.ListOrder
    view: _listing_pb2.RecordView
    filter: _record_filter_pb2.RecordFilter
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., order: _Optional[_Union[_listing_pb2.ListOrder, str]] = ..., view: _Optional[_Union[_listing_pb2.RecordView, str]] = ..., filter: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ...) -> None: ...

class ListMemoryProposalsResponse(_message.Message):
    __slots__ = ("revision", "next_page_token", "total_count", "memory_proposals")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    MEMORY_PROPOSALS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    next_page_token: str
    total_count: int
    memory_proposals: _containers.RepeatedCompositeFieldContainer[_memory_proposal_pb2.MemoryProposal]
    def __init__(self, revision: _Optional[int] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., memory_proposals: _Optional[_Iterable[_Union[_memory_proposal_pb2.MemoryProposal, _Mapping[str, _Any]]]] = ...) -> None: ...

class AcceptMemoryProposalsRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "memory_proposal_ids")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_PROPOSAL_IDS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    memory_proposal_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., memory_proposal_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class AcceptMemoryProposalsResponse(_message.Message):
    __slots__ = ("revision", "results")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    results: _containers.RepeatedCompositeFieldContainer[CreateMemoryResult]
    def __init__(self, revision: _Optional[int] = ..., results: _Optional[_Iterable[_Union[CreateMemoryResult, _Mapping[str, _Any]]]] = ...) -> None: ...

class RejectMemoryProposalsRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "memory_proposal_ids", "erase")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_PROPOSAL_IDS_FIELD_NUMBER: _ClassVar[int]
    ERASE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    memory_proposal_ids: _containers.RepeatedScalarFieldContainer[str]
    erase: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., memory_proposal_ids: _Optional[_Iterable[str]] = ..., erase: _Optional[bool] = ...) -> None: ...

class RejectMemoryProposalsResponse(_message.Message):
    __slots__ = ("revision", "receipt", "deleted_count")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    DELETED_COUNT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    deleted_count: int
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., deleted_count: _Optional[int] = ...) -> None: ...

class GetMemoryRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "memory_id", "include_forgotten", "include_embedding", "include_history", "read_time")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_FORGOTTEN_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_HISTORY_FIELD_NUMBER: _ClassVar[int]
    READ_TIME_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    memory_id: str
    include_forgotten: bool
    include_embedding: bool
    include_history: bool
    read_time: _timestamp_pb2.Timestamp
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., memory_id: _Optional[str] = ..., include_forgotten: _Optional[bool] = ..., include_embedding: _Optional[bool] = ..., include_history: _Optional[bool] = ..., read_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ...) -> None: ...

class GetMemoryResponse(_message.Message):
    __slots__ = ("revision", "memory")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    revision: int
    memory: _memory_pb2.Memory
    def __init__(self, revision: _Optional[int] = ..., memory: _Optional[_Union[_memory_pb2.Memory, _Mapping[str, _Any]]] = ...) -> None: ...

class BatchGetMemoriesRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "view", "memory_ids", "include_forgotten", "include_embedding")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_FORGOTTEN_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    view: _listing_pb2.RecordView
    memory_ids: _containers.RepeatedScalarFieldContainer[str]
    include_forgotten: bool
    include_embedding: bool
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., view: _Optional[_Union[_listing_pb2.RecordView, str]] = ..., memory_ids: _Optional[_Iterable[str]] = ..., include_forgotten: _Optional[bool] = ..., include_embedding: _Optional[bool] = ...) -> None: ...

class BatchGetMemoriesResponse(_message.Message):
    __slots__ = ("revision", "memories", "missing_memory_ids", "remaining_memory_ids")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    MISSING_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    REMAINING_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    memories: _containers.RepeatedCompositeFieldContainer[_memory_pb2.Memory]
    missing_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    remaining_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, revision: _Optional[int] = ..., memories: _Optional[_Iterable[_Union[_memory_pb2.Memory, _Mapping[str, _Any]]]] = ..., missing_memory_ids: _Optional[_Iterable[str]] = ..., remaining_memory_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class UpdateMemoryRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "memory_id", "draft", "update_mask")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    memory_id: str
    draft: MemoryDraft
    update_mask: _field_mask_pb2.FieldMask
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., memory_id: _Optional[str] = ..., draft: _Optional[_Union[MemoryDraft, _Mapping[str, _Any]]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping[str, _Any]]] = ...) -> None: ...

class UpdateMemoryResponse(_message.Message):
    __slots__ = ("revision", "memory", "changed", "contradicted_memory_ids")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    CONTRADICTED_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    memory: _memory_pb2.Memory
    changed: bool
    contradicted_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, revision: _Optional[int] = ..., memory: _Optional[_Union[_memory_pb2.Memory, _Mapping[str, _Any]]] = ..., changed: _Optional[bool] = ..., contradicted_memory_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ListMemoriesRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "page_size", "page_token", "order", "view", "forgotten_only", "filter")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    FORGOTTEN_ONLY_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    page_size: int
    page_token: str
    order: _listing_pb2.ListOrder
    view: _listing_pb2.RecordView
    forgotten_only: bool
    filter: _record_filter_pb2.RecordFilter
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., order: _Optional[_Union[_listing_pb2.ListOrder, str]] = ..., view: _Optional[_Union[_listing_pb2.RecordView, str]] = ..., forgotten_only: _Optional[bool] = ..., filter: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ...) -> None: ...

class ListMemoriesResponse(_message.Message):
    __slots__ = ("revision", "next_page_token", "total_count", "memories")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    revision: int
    next_page_token: str
    total_count: int
    memories: _containers.RepeatedCompositeFieldContainer[_memory_pb2.Memory]
    def __init__(self, revision: _Optional[int] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., memories: _Optional[_Iterable[_Union[_memory_pb2.Memory, _Mapping[str, _Any]]]] = ...) -> None: ...

class RecallMemoriesRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "view", "query", "limit", "min_score", "embedding", "read_time", "include_linked", "include_embedding", "filter", "further_agent_ids")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    MIN_SCORE_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    READ_TIME_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_LINKED_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    FURTHER_AGENT_IDS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    view: _listing_pb2.RecordView
    query: str
    limit: int
    min_score: float
    embedding: _memory_pb2.Embedding
    read_time: _timestamp_pb2.Timestamp
    include_linked: bool
    include_embedding: bool
    filter: _record_filter_pb2.RecordFilter
    further_agent_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., view: _Optional[_Union[_listing_pb2.RecordView, str]] = ..., query: _Optional[str] = ..., limit: _Optional[int] = ..., min_score: _Optional[float] = ..., embedding: _Optional[_Union[_memory_pb2.Embedding, _Mapping[str, _Any]]] = ..., read_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., include_linked: _Optional[bool] = ..., include_embedding: _Optional[bool] = ..., filter: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ..., further_agent_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ScoredMemory(_message.Message):
    __slots__ = ("memory", "score", "match_reason", "lexical_score", "semantic_score", "matched_words", "context_words", "linked_from_memory_id", "time_phrase", "mentioned_times", "contradicted_by")
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    MATCH_REASON_FIELD_NUMBER: _ClassVar[int]
    LEXICAL_SCORE_FIELD_NUMBER: _ClassVar[int]
    SEMANTIC_SCORE_FIELD_NUMBER: _ClassVar[int]
    MATCHED_WORDS_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_WORDS_FIELD_NUMBER: _ClassVar[int]
    LINKED_FROM_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TIME_PHRASE_FIELD_NUMBER: _ClassVar[int]
    MENTIONED_TIMES_FIELD_NUMBER: _ClassVar[int]
    CONTRADICTED_BY_FIELD_NUMBER: _ClassVar[int]
    memory: _memory_pb2.Memory
    score: float
    match_reason: str
    lexical_score: float
    semantic_score: float
    matched_words: _containers.RepeatedScalarFieldContainer[str]
    context_words: _containers.RepeatedScalarFieldContainer[str]
    linked_from_memory_id: str
    time_phrase: str
    mentioned_times: _containers.RepeatedCompositeFieldContainer[_memory_pb2.MentionedTime]
    contradicted_by: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, memory: _Optional[_Union[_memory_pb2.Memory, _Mapping[str, _Any]]] = ..., score: _Optional[float] = ..., match_reason: _Optional[str] = ..., lexical_score: _Optional[float] = ..., semantic_score: _Optional[float] = ..., matched_words: _Optional[_Iterable[str]] = ..., context_words: _Optional[_Iterable[str]] = ..., linked_from_memory_id: _Optional[str] = ..., time_phrase: _Optional[str] = ..., mentioned_times: _Optional[_Iterable[_Union[_memory_pb2.MentionedTime, _Mapping[str, _Any]]]] = ..., contradicted_by: _Optional[_Iterable[str]] = ...) -> None: ...

class RecallMemoriesResponse(_message.Message):
    __slots__ = ("revision", "memories", "match_count", "query_duration", "semantic_used", "further_revisions")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    MATCH_COUNT_FIELD_NUMBER: _ClassVar[int]
    QUERY_DURATION_FIELD_NUMBER: _ClassVar[int]
    SEMANTIC_USED_FIELD_NUMBER: _ClassVar[int]
    FURTHER_REVISIONS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    memories: _containers.RepeatedCompositeFieldContainer[ScoredMemory]
    match_count: int
    query_duration: _duration_pb2.Duration
    semantic_used: bool
    further_revisions: _containers.RepeatedCompositeFieldContainer[_agent_pb2.AgentRevision]
    def __init__(self, revision: _Optional[int] = ..., memories: _Optional[_Iterable[_Union[ScoredMemory, _Mapping[str, _Any]]]] = ..., match_count: _Optional[int] = ..., query_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., semantic_used: _Optional[bool] = ..., further_revisions: _Optional[_Iterable[_Union[_agent_pb2.AgentRevision, _Mapping[str, _Any]]]] = ...) -> None: ...

class ReinforceMemoryRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "memory_id", "confidence")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    memory_id: str
    confidence: float
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., memory_id: _Optional[str] = ..., confidence: _Optional[float] = ...) -> None: ...

class ReinforceMemoryResponse(_message.Message):
    __slots__ = ("revision", "memory")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    revision: int
    memory: _memory_pb2.Memory
    def __init__(self, revision: _Optional[int] = ..., memory: _Optional[_Union[_memory_pb2.Memory, _Mapping[str, _Any]]] = ...) -> None: ...

class ForgetMemoryRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "memory_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    memory_id: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., memory_id: _Optional[str] = ...) -> None: ...

class ForgetMemoryResponse(_message.Message):
    __slots__ = ("revision", "deleted", "memory")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    revision: int
    deleted: bool
    memory: _memory_pb2.Memory
    def __init__(self, revision: _Optional[int] = ..., deleted: _Optional[bool] = ..., memory: _Optional[_Union[_memory_pb2.Memory, _Mapping[str, _Any]]] = ...) -> None: ...

class BatchForgetMemoriesRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "memory_ids", "filter")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    memory_ids: _containers.RepeatedScalarFieldContainer[str]
    filter: _record_filter_pb2.RecordFilter
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., memory_ids: _Optional[_Iterable[str]] = ..., filter: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ...) -> None: ...

class ForgetMemoryResult(_message.Message):
    __slots__ = ("memory_id", "deleted", "purge_time")
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    PURGE_TIME_FIELD_NUMBER: _ClassVar[int]
    memory_id: str
    deleted: bool
    purge_time: _timestamp_pb2.Timestamp
    def __init__(self, memory_id: _Optional[str] = ..., deleted: _Optional[bool] = ..., purge_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ...) -> None: ...

class BatchForgetMemoriesResponse(_message.Message):
    __slots__ = ("revision", "deleted_count", "results", "remaining_count")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    DELETED_COUNT_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    REMAINING_COUNT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    deleted_count: int
    results: _containers.RepeatedCompositeFieldContainer[ForgetMemoryResult]
    remaining_count: int
    def __init__(self, revision: _Optional[int] = ..., deleted_count: _Optional[int] = ..., results: _Optional[_Iterable[_Union[ForgetMemoryResult, _Mapping[str, _Any]]]] = ..., remaining_count: _Optional[int] = ...) -> None: ...

class RestoreMemoryRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "memory_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    memory_id: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., memory_id: _Optional[str] = ...) -> None: ...

class RestoreMemoryResponse(_message.Message):
    __slots__ = ("revision", "memory", "changed")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    memory: _memory_pb2.Memory
    changed: bool
    def __init__(self, revision: _Optional[int] = ..., memory: _Optional[_Union[_memory_pb2.Memory, _Mapping[str, _Any]]] = ..., changed: _Optional[bool] = ...) -> None: ...

class PurgeMemoryRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "memory_id", "block_reimport")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    BLOCK_REIMPORT_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    memory_id: str
    block_reimport: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., memory_id: _Optional[str] = ..., block_reimport: _Optional[bool] = ...) -> None: ...

class PurgeMemoryResponse(_message.Message):
    __slots__ = ("revision", "receipt", "deleted")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    deleted: bool
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., deleted: _Optional[bool] = ...) -> None: ...

class LinkMemoriesRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "from_memory_id", "to_memory_id", "type", "strength")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    FROM_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TO_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    from_memory_id: str
    to_memory_id: str
    type: _memory_pb2.MemoryLinkType
    strength: float
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., from_memory_id: _Optional[str] = ..., to_memory_id: _Optional[str] = ..., type: _Optional[_Union[_memory_pb2.MemoryLinkType, str]] = ..., strength: _Optional[float] = ...) -> None: ...

class LinkMemoriesResponse(_message.Message):
    __slots__ = ("revision", "memory_link", "created", "changed")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_LINK_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    memory_link: _memory_pb2.MemoryLink
    created: bool
    changed: bool
    def __init__(self, revision: _Optional[int] = ..., memory_link: _Optional[_Union[_memory_pb2.MemoryLink, _Mapping[str, _Any]]] = ..., created: _Optional[bool] = ..., changed: _Optional[bool] = ...) -> None: ...

class UnlinkMemoriesRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "from_memory_id", "to_memory_id", "type")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    FROM_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TO_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    from_memory_id: str
    to_memory_id: str
    type: _memory_pb2.MemoryLinkType
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., from_memory_id: _Optional[str] = ..., to_memory_id: _Optional[str] = ..., type: _Optional[_Union[_memory_pb2.MemoryLinkType, str]] = ...) -> None: ...

class UnlinkMemoriesResponse(_message.Message):
    __slots__ = ("revision", "deleted")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    deleted: bool
    def __init__(self, revision: _Optional[int] = ..., deleted: _Optional[bool] = ...) -> None: ...

class GetMemoryLinkRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "from_memory_id", "to_memory_id", "type")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    FROM_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TO_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    from_memory_id: str
    to_memory_id: str
    type: _memory_pb2.MemoryLinkType
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., from_memory_id: _Optional[str] = ..., to_memory_id: _Optional[str] = ..., type: _Optional[_Union[_memory_pb2.MemoryLinkType, str]] = ...) -> None: ...

class GetMemoryLinkResponse(_message.Message):
    __slots__ = ("revision", "memory_link")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_LINK_FIELD_NUMBER: _ClassVar[int]
    revision: int
    memory_link: _memory_pb2.MemoryLink
    def __init__(self, revision: _Optional[int] = ..., memory_link: _Optional[_Union[_memory_pb2.MemoryLink, _Mapping[str, _Any]]] = ...) -> None: ...

class ListMemoryLinksRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "page_size", "page_token", "order", "memory_id", "filter")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    page_size: int
    page_token: str
    order: _listing_pb2.ListOrder
    memory_id: str
    filter: _record_filter_pb2.RecordFilter
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., order: _Optional[_Union[_listing_pb2.ListOrder, str]] = ..., memory_id: _Optional[str] = ..., filter: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ...) -> None: ...

class ListMemoryLinksResponse(_message.Message):
    __slots__ = ("revision", "next_page_token", "total_count", "memory_links")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    MEMORY_LINKS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    next_page_token: str
    total_count: int
    memory_links: _containers.RepeatedCompositeFieldContainer[_memory_pb2.MemoryLink]
    def __init__(self, revision: _Optional[int] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., memory_links: _Optional[_Iterable[_Union[_memory_pb2.MemoryLink, _Mapping[str, _Any]]]] = ...) -> None: ...

class ReembedMemoriesRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "limit", "replace_client_embeddings")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    REPLACE_CLIENT_EMBEDDINGS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    limit: int
    replace_client_embeddings: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., limit: _Optional[int] = ..., replace_client_embeddings: _Optional[bool] = ...) -> None: ...

class ReembedMemoriesResponse(_message.Message):
    __slots__ = ("revision", "embedded_count", "remaining_count", "model", "version")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    EMBEDDED_COUNT_FIELD_NUMBER: _ClassVar[int]
    REMAINING_COUNT_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    revision: int
    embedded_count: int
    remaining_count: int
    model: str
    version: str
    def __init__(self, revision: _Optional[int] = ..., embedded_count: _Optional[int] = ..., remaining_count: _Optional[int] = ..., model: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...
