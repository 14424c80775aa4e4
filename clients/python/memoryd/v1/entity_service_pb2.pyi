import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from memoryd.v1 import entity_pb2 as _entity_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AddEntitiesRequest(_message.Message):
    __slots__ = ("agent_id", "session_id", "entities", "window_size", "replace", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    WINDOW_SIZE_FIELD_NUMBER: _ClassVar[int]
    REPLACE_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    session_id: str
    entities: _containers.RepeatedCompositeFieldContainer[_entity_pb2.Entity]
    window_size: int
    replace: bool
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., session_id: _Optional[str] = ..., entities: _Optional[_Iterable[_Union[_entity_pb2.Entity, _Mapping]]] = ..., window_size: _Optional[int] = ..., replace: _Optional[bool] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class AddEntitiesResponse(_message.Message):
    __slots__ = ("window", "revision")
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    window: _entity_pb2.EntityWindow
    revision: int
    def __init__(self, window: _Optional[_Union[_entity_pb2.EntityWindow, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class ExtractEntitiesRequest(_message.Message):
    __slots__ = ("agent_id", "session_id", "tool_name", "result_json", "result", "tool_prefix", "dry_run", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    RESULT_JSON_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    TOOL_PREFIX_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    session_id: str
    tool_name: str
    result_json: str
    result: _struct_pb2.Value
    tool_prefix: str
    dry_run: bool
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., session_id: _Optional[str] = ..., tool_name: _Optional[str] = ..., result_json: _Optional[str] = ..., result: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., tool_prefix: _Optional[str] = ..., dry_run: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class ExtractEntitiesResponse(_message.Message):
    __slots__ = ("entities", "window", "revision")
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    entities: _containers.RepeatedCompositeFieldContainer[_entity_pb2.Entity]
    window: _entity_pb2.EntityWindow
    revision: int
    def __init__(self, entities: _Optional[_Iterable[_Union[_entity_pb2.Entity, _Mapping]]] = ..., window: _Optional[_Union[_entity_pb2.EntityWindow, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class ListRecentEntitiesRequest(_message.Message):
    __slots__ = ("agent_id", "session_id", "limit", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    session_id: str
    limit: int
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., session_id: _Optional[str] = ..., limit: _Optional[int] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ListRecentEntitiesResponse(_message.Message):
    __slots__ = ("entities", "total_count", "prompt_text", "window_size", "window_revision", "revision")
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    PROMPT_TEXT_FIELD_NUMBER: _ClassVar[int]
    WINDOW_SIZE_FIELD_NUMBER: _ClassVar[int]
    WINDOW_REVISION_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    entities: _containers.RepeatedCompositeFieldContainer[_entity_pb2.Entity]
    total_count: int
    prompt_text: str
    window_size: int
    window_revision: int
    revision: int
    def __init__(self, entities: _Optional[_Iterable[_Union[_entity_pb2.Entity, _Mapping]]] = ..., total_count: _Optional[int] = ..., prompt_text: _Optional[str] = ..., window_size: _Optional[int] = ..., window_revision: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class ClearEntitiesRequest(_message.Message):
    __slots__ = ("agent_id", "session_id", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    session_id: str
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., session_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class ClearEntitiesResponse(_message.Message):
    __slots__ = ("entities_cleared", "sessions_cleared", "revision")
    ENTITIES_CLEARED_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_CLEARED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    entities_cleared: int
    sessions_cleared: int
    revision: int
    def __init__(self, entities_cleared: _Optional[int] = ..., sessions_cleared: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...
