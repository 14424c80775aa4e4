import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from memoryd.v1 import entry_pb2 as _entry_pb2
from memoryd.v1 import event_pb2 as _event_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WatchPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WATCH_PHASE_UNSPECIFIED: _ClassVar[WatchPhase]
    WATCH_PHASE_OPENED: _ClassVar[WatchPhase]
    WATCH_PHASE_INITIAL_STATE: _ClassVar[WatchPhase]
    WATCH_PHASE_INITIAL_STATE_COMPLETE: _ClassVar[WatchPhase]
    WATCH_PHASE_LIVE: _ClassVar[WatchPhase]
    WATCH_PHASE_PROGRESS: _ClassVar[WatchPhase]
WATCH_PHASE_UNSPECIFIED: WatchPhase
WATCH_PHASE_OPENED: WatchPhase
WATCH_PHASE_INITIAL_STATE: WatchPhase
WATCH_PHASE_INITIAL_STATE_COMPLETE: WatchPhase
WATCH_PHASE_LIVE: WatchPhase
WATCH_PHASE_PROGRESS: WatchPhase

class WatchEventsRequest(_message.Message):
    __slots__ = ("filters", "resume_token", "after_revision", "include_initial_state", "payload_mode", "progress_interval", "exclude_origin")
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AFTER_REVISION_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_INITIAL_STATE_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_MODE_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    EXCLUDE_ORIGIN_FIELD_NUMBER: _ClassVar[int]
    filters: _containers.RepeatedCompositeFieldContainer[_event_pb2.EventFilter]
    resume_token: str
    after_revision: int
    include_initial_state: bool
    payload_mode: _entry_pb2.PayloadMode
    progress_interval: _duration_pb2.Duration
    exclude_origin: str
    def __init__(self, filters: _Optional[_Iterable[_Union[_event_pb2.EventFilter, _Mapping]]] = ..., resume_token: _Optional[str] = ..., after_revision: _Optional[int] = ..., include_initial_state: _Optional[bool] = ..., payload_mode: _Optional[_Union[_entry_pb2.PayloadMode, str]] = ..., progress_interval: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., exclude_origin: _Optional[str] = ...) -> None: ...

class WatchEventsResponse(_message.Message):
    __slots__ = ("phase", "events", "revision", "resume_token", "revision_continues")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REVISION_CONTINUES_FIELD_NUMBER: _ClassVar[int]
    phase: WatchPhase
    events: _containers.RepeatedCompositeFieldContainer[_event_pb2.Event]
    revision: int
    resume_token: str
    revision_continues: bool
    def __init__(self, phase: _Optional[_Union[WatchPhase, str]] = ..., events: _Optional[_Iterable[_Union[_event_pb2.Event, _Mapping]]] = ..., revision: _Optional[int] = ..., resume_token: _Optional[str] = ..., revision_continues: _Optional[bool] = ...) -> None: ...

class ListEventsRequest(_message.Message):
    __slots__ = ("filters", "after_revision", "payload_mode", "page_size", "page_token")
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    AFTER_REVISION_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_MODE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    filters: _containers.RepeatedCompositeFieldContainer[_event_pb2.EventFilter]
    after_revision: int
    payload_mode: _entry_pb2.PayloadMode
    page_size: int
    page_token: str
    def __init__(self, filters: _Optional[_Iterable[_Union[_event_pb2.EventFilter, _Mapping]]] = ..., after_revision: _Optional[int] = ..., payload_mode: _Optional[_Union[_entry_pb2.PayloadMode, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListEventsResponse(_message.Message):
    __slots__ = ("events", "next_page_token", "resume_token")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[_event_pb2.Event]
    next_page_token: str
    resume_token: str
    def __init__(self, events: _Optional[_Iterable[_Union[_event_pb2.Event, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., resume_token: _Optional[str] = ...) -> None: ...
