import datetime

from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

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
    SERVER_STATE_UNAVAILABLE: _ClassVar[ServerState]

class ComponentState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COMPONENT_STATE_UNSPECIFIED: _ClassVar[ComponentState]
    COMPONENT_STATE_OK: _ClassVar[ComponentState]
    COMPONENT_STATE_DEGRADED: _ClassVar[ComponentState]
    COMPONENT_STATE_FAILED: _ClassVar[ComponentState]

class AuditPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    AUDIT_PHASE_UNSPECIFIED: _ClassVar[AuditPhase]
    AUDIT_PHASE_CALL: _ClassVar[AuditPhase]
    AUDIT_PHASE_BEGIN: _ClassVar[AuditPhase]
    AUDIT_PHASE_END: _ClassVar[AuditPhase]
DURABILITY_UNSPECIFIED: Durability
DURABILITY_SYNCED: Durability
DURABILITY_JOURNALED: Durability
DURABILITY_MEMORY: Durability
SERVER_STATE_UNSPECIFIED: ServerState
SERVER_STATE_SERVING: ServerState
SERVER_STATE_DRAINING: ServerState
SERVER_STATE_READ_ONLY: ServerState
SERVER_STATE_UNAVAILABLE: ServerState
COMPONENT_STATE_UNSPECIFIED: ComponentState
COMPONENT_STATE_OK: ComponentState
COMPONENT_STATE_DEGRADED: ComponentState
COMPONENT_STATE_FAILED: ComponentState
AUDIT_PHASE_UNSPECIFIED: AuditPhase
AUDIT_PHASE_CALL: AuditPhase
AUDIT_PHASE_BEGIN: AuditPhase
AUDIT_PHASE_END: AuditPhase

class GetServerInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ServerComponent(_message.Message):
    __slots__ = ("name", "state", "reason", "start_time")
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    name: str
    state: ComponentState
    reason: str
    start_time: _timestamp_pb2.Timestamp
    def __init__(self, name: _Optional[str] = ..., state: _Optional[_Union[ComponentState, str]] = ..., reason: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ...) -> None: ...

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
    __slots__ = ("version", "capabilities", "limits", "backend", "durability", "store_id", "start_time", "state", "embedder", "usage", "components", "tiers", "caller_verbs")
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
    COMPONENTS_FIELD_NUMBER: _ClassVar[int]
    TIERS_FIELD_NUMBER: _ClassVar[int]
    CALLER_VERBS_FIELD_NUMBER: _ClassVar[int]
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
    components: _containers.RepeatedCompositeFieldContainer[ServerComponent]
    tiers: _containers.RepeatedCompositeFieldContainer[Tier]
    caller_verbs: _containers.RepeatedScalarFieldContainer[_method_policy_pb2.MethodVerb]
    def __init__(self, version: _Optional[str] = ..., capabilities: _Optional[_Iterable[str]] = ..., limits: _Optional[_Mapping[str, int]] = ..., backend: _Optional[str] = ..., durability: _Optional[_Union[Durability, str]] = ..., store_id: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., state: _Optional[_Union[ServerState, str]] = ..., embedder: _Optional[_Union[Embedder, _Mapping[str, _Any]]] = ..., usage: _Optional[_Mapping[str, int]] = ..., components: _Optional[_Iterable[_Union[ServerComponent, _Mapping[str, _Any]]]] = ..., tiers: _Optional[_Iterable[_Union[Tier, _Mapping[str, _Any]]]] = ..., caller_verbs: _Optional[_Iterable[_Union[_method_policy_pb2.MethodVerb, str]]] = ...) -> None: ...

class WatchAuditRequest(_message.Message):
    __slots__ = ("agent_ids", "denied_only")
    AGENT_IDS_FIELD_NUMBER: _ClassVar[int]
    DENIED_ONLY_FIELD_NUMBER: _ClassVar[int]
    agent_ids: _containers.RepeatedScalarFieldContainer[str]
    denied_only: bool
    def __init__(self, agent_ids: _Optional[_Iterable[str]] = ..., denied_only: _Optional[bool] = ...) -> None: ...

class WatchAuditResponse(_message.Message):
    __slots__ = ("record", "missed_count")
    RECORD_FIELD_NUMBER: _ClassVar[int]
    MISSED_COUNT_FIELD_NUMBER: _ClassVar[int]
    record: AuditRecord
    missed_count: int
    def __init__(self, record: _Optional[_Union[AuditRecord, _Mapping[str, _Any]]] = ..., missed_count: _Optional[int] = ...) -> None: ...

class AuditRecord(_message.Message):
    __slots__ = ("record_time", "phase", "method", "caller", "peer", "agent_ids", "user_id", "request_id", "target_id", "requests", "trace_id", "status", "reason", "denied", "elapsed_duration", "omitted_count")
    RECORD_TIME_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    PEER_FIELD_NUMBER: _ClassVar[int]
    AGENT_IDS_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    TRACE_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DENIED_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_DURATION_FIELD_NUMBER: _ClassVar[int]
    OMITTED_COUNT_FIELD_NUMBER: _ClassVar[int]
    record_time: _timestamp_pb2.Timestamp
    phase: AuditPhase
    method: str
    caller: str
    peer: str
    agent_ids: _containers.RepeatedScalarFieldContainer[str]
    user_id: str
    request_id: str
    target_id: str
    requests: _containers.RepeatedScalarFieldContainer[str]
    trace_id: str
    status: str
    reason: str
    denied: bool
    elapsed_duration: _duration_pb2.Duration
    omitted_count: int
    def __init__(self, record_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., phase: _Optional[_Union[AuditPhase, str]] = ..., method: _Optional[str] = ..., caller: _Optional[str] = ..., peer: _Optional[str] = ..., agent_ids: _Optional[_Iterable[str]] = ..., user_id: _Optional[str] = ..., request_id: _Optional[str] = ..., target_id: _Optional[str] = ..., requests: _Optional[_Iterable[str]] = ..., trace_id: _Optional[str] = ..., status: _Optional[str] = ..., reason: _Optional[str] = ..., denied: _Optional[bool] = ..., elapsed_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., omitted_count: _Optional[int] = ...) -> None: ...
