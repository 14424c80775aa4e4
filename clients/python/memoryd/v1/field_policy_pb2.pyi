import datetime

from google.protobuf import descriptor_pb2 as _descriptor_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
FIELD_POLICY_FIELD_NUMBER: _ClassVar[int]
field_policy: _descriptor.FieldDescriptor

class FieldPolicy(_message.Message):
    __slots__ = ("content", "bytes_max", "total_bytes_max", "items_max", "limit", "value_min", "value_max", "duration_min", "duration_max", "pattern")
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    TOTAL_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    ITEMS_MAX_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    VALUE_MIN_FIELD_NUMBER: _ClassVar[int]
    VALUE_MAX_FIELD_NUMBER: _ClassVar[int]
    DURATION_MIN_FIELD_NUMBER: _ClassVar[int]
    DURATION_MAX_FIELD_NUMBER: _ClassVar[int]
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    content: bool
    bytes_max: int
    total_bytes_max: int
    items_max: int
    limit: str
    value_min: float
    value_max: float
    duration_min: _duration_pb2.Duration
    duration_max: _duration_pb2.Duration
    pattern: str
    def __init__(self, content: _Optional[bool] = ..., bytes_max: _Optional[int] = ..., total_bytes_max: _Optional[int] = ..., items_max: _Optional[int] = ..., limit: _Optional[str] = ..., value_min: _Optional[float] = ..., value_max: _Optional[float] = ..., duration_min: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., duration_max: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., pattern: _Optional[str] = ...) -> None: ...
