import datetime

from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import consistency_pb2 as _consistency_pb2
from memoryd.v1 import event_pb2 as _event_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import listing_pb2 as _listing_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

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
    __slots__ = ("view", "filters", "resume_token", "after_revision", "include_initial_state", "progress_interval", "exclude_origin", "include_previous", "progress_on_commit")
    VIEW_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AFTER_REVISION_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_INITIAL_STATE_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    EXCLUDE_ORIGIN_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_ON_COMMIT_FIELD_NUMBER: _ClassVar[int]
    view: _listing_pb2.RecordView
    filters: _containers.RepeatedCompositeFieldContainer[_event_pb2.EventFilter]
    resume_token: str
    after_revision: int
    include_initial_state: bool
    progress_interval: _duration_pb2.Duration
    exclude_origin: str
    include_previous: bool
    progress_on_commit: bool
    def __init__(self, view: _Optional[_Union[_listing_pb2.RecordView, str]] = ..., filters: _Optional[_Iterable[_Union[_event_pb2.EventFilter, _Mapping[str, _Any]]]] = ..., resume_token: _Optional[str] = ..., after_revision: _Optional[int] = ..., include_initial_state: _Optional[bool] = ..., progress_interval: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., exclude_origin: _Optional[str] = ..., include_previous: _Optional[bool] = ..., progress_on_commit: _Optional[bool] = ...) -> None: ...

class WatchEventsResponse(_message.Message):
    __slots__ = ("revision", "phase", "events", "resume_token", "revision_continues")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REVISION_CONTINUES_FIELD_NUMBER: _ClassVar[int]
    revision: int
    phase: WatchPhase
    events: _containers.RepeatedCompositeFieldContainer[_event_pb2.Event]
    resume_token: str
    revision_continues: bool
    def __init__(self, revision: _Optional[int] = ..., phase: _Optional[_Union[WatchPhase, str]] = ..., events: _Optional[_Iterable[_Union[_event_pb2.Event, _Mapping[str, _Any]]]] = ..., resume_token: _Optional[str] = ..., revision_continues: _Optional[bool] = ...) -> None: ...

class ListEventsRequest(_message.Message):
    __slots__ = ("consistency", "page_size", "page_token", "order", "view", "filters", "after_revision", "include_previous", "end_revision", "start_time", "end_time")
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    AFTER_REVISION_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    END_REVISION_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    consistency: _consistency_pb2.Consistency
    page_size: int
    page_token: str
    order: _listing_pb2.ListOrder
    view: _listing_pb2.RecordView
    filters: _containers.RepeatedCompositeFieldContainer[_event_pb2.EventFilter]
    after_revision: int
    include_previous: bool
    end_revision: int
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    def __init__(self, consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., order: _Optional[_Union[_listing_pb2.ListOrder, str]] = ..., view: _Optional[_Union[_listing_pb2.RecordView, str]] = ..., filters: _Optional[_Iterable[_Union[_event_pb2.EventFilter, _Mapping[str, _Any]]]] = ..., after_revision: _Optional[int] = ..., include_previous: _Optional[bool] = ..., end_revision: _Optional[int] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ...) -> None: ...

class ListEventsResponse(_message.Message):
    __slots__ = ("revision", "next_page_token", "events", "resume_token")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    revision: int
    next_page_token: str
    events: _containers.RepeatedCompositeFieldContainer[_event_pb2.Event]
    resume_token: str
    def __init__(self, revision: _Optional[int] = ..., next_page_token: _Optional[str] = ..., events: _Optional[_Iterable[_Union[_event_pb2.Event, _Mapping[str, _Any]]]] = ..., resume_token: _Optional[str] = ...) -> None: ...
