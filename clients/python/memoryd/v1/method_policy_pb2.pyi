from google.protobuf import descriptor_pb2 as _descriptor_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MethodAccess(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    METHOD_ACCESS_UNSPECIFIED: _ClassVar[MethodAccess]
    METHOD_ACCESS_SELECTION: _ClassVar[MethodAccess]
    METHOD_ACCESS_LISTED: _ClassVar[MethodAccess]
    METHOD_ACCESS_SNAPSHOT: _ClassVar[MethodAccess]
    METHOD_ACCESS_HEADER: _ClassVar[MethodAccess]
    METHOD_ACCESS_AUTHENTICATED: _ClassVar[MethodAccess]
    METHOD_ACCESS_OPERATION: _ClassVar[MethodAccess]

class MethodCost(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    METHOD_COST_UNSPECIFIED: _ClassVar[MethodCost]
    METHOD_COST_HEAVY: _ClassVar[MethodCost]
    METHOD_COST_WAIT: _ClassVar[MethodCost]
    METHOD_COST_TRANSFER: _ClassVar[MethodCost]
    METHOD_COST_WATCH: _ClassVar[MethodCost]

class MethodVerb(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    METHOD_VERB_UNSPECIFIED: _ClassVar[MethodVerb]
    METHOD_VERB_READ: _ClassVar[MethodVerb]
    METHOD_VERB_WRITE: _ClassVar[MethodVerb]
    METHOD_VERB_DELETE: _ClassVar[MethodVerb]
    METHOD_VERB_WATCH: _ClassVar[MethodVerb]
    METHOD_VERB_SNAPSHOT: _ClassVar[MethodVerb]
    METHOD_VERB_ADMIN: _ClassVar[MethodVerb]
    METHOD_VERB_ANY: _ClassVar[MethodVerb]
METHOD_ACCESS_UNSPECIFIED: MethodAccess
METHOD_ACCESS_SELECTION: MethodAccess
METHOD_ACCESS_LISTED: MethodAccess
METHOD_ACCESS_SNAPSHOT: MethodAccess
METHOD_ACCESS_HEADER: MethodAccess
METHOD_ACCESS_AUTHENTICATED: MethodAccess
METHOD_ACCESS_OPERATION: MethodAccess
METHOD_COST_UNSPECIFIED: MethodCost
METHOD_COST_HEAVY: MethodCost
METHOD_COST_WAIT: MethodCost
METHOD_COST_TRANSFER: MethodCost
METHOD_COST_WATCH: MethodCost
METHOD_VERB_UNSPECIFIED: MethodVerb
METHOD_VERB_READ: MethodVerb
METHOD_VERB_WRITE: MethodVerb
METHOD_VERB_DELETE: MethodVerb
METHOD_VERB_WATCH: MethodVerb
METHOD_VERB_SNAPSHOT: MethodVerb
METHOD_VERB_ADMIN: MethodVerb
METHOD_VERB_ANY: MethodVerb
METHOD_POLICY_FIELD_NUMBER: _ClassVar[int]
method_policy: _descriptor.FieldDescriptor
SERVICE_POLICY_FIELD_NUMBER: _ClassVar[int]
service_policy: _descriptor.FieldDescriptor

class ServicePolicy(_message.Message):
    __slots__ = ("feature",)
    FEATURE_FIELD_NUMBER: _ClassVar[int]
    feature: str
    def __init__(self, feature: _Optional[str] = ...) -> None: ...

class MethodPolicy(_message.Message):
    __slots__ = ("access", "cost", "verb", "feature")
    ACCESS_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    VERB_FIELD_NUMBER: _ClassVar[int]
    FEATURE_FIELD_NUMBER: _ClassVar[int]
    access: MethodAccess
    cost: MethodCost
    verb: MethodVerb
    feature: str
    def __init__(self, access: _Optional[_Union[MethodAccess, str]] = ..., cost: _Optional[_Union[MethodCost, str]] = ..., verb: _Optional[_Union[MethodVerb, str]] = ..., feature: _Optional[str] = ...) -> None: ...
