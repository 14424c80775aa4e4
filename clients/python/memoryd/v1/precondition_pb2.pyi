from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class Precondition(_message.Message):
    __slots__ = ("must_not_exist", "expected_revision", "must_exist")
    MUST_NOT_EXIST_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_REVISION_FIELD_NUMBER: _ClassVar[int]
    MUST_EXIST_FIELD_NUMBER: _ClassVar[int]
    must_not_exist: bool
    expected_revision: int
    must_exist: bool
    def __init__(self, must_not_exist: _Optional[bool] = ..., expected_revision: _Optional[int] = ..., must_exist: _Optional[bool] = ...) -> None: ...
