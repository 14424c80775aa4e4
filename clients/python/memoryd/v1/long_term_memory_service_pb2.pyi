import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import memory_pb2 as _memory_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreationOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CREATION_OUTCOME_UNSPECIFIED: _ClassVar[CreationOutcome]
    CREATION_OUTCOME_CREATED: _ClassVar[CreationOutcome]
    CREATION_OUTCOME_REINFORCED: _ClassVar[CreationOutcome]
    CREATION_OUTCOME_KEPT_OUT: _ClassVar[CreationOutcome]
CREATION_OUTCOME_UNSPECIFIED: CreationOutcome
CREATION_OUTCOME_CREATED: CreationOutcome
CREATION_OUTCOME_REINFORCED: CreationOutcome
CREATION_OUTCOME_KEPT_OUT: CreationOutcome

class MemoryDraft(_message.Message):
    __slots__ = ("content", "user_id", "project_id", "memory_id", "type", "provenance", "tags", "metadata", "importance", "occur_time", "ttl", "expire_time", "embedding", "links", "skip_kinship_check")
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    PROVENANCE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    OCCUR_TIME_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    LINKS_FIELD_NUMBER: _ClassVar[int]
    SKIP_KINSHIP_CHECK_FIELD_NUMBER: _ClassVar[int]
    content: str
    user_id: str
    project_id: str
    memory_id: str
    type: _memory_pb2.LongTermMemoryType
    provenance: _memory_pb2.Provenance
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    importance: float
    occur_time: _timestamp_pb2.Timestamp
    ttl: _duration_pb2.Duration
    expire_time: _timestamp_pb2.Timestamp
    embedding: _memory_pb2.Embedding
    links: _containers.RepeatedCompositeFieldContainer[DraftLink]
    skip_kinship_check: bool
    def __init__(self, content: _Optional[str] = ..., user_id: _Optional[str] = ..., project_id: _Optional[str] = ..., memory_id: _Optional[str] = ..., type: _Optional[_Union[_memory_pb2.LongTermMemoryType, str]] = ..., provenance: _Optional[_Union[_memory_pb2.Provenance, _Mapping]] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., importance: _Optional[float] = ..., occur_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., embedding: _Optional[_Union[_memory_pb2.Embedding, _Mapping]] = ..., links: _Optional[_Iterable[_Union[DraftLink, _Mapping]]] = ..., skip_kinship_check: _Optional[bool] = ...) -> None: ...

class DraftLink(_message.Message):
    __slots__ = ("to_memory_id", "type", "strength")
    TO_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_FIELD_NUMBER: _ClassVar[int]
    to_memory_id: str
    type: _memory_pb2.MemoryLinkType
    strength: float
    def __init__(self, to_memory_id: _Optional[str] = ..., type: _Optional[_Union[_memory_pb2.MemoryLinkType, str]] = ..., strength: _Optional[float] = ...) -> None: ...

class CreatedMemory(_message.Message):
    __slots__ = ("outcome", "memory_id", "type", "contradicted_memory_ids")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    CONTRADICTED_MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    outcome: CreationOutcome
    memory_id: str
    type: _memory_pb2.LongTermMemoryType
    contradicted_memory_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, outcome: _Optional[_Union[CreationOutcome, str]] = ..., memory_id: _Optional[str] = ..., type: _Optional[_Union[_memory_pb2.LongTermMemoryType, str]] = ..., contradicted_memory_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class CreateMemoryRequest(_message.Message):
    __slots__ = ("agent_id", "draft", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    draft: MemoryDraft
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., draft: _Optional[_Union[MemoryDraft, _Mapping]] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class CreateMemoryResponse(_message.Message):
    __slots__ = ("created", "revision")
    CREATED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    created: CreatedMemory
    revision: int
    def __init__(self, created: _Optional[_Union[CreatedMemory, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class BatchCreateMemoriesRequest(_message.Message):
    __slots__ = ("agent_id", "drafts", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    DRAFTS_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    drafts: _containers.RepeatedCompositeFieldContainer[MemoryDraft]
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., drafts: _Optional[_Iterable[_Union[MemoryDraft, _Mapping]]] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class BatchCreateMemoriesResponse(_message.Message):
    __slots__ = ("created", "revision")
    CREATED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    created: _containers.RepeatedCompositeFieldContainer[CreatedMemory]
    revision: int
    def __init__(self, created: _Optional[_Iterable[_Union[CreatedMemory, _Mapping]]] = ..., revision: _Optional[int] = ...) -> None: ...

class GetMemoryRequest(_message.Message):
    __slots__ = ("agent_id", "memory_id", "include_forgotten", "include_embedding", "as_of", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_FORGOTTEN_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    AS_OF_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    memory_id: str
    include_forgotten: bool
    include_embedding: bool
    as_of: _timestamp_pb2.Timestamp
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., memory_id: _Optional[str] = ..., include_forgotten: _Optional[bool] = ..., include_embedding: _Optional[bool] = ..., as_of: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class GetMemoryResponse(_message.Message):
    __slots__ = ("memory", "revision")
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    memory: _memory_pb2.Memory
    revision: int
    def __init__(self, memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class UpdateMemoryRequest(_message.Message):
    __slots__ = ("agent_id", "memory_id", "memory", "update_mask", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    memory_id: str
    memory: _memory_pb2.Memory
    update_mask: _field_mask_pb2.FieldMask
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., memory_id: _Optional[str] = ..., memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class UpdateMemoryResponse(_message.Message):
    __slots__ = ("updated", "revision")
    UPDATED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    updated: bool
    revision: int
    def __init__(self, updated: _Optional[bool] = ..., revision: _Optional[int] = ...) -> None: ...

class MemoryFilter(_message.Message):
    __slots__ = ("types", "statuses", "user_id", "project_id", "conversation_id", "tags", "occur_start_time", "occur_end_time", "min_salience")
    TYPES_FIELD_NUMBER: _ClassVar[int]
    STATUSES_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    OCCUR_START_TIME_FIELD_NUMBER: _ClassVar[int]
    OCCUR_END_TIME_FIELD_NUMBER: _ClassVar[int]
    MIN_SALIENCE_FIELD_NUMBER: _ClassVar[int]
    types: _containers.RepeatedScalarFieldContainer[_memory_pb2.LongTermMemoryType]
    statuses: _containers.RepeatedScalarFieldContainer[_memory_pb2.MemoryStatus]
    user_id: str
    project_id: str
    conversation_id: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    occur_start_time: _timestamp_pb2.Timestamp
    occur_end_time: _timestamp_pb2.Timestamp
    min_salience: float
    def __init__(self, types: _Optional[_Iterable[_Union[_memory_pb2.LongTermMemoryType, str]]] = ..., statuses: _Optional[_Iterable[_Union[_memory_pb2.MemoryStatus, str]]] = ..., user_id: _Optional[str] = ..., project_id: _Optional[str] = ..., conversation_id: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., occur_start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., occur_end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., min_salience: _Optional[float] = ...) -> None: ...

class ListMemoriesRequest(_message.Message):
    __slots__ = ("agent_id", "filter", "forgotten_only", "page_size", "page_token", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    FORGOTTEN_ONLY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    filter: MemoryFilter
    forgotten_only: bool
    page_size: int
    page_token: str
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., filter: _Optional[_Union[MemoryFilter, _Mapping]] = ..., forgotten_only: _Optional[bool] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ListMemoriesResponse(_message.Message):
    __slots__ = ("memories", "next_page_token", "total_count", "revision")
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    memories: _containers.RepeatedCompositeFieldContainer[_memory_pb2.Memory]
    next_page_token: str
    total_count: int
    revision: int
    def __init__(self, memories: _Optional[_Iterable[_Union[_memory_pb2.Memory, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class RecallMemoriesRequest(_message.Message):
    __slots__ = ("agent_id", "query", "limit", "filter", "min_score", "embedding", "as_of", "skip_links", "include_embedding", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    MIN_SCORE_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    AS_OF_FIELD_NUMBER: _ClassVar[int]
    SKIP_LINKS_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    query: str
    limit: int
    filter: MemoryFilter
    min_score: float
    embedding: _memory_pb2.Embedding
    as_of: _timestamp_pb2.Timestamp
    skip_links: bool
    include_embedding: bool
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., query: _Optional[str] = ..., limit: _Optional[int] = ..., filter: _Optional[_Union[MemoryFilter, _Mapping]] = ..., min_score: _Optional[float] = ..., embedding: _Optional[_Union[_memory_pb2.Embedding, _Mapping]] = ..., as_of: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., skip_links: _Optional[bool] = ..., include_embedding: _Optional[bool] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ScoredMemory(_message.Message):
    __slots__ = ("memory", "score", "match_reason", "word_score", "meaning_score", "matched_words", "context_words", "linked_from_memory_id", "time_phrase")
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    MATCH_REASON_FIELD_NUMBER: _ClassVar[int]
    WORD_SCORE_FIELD_NUMBER: _ClassVar[int]
    MEANING_SCORE_FIELD_NUMBER: _ClassVar[int]
    MATCHED_WORDS_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_WORDS_FIELD_NUMBER: _ClassVar[int]
    LINKED_FROM_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TIME_PHRASE_FIELD_NUMBER: _ClassVar[int]
    memory: _memory_pb2.Memory
    score: float
    match_reason: str
    word_score: float
    meaning_score: float
    matched_words: _containers.RepeatedScalarFieldContainer[str]
    context_words: _containers.RepeatedScalarFieldContainer[str]
    linked_from_memory_id: str
    time_phrase: str
    def __init__(self, memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ..., score: _Optional[float] = ..., match_reason: _Optional[str] = ..., word_score: _Optional[float] = ..., meaning_score: _Optional[float] = ..., matched_words: _Optional[_Iterable[str]] = ..., context_words: _Optional[_Iterable[str]] = ..., linked_from_memory_id: _Optional[str] = ..., time_phrase: _Optional[str] = ...) -> None: ...

class RecallMemoriesResponse(_message.Message):
    __slots__ = ("memories", "total_matches", "query_duration", "meaning_used", "revision")
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_MATCHES_FIELD_NUMBER: _ClassVar[int]
    QUERY_DURATION_FIELD_NUMBER: _ClassVar[int]
    MEANING_USED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    memories: _containers.RepeatedCompositeFieldContainer[ScoredMemory]
    total_matches: int
    query_duration: _duration_pb2.Duration
    meaning_used: bool
    revision: int
    def __init__(self, memories: _Optional[_Iterable[_Union[ScoredMemory, _Mapping]]] = ..., total_matches: _Optional[int] = ..., query_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., meaning_used: _Optional[bool] = ..., revision: _Optional[int] = ...) -> None: ...

class ReinforceMemoryRequest(_message.Message):
    __slots__ = ("agent_id", "memory_id", "confidence", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    memory_id: str
    confidence: float
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., memory_id: _Optional[str] = ..., confidence: _Optional[float] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class ReinforceMemoryResponse(_message.Message):
    __slots__ = ("confidence", "reinforce_count", "revision")
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    REINFORCE_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    confidence: float
    reinforce_count: int
    revision: int
    def __init__(self, confidence: _Optional[float] = ..., reinforce_count: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class ForgetMemoryRequest(_message.Message):
    __slots__ = ("agent_id", "memory_id", "restore", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    RESTORE_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    memory_id: str
    restore: bool
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., memory_id: _Optional[str] = ..., restore: _Optional[bool] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class ForgetMemoryResponse(_message.Message):
    __slots__ = ("changed", "purge_time", "revision")
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    PURGE_TIME_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    changed: bool
    purge_time: _timestamp_pb2.Timestamp
    revision: int
    def __init__(self, changed: _Optional[bool] = ..., purge_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class PurgeMemoryRequest(_message.Message):
    __slots__ = ("agent_id", "memory_id", "keep_out", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    KEEP_OUT_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    memory_id: str
    keep_out: bool
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., memory_id: _Optional[str] = ..., keep_out: _Optional[bool] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class PurgeMemoryResponse(_message.Message):
    __slots__ = ("revision",)
    REVISION_FIELD_NUMBER: _ClassVar[int]
    revision: int
    def __init__(self, revision: _Optional[int] = ...) -> None: ...

class LinkMemoriesRequest(_message.Message):
    __slots__ = ("agent_id", "from_memory_id", "to_memory_id", "type", "strength", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    FROM_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TO_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    from_memory_id: str
    to_memory_id: str
    type: _memory_pb2.MemoryLinkType
    strength: float
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., from_memory_id: _Optional[str] = ..., to_memory_id: _Optional[str] = ..., type: _Optional[_Union[_memory_pb2.MemoryLinkType, str]] = ..., strength: _Optional[float] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class LinkMemoriesResponse(_message.Message):
    __slots__ = ("is_update", "superseded", "revision")
    IS_UPDATE_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    is_update: bool
    superseded: bool
    revision: int
    def __init__(self, is_update: _Optional[bool] = ..., superseded: _Optional[bool] = ..., revision: _Optional[int] = ...) -> None: ...

class UnlinkMemoriesRequest(_message.Message):
    __slots__ = ("agent_id", "from_memory_id", "to_memory_id", "type", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    FROM_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TO_MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    from_memory_id: str
    to_memory_id: str
    type: _memory_pb2.MemoryLinkType
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., from_memory_id: _Optional[str] = ..., to_memory_id: _Optional[str] = ..., type: _Optional[_Union[_memory_pb2.MemoryLinkType, str]] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class UnlinkMemoriesResponse(_message.Message):
    __slots__ = ("links_removed", "restored", "revision")
    LINKS_REMOVED_FIELD_NUMBER: _ClassVar[int]
    RESTORED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    links_removed: int
    restored: bool
    revision: int
    def __init__(self, links_removed: _Optional[int] = ..., restored: _Optional[bool] = ..., revision: _Optional[int] = ...) -> None: ...

class ListLinksRequest(_message.Message):
    __slots__ = ("agent_id", "memory_id", "type", "page_size", "page_token", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    memory_id: str
    type: _memory_pb2.MemoryLinkType
    page_size: int
    page_token: str
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., memory_id: _Optional[str] = ..., type: _Optional[_Union[_memory_pb2.MemoryLinkType, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ListLinksResponse(_message.Message):
    __slots__ = ("links", "next_page_token", "total_count", "revision")
    LINKS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    links: _containers.RepeatedCompositeFieldContainer[_memory_pb2.MemoryLink]
    next_page_token: str
    total_count: int
    revision: int
    def __init__(self, links: _Optional[_Iterable[_Union[_memory_pb2.MemoryLink, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class ReembedMemoriesRequest(_message.Message):
    __slots__ = ("agent_id", "limit", "include_given")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_GIVEN_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    limit: int
    include_given: bool
    def __init__(self, agent_id: _Optional[str] = ..., limit: _Optional[int] = ..., include_given: _Optional[bool] = ...) -> None: ...

class ReembedMemoriesResponse(_message.Message):
    __slots__ = ("memories_embedded", "memories_left", "model", "version", "revision")
    MEMORIES_EMBEDDED_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_LEFT_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    memories_embedded: int
    memories_left: int
    model: str
    version: str
    revision: int
    def __init__(self, memories_embedded: _Optional[int] = ..., memories_left: _Optional[int] = ..., model: _Optional[str] = ..., version: _Optional[str] = ..., revision: _Optional[int] = ...) -> None: ...
