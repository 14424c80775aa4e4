from memoryd.v1 import record_pb2 as _record_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ErasureReceipt(_message.Message):
    __slots__ = ("erased", "journal_row_count", "snapshot_ids", "snapshot_count")
    ERASED_FIELD_NUMBER: _ClassVar[int]
    JOURNAL_ROW_COUNT_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_IDS_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_COUNT_FIELD_NUMBER: _ClassVar[int]
    erased: _containers.RepeatedCompositeFieldContainer[_record_pb2.RecordCount]
    journal_row_count: int
    snapshot_ids: _containers.RepeatedScalarFieldContainer[str]
    snapshot_count: int
    def __init__(self, erased: _Optional[_Iterable[_Union[_record_pb2.RecordCount, _Mapping[str, _Any]]]] = ..., journal_row_count: _Optional[int] = ..., snapshot_ids: _Optional[_Iterable[str]] = ..., snapshot_count: _Optional[int] = ...) -> None: ...
