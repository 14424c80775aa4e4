from google.api import annotations_pb2 as _annotations_pb2
from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from memoryd.v1 import consistency_pb2 as _consistency_pb2
from memoryd.v1 import conversation_pb2 as _conversation_pb2
from memoryd.v1 import erasure_pb2 as _erasure_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import listing_pb2 as _listing_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from memoryd.v1 import record_filter_pb2 as _record_filter_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateConversationRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "draft")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    draft: _conversation_pb2.ConversationDraft
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., draft: _Optional[_Union[_conversation_pb2.ConversationDraft, _Mapping[str, _Any]]] = ...) -> None: ...

class CreateConversationResponse(_message.Message):
    __slots__ = ("revision", "conversation")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    revision: int
    conversation: _conversation_pb2.Conversation
    def __init__(self, revision: _Optional[int] = ..., conversation: _Optional[_Union[_conversation_pb2.Conversation, _Mapping[str, _Any]]] = ...) -> None: ...

class GetConversationRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "conversation_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    conversation_id: str
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ...) -> None: ...

class GetConversationResponse(_message.Message):
    __slots__ = ("revision", "conversation")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    revision: int
    conversation: _conversation_pb2.Conversation
    def __init__(self, revision: _Optional[int] = ..., conversation: _Optional[_Union[_conversation_pb2.Conversation, _Mapping[str, _Any]]] = ...) -> None: ...

class UpdateConversationRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "conversation_id", "draft", "update_mask")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    conversation_id: str
    draft: _conversation_pb2.ConversationDraft
    update_mask: _field_mask_pb2.FieldMask
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., draft: _Optional[_Union[_conversation_pb2.ConversationDraft, _Mapping[str, _Any]]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping[str, _Any]]] = ...) -> None: ...

class UpdateConversationResponse(_message.Message):
    __slots__ = ("revision", "conversation", "changed")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    conversation: _conversation_pb2.Conversation
    changed: bool
    def __init__(self, revision: _Optional[int] = ..., conversation: _Optional[_Union[_conversation_pb2.Conversation, _Mapping[str, _Any]]] = ..., changed: _Optional[bool] = ...) -> None: ...

class ListConversationsRequest(_message.Message):
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

class ListConversationsResponse(_message.Message):
    __slots__ = ("revision", "next_page_token", "total_count", "conversations")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    CONVERSATIONS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    next_page_token: str
    total_count: int
    conversations: _containers.RepeatedCompositeFieldContainer[_conversation_pb2.Conversation]
    def __init__(self, revision: _Optional[int] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., conversations: _Optional[_Iterable[_Union[_conversation_pb2.Conversation, _Mapping[str, _Any]]]] = ...) -> None: ...

class DeleteConversationRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "conversation_id", "include_plans", "include_entities", "erase")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_PLANS_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_ENTITIES_FIELD_NUMBER: _ClassVar[int]
    ERASE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    conversation_id: str
    include_plans: bool
    include_entities: bool
    erase: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., include_plans: _Optional[bool] = ..., include_entities: _Optional[bool] = ..., erase: _Optional[bool] = ...) -> None: ...

class DeleteConversationResponse(_message.Message):
    __slots__ = ("revision", "receipt", "deleted", "deleted_message_count", "deleted_plan_count", "deleted_entity_count")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    DELETED_MESSAGE_COUNT_FIELD_NUMBER: _ClassVar[int]
    DELETED_PLAN_COUNT_FIELD_NUMBER: _ClassVar[int]
    DELETED_ENTITY_COUNT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    deleted: bool
    deleted_message_count: int
    deleted_plan_count: int
    deleted_entity_count: int
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., deleted: _Optional[bool] = ..., deleted_message_count: _Optional[int] = ..., deleted_plan_count: _Optional[int] = ..., deleted_entity_count: _Optional[int] = ...) -> None: ...

class AppendMessagesRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "conversation_id", "drafts")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    DRAFTS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    conversation_id: str
    drafts: _containers.RepeatedCompositeFieldContainer[_conversation_pb2.MessageDraft]
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., drafts: _Optional[_Iterable[_Union[_conversation_pb2.MessageDraft, _Mapping[str, _Any]]]] = ...) -> None: ...

class AppendMessagesResponse(_message.Message):
    __slots__ = ("revision", "conversation", "first_number", "message_ids")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    FIRST_NUMBER_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_IDS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    conversation: _conversation_pb2.Conversation
    first_number: int
    message_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, revision: _Optional[int] = ..., conversation: _Optional[_Union[_conversation_pb2.Conversation, _Mapping[str, _Any]]] = ..., first_number: _Optional[int] = ..., message_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class GetMessageRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "conversation_id", "message_id", "number")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    conversation_id: str
    message_id: str
    number: int
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., message_id: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class GetMessageResponse(_message.Message):
    __slots__ = ("revision", "message")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    revision: int
    message: _conversation_pb2.Message
    def __init__(self, revision: _Optional[int] = ..., message: _Optional[_Union[_conversation_pb2.Message, _Mapping[str, _Any]]] = ...) -> None: ...

class ListMessagesRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "page_size", "page_token", "order", "view", "conversation_id", "after_number", "filter")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_NUMBER_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    page_size: int
    page_token: str
    order: _listing_pb2.ListOrder
    view: _listing_pb2.RecordView
    conversation_id: str
    after_number: int
    filter: _record_filter_pb2.RecordFilter
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., order: _Optional[_Union[_listing_pb2.ListOrder, str]] = ..., view: _Optional[_Union[_listing_pb2.RecordView, str]] = ..., conversation_id: _Optional[str] = ..., after_number: _Optional[int] = ..., filter: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ...) -> None: ...

class ListMessagesResponse(_message.Message):
    __slots__ = ("revision", "next_page_token", "total_count", "messages")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    revision: int
    next_page_token: str
    total_count: int
    messages: _containers.RepeatedCompositeFieldContainer[_conversation_pb2.Message]
    def __init__(self, revision: _Optional[int] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., messages: _Optional[_Iterable[_Union[_conversation_pb2.Message, _Mapping[str, _Any]]]] = ...) -> None: ...

class TruncateMessagesRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "conversation_id", "from_message_id", "from_number", "erase")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    FROM_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    FROM_NUMBER_FIELD_NUMBER: _ClassVar[int]
    ERASE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    conversation_id: str
    from_message_id: str
    from_number: int
    erase: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., from_message_id: _Optional[str] = ..., from_number: _Optional[int] = ..., erase: _Optional[bool] = ...) -> None: ...

class TruncateMessagesResponse(_message.Message):
    __slots__ = ("revision", "receipt", "conversation", "deleted_message_count")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    DELETED_MESSAGE_COUNT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    conversation: _conversation_pb2.Conversation
    deleted_message_count: int
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., conversation: _Optional[_Union[_conversation_pb2.Conversation, _Mapping[str, _Any]]] = ..., deleted_message_count: _Optional[int] = ...) -> None: ...

class CompactMessagesRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "conversation_id", "max_tokens", "keep_last", "drop_oldest", "keep_important", "extract_to_notes", "summarize")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    KEEP_LAST_FIELD_NUMBER: _ClassVar[int]
    DROP_OLDEST_FIELD_NUMBER: _ClassVar[int]
    KEEP_IMPORTANT_FIELD_NUMBER: _ClassVar[int]
    EXTRACT_TO_NOTES_FIELD_NUMBER: _ClassVar[int]
    SUMMARIZE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    conversation_id: str
    max_tokens: int
    keep_last: int
    drop_oldest: CompactionDropOldest
    keep_important: CompactionKeepImportant
    extract_to_notes: CompactionExtractToNotes
    summarize: CompactionSummarize
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., max_tokens: _Optional[int] = ..., keep_last: _Optional[int] = ..., drop_oldest: _Optional[_Union[CompactionDropOldest, _Mapping[str, _Any]]] = ..., keep_important: _Optional[_Union[CompactionKeepImportant, _Mapping[str, _Any]]] = ..., extract_to_notes: _Optional[_Union[CompactionExtractToNotes, _Mapping[str, _Any]]] = ..., summarize: _Optional[_Union[CompactionSummarize, _Mapping[str, _Any]]] = ...) -> None: ...

class CompactionDropOldest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CompactionKeepImportant(_message.Message):
    __slots__ = ("min_importance",)
    MIN_IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    min_importance: float
    def __init__(self, min_importance: _Optional[float] = ...) -> None: ...

class CompactionExtractToNotes(_message.Message):
    __slots__ = ("notebook", "min_importance")
    NOTEBOOK_FIELD_NUMBER: _ClassVar[int]
    MIN_IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    notebook: str
    min_importance: float
    def __init__(self, notebook: _Optional[str] = ..., min_importance: _Optional[float] = ...) -> None: ...

class CompactionSummarize(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CompactMessagesResponse(_message.Message):
    __slots__ = ("revision", "conversation", "deleted_message_count", "deleted_token_count", "note_ids")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    DELETED_MESSAGE_COUNT_FIELD_NUMBER: _ClassVar[int]
    DELETED_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    NOTE_IDS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    conversation: _conversation_pb2.Conversation
    deleted_message_count: int
    deleted_token_count: int
    note_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, revision: _Optional[int] = ..., conversation: _Optional[_Union[_conversation_pb2.Conversation, _Mapping[str, _Any]]] = ..., deleted_message_count: _Optional[int] = ..., deleted_token_count: _Optional[int] = ..., note_ids: _Optional[_Iterable[str]] = ...) -> None: ...
