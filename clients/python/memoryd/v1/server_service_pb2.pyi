import datetime

from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Durability(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DURABILITY_UNSPECIFIED: _ClassVar[Durability]
    DURABILITY_SYNCED: _ClassVar[Durability]
    DURABILITY_JOURNALED: _ClassVar[Durability]
    DURABILITY_MEMORY: _ClassVar[Durability]

class ServerState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SERVER_STATE_UNSPECIFIED: _ClassVar[ServerState]
    SERVER_STATE_SERVING: _ClassVar[ServerState]
    SERVER_STATE_DRAINING: _ClassVar[ServerState]
    SERVER_STATE_READ_ONLY: _ClassVar[ServerState]
DURABILITY_UNSPECIFIED: Durability
DURABILITY_SYNCED: Durability
DURABILITY_JOURNALED: Durability
DURABILITY_MEMORY: Durability
SERVER_STATE_UNSPECIFIED: ServerState
SERVER_STATE_SERVING: ServerState
SERVER_STATE_DRAINING: ServerState
SERVER_STATE_READ_ONLY: ServerState

class GetServerInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Embedder(_message.Message):
    __slots__ = ("model", "version", "dimensions")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    model: str
    version: str
    dimensions: int
    def __init__(self, model: _Optional[str] = ..., version: _Optional[str] = ..., dimensions: _Optional[int] = ...) -> None: ...

class Tier(_message.Message):
    __slots__ = ("name", "features", "limits")
    class LimitsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    name: str
    features: _containers.RepeatedScalarFieldContainer[str]
    limits: _containers.ScalarMap[str, int]
    def __init__(self, name: _Optional[str] = ..., features: _Optional[_Iterable[str]] = ..., limits: _Optional[_Mapping[str, int]] = ...) -> None: ...

class GetServerInfoResponse(_message.Message):
    __slots__ = ("version", "capabilities", "limits", "backend", "durability", "store_id", "start_time", "state", "embedder", "usage", "tiers")
    class LimitsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    class UsageEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    BACKEND_FIELD_NUMBER: _ClassVar[int]
    DURABILITY_FIELD_NUMBER: _ClassVar[int]
    STORE_ID_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    EMBEDDER_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    TIERS_FIELD_NUMBER: _ClassVar[int]
    version: str
    capabilities: _containers.RepeatedScalarFieldContainer[str]
    limits: _containers.ScalarMap[str, int]
    backend: str
    durability: Durability
    store_id: str
    start_time: _timestamp_pb2.Timestamp
    state: ServerState
    embedder: Embedder
    usage: _containers.ScalarMap[str, int]
    tiers: _containers.RepeatedCompositeFieldContainer[Tier]
    def __init__(self, version: _Optional[str] = ..., capabilities: _Optional[_Iterable[str]] = ..., limits: _Optional[_Mapping[str, int]] = ..., backend: _Optional[str] = ..., durability: _Optional[_Union[Durability, str]] = ..., store_id: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., state: _Optional[_Union[ServerState, str]] = ..., embedder: _Optional[_Union[Embedder, _Mapping]] = ..., usage: _Optional[_Mapping[str, int]] = ..., tiers: _Optional[_Iterable[_Union[Tier, _Mapping]]] = ...) -> None: ...
