import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from memoryd.v1 import message_pb2 as _message_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

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
