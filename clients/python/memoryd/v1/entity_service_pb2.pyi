from google.api import annotations_pb2 as _annotations_pb2
from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from memoryd.v1 import consistency_pb2 as _consistency_pb2
from memoryd.v1 import entity_pb2 as _entity_pb2
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

class GetEntityWindowRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "conversation_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    conversation_id: str
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ...) -> None: ...

class GetEntityWindowResponse(_message.Message):
    __slots__ = ("revision", "entity_window", "prompt_text")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    ENTITY_WINDOW_FIELD_NUMBER: _ClassVar[int]
    PROMPT_TEXT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    entity_window: _entity_pb2.EntityWindow
    prompt_text: str
    def __init__(self, revision: _Optional[int] = ..., entity_window: _Optional[_Union[_entity_pb2.EntityWindow, _Mapping[str, _Any]]] = ..., prompt_text: _Optional[str] = ...) -> None: ...

class ListEntityWindowsRequest(_message.Message):
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

class ListEntityWindowsResponse(_message.Message):
    __slots__ = ("revision", "next_page_token", "total_count", "entity_windows")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    ENTITY_WINDOWS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    next_page_token: str
    total_count: int
    entity_windows: _containers.RepeatedCompositeFieldContainer[_entity_pb2.EntityWindow]
    def __init__(self, revision: _Optional[int] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., entity_windows: _Optional[_Iterable[_Union[_entity_pb2.EntityWindow, _Mapping[str, _Any]]]] = ...) -> None: ...

class AddEntitiesRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "conversation_id", "entities", "window_size", "user_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    WINDOW_SIZE_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    conversation_id: str
    entities: _containers.RepeatedCompositeFieldContainer[_entity_pb2.Entity]
    window_size: int
    user_id: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., entities: _Optional[_Iterable[_Union[_entity_pb2.Entity, _Mapping[str, _Any]]]] = ..., window_size: _Optional[int] = ..., user_id: _Optional[str] = ...) -> None: ...

class AddEntitiesResponse(_message.Message):
    __slots__ = ("revision", "entity_window", "changed")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    ENTITY_WINDOW_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    entity_window: _entity_pb2.EntityWindow
    changed: bool
    def __init__(self, revision: _Optional[int] = ..., entity_window: _Optional[_Union[_entity_pb2.EntityWindow, _Mapping[str, _Any]]] = ..., changed: _Optional[bool] = ...) -> None: ...

class SetEntitiesRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "conversation_id", "entities", "window_size", "user_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    WINDOW_SIZE_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    conversation_id: str
    entities: _containers.RepeatedCompositeFieldContainer[_entity_pb2.Entity]
    window_size: int
    user_id: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., entities: _Optional[_Iterable[_Union[_entity_pb2.Entity, _Mapping[str, _Any]]]] = ..., window_size: _Optional[int] = ..., user_id: _Optional[str] = ...) -> None: ...

class SetEntitiesResponse(_message.Message):
    __slots__ = ("revision", "entity_window", "changed")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    ENTITY_WINDOW_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    entity_window: _entity_pb2.EntityWindow
    changed: bool
    def __init__(self, revision: _Optional[int] = ..., entity_window: _Optional[_Union[_entity_pb2.EntityWindow, _Mapping[str, _Any]]] = ..., changed: _Optional[bool] = ...) -> None: ...

class ExtractEntitiesRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "conversation_id", "tool_name", "result_json", "result", "tool_prefix", "dry_run", "user_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    RESULT_JSON_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    TOOL_PREFIX_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    conversation_id: str
    tool_name: str
    result_json: str
    result: _struct_pb2.Value
    tool_prefix: str
    dry_run: bool
    user_id: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., tool_name: _Optional[str] = ..., result_json: _Optional[str] = ..., result: _Optional[_Union[_struct_pb2.Value, _Mapping[str, _Any]]] = ..., tool_prefix: _Optional[str] = ..., dry_run: _Optional[bool] = ..., user_id: _Optional[str] = ...) -> None: ...

class ExtractEntitiesResponse(_message.Message):
    __slots__ = ("revision", "entities", "entity_window", "changed")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    ENTITY_WINDOW_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    entities: _containers.RepeatedCompositeFieldContainer[_entity_pb2.Entity]
    entity_window: _entity_pb2.EntityWindow
    changed: bool
    def __init__(self, revision: _Optional[int] = ..., entities: _Optional[_Iterable[_Union[_entity_pb2.Entity, _Mapping[str, _Any]]]] = ..., entity_window: _Optional[_Union[_entity_pb2.EntityWindow, _Mapping[str, _Any]]] = ..., changed: _Optional[bool] = ...) -> None: ...

class ClearEntitiesRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "conversation_id", "erase")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    ERASE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    conversation_id: str
    erase: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., erase: _Optional[bool] = ...) -> None: ...

class ClearEntitiesResponse(_message.Message):
    __slots__ = ("revision", "receipt", "deleted_window_count", "deleted_entity_count")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    DELETED_WINDOW_COUNT_FIELD_NUMBER: _ClassVar[int]
    DELETED_ENTITY_COUNT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    deleted_window_count: int
    deleted_entity_count: int
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., deleted_window_count: _Optional[int] = ..., deleted_entity_count: _Optional[int] = ...) -> None: ...
