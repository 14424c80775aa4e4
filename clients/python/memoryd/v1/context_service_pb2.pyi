from google.api import annotations_pb2 as _annotations_pb2
from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from memoryd.v1 import agent_pb2 as _agent_pb2
from memoryd.v1 import consistency_pb2 as _consistency_pb2
from memoryd.v1 import conversation_pb2 as _conversation_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from memoryd.v1 import record_pb2 as _record_pb2
from memoryd.v1 import record_filter_pb2 as _record_filter_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ContextOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTEXT_OUTCOME_UNSPECIFIED: _ClassVar[ContextOutcome]
    CONTEXT_OUTCOME_INCLUDED: _ClassVar[ContextOutcome]
    CONTEXT_OUTCOME_OVER_SECTION_BUDGET: _ClassVar[ContextOutcome]
    CONTEXT_OUTCOME_OVER_TOTAL_BUDGET: _ClassVar[ContextOutcome]
    CONTEXT_OUTCOME_TRUNCATED: _ClassVar[ContextOutcome]
    CONTEXT_OUTCOME_DUPLICATE: _ClassVar[ContextOutcome]
CONTEXT_OUTCOME_UNSPECIFIED: ContextOutcome
CONTEXT_OUTCOME_INCLUDED: ContextOutcome
CONTEXT_OUTCOME_OVER_SECTION_BUDGET: ContextOutcome
CONTEXT_OUTCOME_OVER_TOTAL_BUDGET: ContextOutcome
CONTEXT_OUTCOME_TRUNCATED: ContextOutcome
CONTEXT_OUTCOME_DUPLICATE: ContextOutcome

class NotesSource(_message.Message):
    __slots__ = ("filter",)
    FILTER_FIELD_NUMBER: _ClassVar[int]
    filter: _record_filter_pb2.RecordFilter
    def __init__(self, filter: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ...) -> None: ...

class PlanSource(_message.Message):
    __slots__ = ("conversation_id",)
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    def __init__(self, conversation_id: _Optional[str] = ...) -> None: ...

class EntitiesSource(_message.Message):
    __slots__ = ("conversation_id",)
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    def __init__(self, conversation_id: _Optional[str] = ...) -> None: ...

class DocumentsSource(_message.Message):
    __slots__ = ("search", "full_text", "filter")
    SEARCH_FIELD_NUMBER: _ClassVar[int]
    FULL_TEXT_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    search: DocumentsSearch
    full_text: DocumentsFullText
    filter: _record_filter_pb2.RecordFilter
    def __init__(self, search: _Optional[_Union[DocumentsSearch, _Mapping[str, _Any]]] = ..., full_text: _Optional[_Union[DocumentsFullText, _Mapping[str, _Any]]] = ..., filter: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ...) -> None: ...

class DocumentsSearch(_message.Message):
    __slots__ = ("query", "limit")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    query: str
    limit: int
    def __init__(self, query: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class DocumentsFullText(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class EntriesSource(_message.Message):
    __slots__ = ("scope_id", "filter")
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    scope_id: str
    filter: _record_filter_pb2.RecordFilter
    def __init__(self, scope_id: _Optional[str] = ..., filter: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ...) -> None: ...

class MemoriesSource(_message.Message):
    __slots__ = ("limit", "min_score", "query", "filter")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    MIN_SCORE_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    limit: int
    min_score: float
    query: str
    filter: _record_filter_pb2.RecordFilter
    def __init__(self, limit: _Optional[int] = ..., min_score: _Optional[float] = ..., query: _Optional[str] = ..., filter: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ...) -> None: ...

class MessagesSource(_message.Message):
    __slots__ = ("conversation_id",)
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    def __init__(self, conversation_id: _Optional[str] = ...) -> None: ...

class TextSource(_message.Message):
    __slots__ = ("content", "role")
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    content: str
    role: _conversation_pb2.MessageRole
    def __init__(self, content: _Optional[str] = ..., role: _Optional[_Union[_conversation_pb2.MessageRole, str]] = ...) -> None: ...

class ContextSection(_message.Message):
    __slots__ = ("name", "text", "notes", "plan", "entities", "entries", "memories", "documents", "messages", "max_tokens", "priority", "agent_id", "role")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    name: str
    text: TextSource
    notes: NotesSource
    plan: PlanSource
    entities: EntitiesSource
    entries: EntriesSource
    memories: MemoriesSource
    documents: DocumentsSource
    messages: MessagesSource
    max_tokens: int
    priority: int
    agent_id: str
    role: _conversation_pb2.MessageRole
    def __init__(self, name: _Optional[str] = ..., text: _Optional[_Union[TextSource, _Mapping[str, _Any]]] = ..., notes: _Optional[_Union[NotesSource, _Mapping[str, _Any]]] = ..., plan: _Optional[_Union[PlanSource, _Mapping[str, _Any]]] = ..., entities: _Optional[_Union[EntitiesSource, _Mapping[str, _Any]]] = ..., entries: _Optional[_Union[EntriesSource, _Mapping[str, _Any]]] = ..., memories: _Optional[_Union[MemoriesSource, _Mapping[str, _Any]]] = ..., documents: _Optional[_Union[DocumentsSource, _Mapping[str, _Any]]] = ..., messages: _Optional[_Union[MessagesSource, _Mapping[str, _Any]]] = ..., max_tokens: _Optional[int] = ..., priority: _Optional[int] = ..., agent_id: _Optional[str] = ..., role: _Optional[_Union[_conversation_pb2.MessageRole, str]] = ...) -> None: ...

class ComposeContextRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "conversation_id", "max_tokens", "model", "query", "sections", "filter", "include_manifest", "reserve_tokens", "strict_budgets")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_MANIFEST_FIELD_NUMBER: _ClassVar[int]
    RESERVE_TOKENS_FIELD_NUMBER: _ClassVar[int]
    STRICT_BUDGETS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    conversation_id: str
    max_tokens: int
    model: str
    query: str
    sections: _containers.RepeatedCompositeFieldContainer[ContextSection]
    filter: _record_filter_pb2.RecordFilter
    include_manifest: bool
    reserve_tokens: int
    strict_budgets: bool
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., max_tokens: _Optional[int] = ..., model: _Optional[str] = ..., query: _Optional[str] = ..., sections: _Optional[_Iterable[_Union[ContextSection, _Mapping[str, _Any]]]] = ..., filter: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ..., include_manifest: _Optional[bool] = ..., reserve_tokens: _Optional[int] = ..., strict_budgets: _Optional[bool] = ...) -> None: ...

class ContextMessage(_message.Message):
    __slots__ = ("section", "role", "content", "parts", "name", "metadata")
    SECTION_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    section: str
    role: _conversation_pb2.MessageRole
    content: str
    parts: _containers.RepeatedCompositeFieldContainer[_conversation_pb2.MessagePart]
    name: str
    metadata: _struct_pb2.Struct
    def __init__(self, section: _Optional[str] = ..., role: _Optional[_Union[_conversation_pb2.MessageRole, str]] = ..., content: _Optional[str] = ..., parts: _Optional[_Iterable[_Union[_conversation_pb2.MessagePart, _Mapping[str, _Any]]]] = ..., name: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ...) -> None: ...

class ContextSectionUsage(_message.Message):
    __slots__ = ("section", "token_count", "max_tokens", "included_count", "left_out_count", "missing_feature")
    SECTION_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    INCLUDED_COUNT_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_COUNT_FIELD_NUMBER: _ClassVar[int]
    MISSING_FEATURE_FIELD_NUMBER: _ClassVar[int]
    section: str
    token_count: int
    max_tokens: int
    included_count: int
    left_out_count: int
    missing_feature: str
    def __init__(self, section: _Optional[str] = ..., token_count: _Optional[int] = ..., max_tokens: _Optional[int] = ..., included_count: _Optional[int] = ..., left_out_count: _Optional[int] = ..., missing_feature: _Optional[str] = ...) -> None: ...

class ContextManifestItem(_message.Message):
    __slots__ = ("section", "record", "token_count", "outcome")
    SECTION_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    section: str
    record: _record_pb2.RecordRef
    token_count: int
    outcome: ContextOutcome
    def __init__(self, section: _Optional[str] = ..., record: _Optional[_Union[_record_pb2.RecordRef, _Mapping[str, _Any]]] = ..., token_count: _Optional[int] = ..., outcome: _Optional[_Union[ContextOutcome, str]] = ...) -> None: ...

class ComposeContextResponse(_message.Message):
    __slots__ = ("revision", "messages", "token_count", "max_tokens", "tokenizer", "usages", "manifest", "further_revisions")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TOKENIZER_FIELD_NUMBER: _ClassVar[int]
    USAGES_FIELD_NUMBER: _ClassVar[int]
    MANIFEST_FIELD_NUMBER: _ClassVar[int]
    FURTHER_REVISIONS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    messages: _containers.RepeatedCompositeFieldContainer[ContextMessage]
    token_count: int
    max_tokens: int
    tokenizer: str
    usages: _containers.RepeatedCompositeFieldContainer[ContextSectionUsage]
    manifest: _containers.RepeatedCompositeFieldContainer[ContextManifestItem]
    further_revisions: _containers.RepeatedCompositeFieldContainer[_agent_pb2.AgentRevision]
    def __init__(self, revision: _Optional[int] = ..., messages: _Optional[_Iterable[_Union[ContextMessage, _Mapping[str, _Any]]]] = ..., token_count: _Optional[int] = ..., max_tokens: _Optional[int] = ..., tokenizer: _Optional[str] = ..., usages: _Optional[_Iterable[_Union[ContextSectionUsage, _Mapping[str, _Any]]]] = ..., manifest: _Optional[_Iterable[_Union[ContextManifestItem, _Mapping[str, _Any]]]] = ..., further_revisions: _Optional[_Iterable[_Union[_agent_pb2.AgentRevision, _Mapping[str, _Any]]]] = ...) -> None: ...

class CountTokensRequest(_message.Message):
    __slots__ = ("texts", "model")
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    texts: _containers.RepeatedScalarFieldContainer[str]
    model: str
    def __init__(self, texts: _Optional[_Iterable[str]] = ..., model: _Optional[str] = ...) -> None: ...

class CountTokensResponse(_message.Message):
    __slots__ = ("token_counts", "total_token_count", "tokenizer")
    TOKEN_COUNTS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    TOKENIZER_FIELD_NUMBER: _ClassVar[int]
    token_counts: _containers.RepeatedScalarFieldContainer[int]
    total_token_count: int
    tokenizer: str
    def __init__(self, token_counts: _Optional[_Iterable[int]] = ..., total_token_count: _Optional[int] = ..., tokenizer: _Optional[str] = ...) -> None: ...
