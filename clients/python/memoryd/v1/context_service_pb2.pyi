import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from memoryd.v1 import long_term_memory_service_pb2 as _long_term_memory_service_pb2
from memoryd.v1 import message_pb2 as _message_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CompactionStrategy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COMPACTION_STRATEGY_UNSPECIFIED: _ClassVar[CompactionStrategy]
    COMPACTION_STRATEGY_DROP_OLDEST: _ClassVar[CompactionStrategy]
    COMPACTION_STRATEGY_KEEP_IMPORTANT: _ClassVar[CompactionStrategy]
    COMPACTION_STRATEGY_EXTRACT_TO_NOTES: _ClassVar[CompactionStrategy]
    COMPACTION_STRATEGY_SUMMARIZE: _ClassVar[CompactionStrategy]

class ManifestOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MANIFEST_OUTCOME_UNSPECIFIED: _ClassVar[ManifestOutcome]
    MANIFEST_OUTCOME_INCLUDED: _ClassVar[ManifestOutcome]
    MANIFEST_OUTCOME_OVER_SECTION_BUDGET: _ClassVar[ManifestOutcome]
    MANIFEST_OUTCOME_OVER_TOTAL_BUDGET: _ClassVar[ManifestOutcome]
COMPACTION_STRATEGY_UNSPECIFIED: CompactionStrategy
COMPACTION_STRATEGY_DROP_OLDEST: CompactionStrategy
COMPACTION_STRATEGY_KEEP_IMPORTANT: CompactionStrategy
COMPACTION_STRATEGY_EXTRACT_TO_NOTES: CompactionStrategy
COMPACTION_STRATEGY_SUMMARIZE: CompactionStrategy
MANIFEST_OUTCOME_UNSPECIFIED: ManifestOutcome
MANIFEST_OUTCOME_INCLUDED: ManifestOutcome
MANIFEST_OUTCOME_OVER_SECTION_BUDGET: ManifestOutcome
MANIFEST_OUTCOME_OVER_TOTAL_BUDGET: ManifestOutcome

class DraftMessage(_message.Message):
    __slots__ = ("role", "content", "name", "tool_call_id", "metadata", "importance")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    role: _message_pb2.MessageRole
    content: str
    name: str
    tool_call_id: str
    metadata: _struct_pb2.Struct
    importance: float
    def __init__(self, role: _Optional[_Union[_message_pb2.MessageRole, str]] = ..., content: _Optional[str] = ..., name: _Optional[str] = ..., tool_call_id: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., importance: _Optional[float] = ...) -> None: ...

class AppendMessagesRequest(_message.Message):
    __slots__ = ("agent_id", "conversation_id", "messages", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    conversation_id: str
    messages: _containers.RepeatedCompositeFieldContainer[DraftMessage]
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., conversation_id: _Optional[str] = ..., messages: _Optional[_Iterable[_Union[DraftMessage, _Mapping]]] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class AppendMessagesResponse(_message.Message):
    __slots__ = ("first_number", "conversation", "revision")
    FIRST_NUMBER_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    first_number: int
    conversation: _message_pb2.Conversation
    revision: int
    def __init__(self, first_number: _Optional[int] = ..., conversation: _Optional[_Union[_message_pb2.Conversation, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class ListMessagesRequest(_message.Message):
    __slots__ = ("agent_id", "conversation_id", "after_number", "newest_first", "page_size", "page_token", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_NUMBER_FIELD_NUMBER: _ClassVar[int]
    NEWEST_FIRST_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    conversation_id: str
    after_number: int
    newest_first: bool
    page_size: int
    page_token: str
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., conversation_id: _Optional[str] = ..., after_number: _Optional[int] = ..., newest_first: _Optional[bool] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ListMessagesResponse(_message.Message):
    __slots__ = ("messages", "next_page_token", "total_count", "revision")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.Message]
    next_page_token: str
    total_count: int
    revision: int
    def __init__(self, messages: _Optional[_Iterable[_Union[_message_pb2.Message, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class ListConversationsRequest(_message.Message):
    __slots__ = ("agent_id", "page_size", "page_token", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    page_size: int
    page_token: str
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ListConversationsResponse(_message.Message):
    __slots__ = ("conversations", "next_page_token", "total_count", "revision")
    CONVERSATIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    conversations: _containers.RepeatedCompositeFieldContainer[_message_pb2.Conversation]
    next_page_token: str
    total_count: int
    revision: int
    def __init__(self, conversations: _Optional[_Iterable[_Union[_message_pb2.Conversation, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class DeleteConversationRequest(_message.Message):
    __slots__ = ("agent_id", "conversation_id", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    conversation_id: str
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., conversation_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class DeleteConversationResponse(_message.Message):
    __slots__ = ("messages_deleted", "revision")
    MESSAGES_DELETED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    messages_deleted: int
    revision: int
    def __init__(self, messages_deleted: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class CompactMessagesRequest(_message.Message):
    __slots__ = ("agent_id", "conversation_id", "max_tokens", "keep_last", "strategy", "note_storage_key", "min_importance", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    KEEP_LAST_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    NOTE_STORAGE_KEY_FIELD_NUMBER: _ClassVar[int]
    MIN_IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    conversation_id: str
    max_tokens: int
    keep_last: int
    strategy: CompactionStrategy
    note_storage_key: str
    min_importance: float
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., conversation_id: _Optional[str] = ..., max_tokens: _Optional[int] = ..., keep_last: _Optional[int] = ..., strategy: _Optional[_Union[CompactionStrategy, str]] = ..., note_storage_key: _Optional[str] = ..., min_importance: _Optional[float] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class CompactMessagesResponse(_message.Message):
    __slots__ = ("conversation", "messages_removed", "tokens_removed", "note_ids", "revision")
    CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_REMOVED_FIELD_NUMBER: _ClassVar[int]
    TOKENS_REMOVED_FIELD_NUMBER: _ClassVar[int]
    NOTE_IDS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    conversation: _message_pb2.Conversation
    messages_removed: int
    tokens_removed: int
    note_ids: _containers.RepeatedScalarFieldContainer[str]
    revision: int
    def __init__(self, conversation: _Optional[_Union[_message_pb2.Conversation, _Mapping]] = ..., messages_removed: _Optional[int] = ..., tokens_removed: _Optional[int] = ..., note_ids: _Optional[_Iterable[str]] = ..., revision: _Optional[int] = ...) -> None: ...

class NotesSource(_message.Message):
    __slots__ = ("storage_key",)
    STORAGE_KEY_FIELD_NUMBER: _ClassVar[int]
    storage_key: str
    def __init__(self, storage_key: _Optional[str] = ...) -> None: ...

class PlanSource(_message.Message):
    __slots__ = ("conversation_id",)
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    def __init__(self, conversation_id: _Optional[str] = ...) -> None: ...

class EntitiesSource(_message.Message):
    __slots__ = ("session_id",)
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    def __init__(self, session_id: _Optional[str] = ...) -> None: ...

class DocumentsSource(_message.Message):
    __slots__ = ("strategy", "document_ids", "tags", "query", "limit")
    class Strategy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        STRATEGY_UNSPECIFIED: _ClassVar[DocumentsSource.Strategy]
        STRATEGY_SEARCH: _ClassVar[DocumentsSource.Strategy]
        STRATEGY_FULL_TEXT: _ClassVar[DocumentsSource.Strategy]
    STRATEGY_UNSPECIFIED: DocumentsSource.Strategy
    STRATEGY_SEARCH: DocumentsSource.Strategy
    STRATEGY_FULL_TEXT: DocumentsSource.Strategy
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_IDS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    strategy: DocumentsSource.Strategy
    document_ids: _containers.RepeatedScalarFieldContainer[str]
    tags: _containers.RepeatedScalarFieldContainer[str]
    query: str
    limit: int
    def __init__(self, strategy: _Optional[_Union[DocumentsSource.Strategy, str]] = ..., document_ids: _Optional[_Iterable[str]] = ..., tags: _Optional[_Iterable[str]] = ..., query: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class EntriesSource(_message.Message):
    __slots__ = ("scope_id", "key_prefix")
    SCOPE_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_PREFIX_FIELD_NUMBER: _ClassVar[int]
    scope_id: str
    key_prefix: str
    def __init__(self, scope_id: _Optional[str] = ..., key_prefix: _Optional[str] = ...) -> None: ...

class MemoriesSource(_message.Message):
    __slots__ = ("filter", "limit", "min_score", "query")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    MIN_SCORE_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    filter: _long_term_memory_service_pb2.MemoryFilter
    limit: int
    min_score: float
    query: str
    def __init__(self, filter: _Optional[_Union[_long_term_memory_service_pb2.MemoryFilter, _Mapping]] = ..., limit: _Optional[int] = ..., min_score: _Optional[float] = ..., query: _Optional[str] = ...) -> None: ...

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
    role: _message_pb2.MessageRole
    def __init__(self, content: _Optional[str] = ..., role: _Optional[_Union[_message_pb2.MessageRole, str]] = ...) -> None: ...

class ContextSection(_message.Message):
    __slots__ = ("name", "text", "notes", "plan", "entities", "entries", "memories", "documents", "messages", "max_tokens", "priority")
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
    def __init__(self, name: _Optional[str] = ..., text: _Optional[_Union[TextSource, _Mapping]] = ..., notes: _Optional[_Union[NotesSource, _Mapping]] = ..., plan: _Optional[_Union[PlanSource, _Mapping]] = ..., entities: _Optional[_Union[EntitiesSource, _Mapping]] = ..., entries: _Optional[_Union[EntriesSource, _Mapping]] = ..., memories: _Optional[_Union[MemoriesSource, _Mapping]] = ..., documents: _Optional[_Union[DocumentsSource, _Mapping]] = ..., messages: _Optional[_Union[MessagesSource, _Mapping]] = ..., max_tokens: _Optional[int] = ..., priority: _Optional[int] = ...) -> None: ...

class ComposeContextRequest(_message.Message):
    __slots__ = ("agent_id", "conversation_id", "max_tokens", "model", "query", "sections", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    conversation_id: str
    max_tokens: int
    model: str
    query: str
    sections: _containers.RepeatedCompositeFieldContainer[ContextSection]
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., conversation_id: _Optional[str] = ..., max_tokens: _Optional[int] = ..., model: _Optional[str] = ..., query: _Optional[str] = ..., sections: _Optional[_Iterable[_Union[ContextSection, _Mapping]]] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ContextMessage(_message.Message):
    __slots__ = ("section", "role", "content", "name", "tool_call_id", "metadata")
    SECTION_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    section: str
    role: _message_pb2.MessageRole
    content: str
    name: str
    tool_call_id: str
    metadata: _struct_pb2.Struct
    def __init__(self, section: _Optional[str] = ..., role: _Optional[_Union[_message_pb2.MessageRole, str]] = ..., content: _Optional[str] = ..., name: _Optional[str] = ..., tool_call_id: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class SectionUsage(_message.Message):
    __slots__ = ("name", "tokens", "max_tokens", "included_count", "left_out_count")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    INCLUDED_COUNT_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_COUNT_FIELD_NUMBER: _ClassVar[int]
    name: str
    tokens: int
    max_tokens: int
    included_count: int
    left_out_count: int
    def __init__(self, name: _Optional[str] = ..., tokens: _Optional[int] = ..., max_tokens: _Optional[int] = ..., included_count: _Optional[int] = ..., left_out_count: _Optional[int] = ...) -> None: ...

class ManifestItem(_message.Message):
    __slots__ = ("section", "kind", "record_id", "tokens", "outcome")
    SECTION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    section: str
    kind: str
    record_id: str
    tokens: int
    outcome: ManifestOutcome
    def __init__(self, section: _Optional[str] = ..., kind: _Optional[str] = ..., record_id: _Optional[str] = ..., tokens: _Optional[int] = ..., outcome: _Optional[_Union[ManifestOutcome, str]] = ...) -> None: ...

class ComposeContextResponse(_message.Message):
    __slots__ = ("messages", "tokens", "max_tokens", "tokenizer", "usages", "manifest", "revision")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TOKENIZER_FIELD_NUMBER: _ClassVar[int]
    USAGES_FIELD_NUMBER: _ClassVar[int]
    MANIFEST_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[ContextMessage]
    tokens: int
    max_tokens: int
    tokenizer: str
    usages: _containers.RepeatedCompositeFieldContainer[SectionUsage]
    manifest: _containers.RepeatedCompositeFieldContainer[ManifestItem]
    revision: int
    def __init__(self, messages: _Optional[_Iterable[_Union[ContextMessage, _Mapping]]] = ..., tokens: _Optional[int] = ..., max_tokens: _Optional[int] = ..., tokenizer: _Optional[str] = ..., usages: _Optional[_Iterable[_Union[SectionUsage, _Mapping]]] = ..., manifest: _Optional[_Iterable[_Union[ManifestItem, _Mapping]]] = ..., revision: _Optional[int] = ...) -> None: ...

class CountTokensRequest(_message.Message):
    __slots__ = ("agent_id", "texts", "model")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    texts: _containers.RepeatedScalarFieldContainer[str]
    model: str
    def __init__(self, agent_id: _Optional[str] = ..., texts: _Optional[_Iterable[str]] = ..., model: _Optional[str] = ...) -> None: ...

class CountTokensResponse(_message.Message):
    __slots__ = ("counts", "total", "tokenizer")
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    TOKENIZER_FIELD_NUMBER: _ClassVar[int]
    counts: _containers.RepeatedScalarFieldContainer[int]
    total: int
    tokenizer: str
    def __init__(self, counts: _Optional[_Iterable[int]] = ..., total: _Optional[int] = ..., tokenizer: _Optional[str] = ...) -> None: ...
