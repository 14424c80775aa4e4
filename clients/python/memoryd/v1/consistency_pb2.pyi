import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Consistency(_message.Message):
    __slots__ = ("max_staleness", "min_revision")
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    MIN_REVISION_FIELD_NUMBER: _ClassVar[int]
    max_staleness: _duration_pb2.Duration
    min_revision: int
    def __init__(self, max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., min_revision: _Optional[int] = ...) -> None: ...
