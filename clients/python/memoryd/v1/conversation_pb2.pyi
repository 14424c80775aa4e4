import datetime

from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MessageRole(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MESSAGE_ROLE_UNSPECIFIED: _ClassVar[MessageRole]
    MESSAGE_ROLE_SYSTEM: _ClassVar[MessageRole]
    MESSAGE_ROLE_USER: _ClassVar[MessageRole]
    MESSAGE_ROLE_ASSISTANT: _ClassVar[MessageRole]
    MESSAGE_ROLE_TOOL: _ClassVar[MessageRole]
MESSAGE_ROLE_UNSPECIFIED: MessageRole
MESSAGE_ROLE_SYSTEM: MessageRole
MESSAGE_ROLE_USER: MessageRole
MESSAGE_ROLE_ASSISTANT: MessageRole
MESSAGE_ROLE_TOOL: MessageRole

class Conversation(_message.Message):
    __slots__ = ("conversation_id", "agent_id", "revision", "create_time", "update_time", "user_id", "tags", "metadata", "title", "message_count", "token_count", "next_number", "summary", "ingested_number")
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_COUNT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    NEXT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    INGESTED_NUMBER_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    agent_id: str
    revision: int
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    user_id: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    title: str
    message_count: int
    token_count: int
    next_number: int
    summary: str
    ingested_number: int
    def __init__(self, conversation_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., revision: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., user_id: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., title: _Optional[str] = ..., message_count: _Optional[int] = ..., token_count: _Optional[int] = ..., next_number: _Optional[int] = ..., summary: _Optional[str] = ..., ingested_number: _Optional[int] = ...) -> None: ...

class ConversationDraft(_message.Message):
    __slots__ = ("conversation_id", "user_id", "tags", "metadata", "title")
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    user_id: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    title: str
    def __init__(self, conversation_id: _Optional[str] = ..., user_id: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., title: _Optional[str] = ...) -> None: ...

class Message(_message.Message):
    __slots__ = ("message_id", "agent_id", "revision", "create_time", "metadata", "conversation_id", "number", "role", "content", "parts", "name", "importance", "token_count")
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    message_id: str
    agent_id: str
    revision: int
    create_time: _timestamp_pb2.Timestamp
    metadata: _struct_pb2.Struct
    conversation_id: str
    number: int
    role: MessageRole
    content: str
    parts: _containers.RepeatedCompositeFieldContainer[MessagePart]
    name: str
    importance: float
    token_count: int
    def __init__(self, message_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., revision: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., number: _Optional[int] = ..., role: _Optional[_Union[MessageRole, str]] = ..., content: _Optional[str] = ..., parts: _Optional[_Iterable[_Union[MessagePart, _Mapping[str, _Any]]]] = ..., name: _Optional[str] = ..., importance: _Optional[float] = ..., token_count: _Optional[int] = ...) -> None: ...

class MessageDraft(_message.Message):
    __slots__ = ("message_id", "create_time", "metadata", "role", "content", "parts", "name", "importance")
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    message_id: str
    create_time: _timestamp_pb2.Timestamp
    metadata: _struct_pb2.Struct
    role: MessageRole
    content: str
    parts: _containers.RepeatedCompositeFieldContainer[MessagePart]
    name: str
    importance: float
    def __init__(self, message_id: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., role: _Optional[_Union[MessageRole, str]] = ..., content: _Optional[str] = ..., parts: _Optional[_Iterable[_Union[MessagePart, _Mapping[str, _Any]]]] = ..., name: _Optional[str] = ..., importance: _Optional[float] = ...) -> None: ...

class MessagePart(_message.Message):
    __slots__ = ("text", "file", "tool_call", "tool_result")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_FIELD_NUMBER: _ClassVar[int]
    TOOL_RESULT_FIELD_NUMBER: _ClassVar[int]
    text: str
    file: MessageFile
    tool_call: MessageToolCall
    tool_result: MessageToolResult
    def __init__(self, text: _Optional[str] = ..., file: _Optional[_Union[MessageFile, _Mapping[str, _Any]]] = ..., tool_call: _Optional[_Union[MessageToolCall, _Mapping[str, _Any]]] = ..., tool_result: _Optional[_Union[MessageToolResult, _Mapping[str, _Any]]] = ...) -> None: ...

class MessageFile(_message.Message):
    __slots__ = ("uri", "document_id", "media_type", "name")
    URI_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    uri: str
    document_id: str
    media_type: str
    name: str
    def __init__(self, uri: _Optional[str] = ..., document_id: _Optional[str] = ..., media_type: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class MessageToolCall(_message.Message):
    __slots__ = ("tool_call_id", "name", "arguments_json")
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_JSON_FIELD_NUMBER: _ClassVar[int]
    tool_call_id: str
    name: str
    arguments_json: str
    def __init__(self, tool_call_id: _Optional[str] = ..., name: _Optional[str] = ..., arguments_json: _Optional[str] = ...) -> None: ...

class MessageToolResult(_message.Message):
    __slots__ = ("tool_call_id", "name", "content", "failed")
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    tool_call_id: str
    name: str
    content: str
    failed: bool
    def __init__(self, tool_call_id: _Optional[str] = ..., name: _Optional[str] = ..., content: _Optional[str] = ..., failed: _Optional[bool] = ...) -> None: ...
