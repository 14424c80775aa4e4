import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import fragment_pb2 as _fragment_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StoreFragmentRequest(_message.Message):
    __slots__ = ("agent_id", "content", "type", "dynamic_type", "confidence", "properties", "participants", "causal_chain", "sources", "ttl", "expire_time", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    DYNAMIC_TYPE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    PARTICIPANTS_FIELD_NUMBER: _ClassVar[int]
    CAUSAL_CHAIN_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    content: str
    type: str
    dynamic_type: str
    confidence: float
    properties: _struct_pb2.Struct
    participants: _containers.RepeatedScalarFieldContainer[str]
    causal_chain: _containers.RepeatedScalarFieldContainer[str]
    sources: _containers.RepeatedCompositeFieldContainer[_struct_pb2.Struct]
    ttl: _duration_pb2.Duration
    expire_time: _timestamp_pb2.Timestamp
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., content: _Optional[str] = ..., type: _Optional[str] = ..., dynamic_type: _Optional[str] = ..., confidence: _Optional[float] = ..., properties: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., participants: _Optional[_Iterable[str]] = ..., causal_chain: _Optional[_Iterable[str]] = ..., sources: _Optional[_Iterable[_Union[_struct_pb2.Struct, _Mapping]]] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class StoreFragmentResponse(_message.Message):
    __slots__ = ("fragment_id", "expire_time", "fragments_evicted", "fragments_flushed", "revision")
    FRAGMENT_ID_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    FRAGMENTS_EVICTED_FIELD_NUMBER: _ClassVar[int]
    FRAGMENTS_FLUSHED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    fragment_id: str
    expire_time: _timestamp_pb2.Timestamp
    fragments_evicted: int
    fragments_flushed: int
    revision: int
    def __init__(self, fragment_id: _Optional[str] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., fragments_evicted: _Optional[int] = ..., fragments_flushed: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class GetFragmentRequest(_message.Message):
    __slots__ = ("agent_id", "fragment_id", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    fragment_id: str
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., fragment_id: _Optional[str] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class GetFragmentResponse(_message.Message):
    __slots__ = ("found", "fragment", "revision")
    FOUND_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    found: bool
    fragment: _fragment_pb2.Fragment
    revision: int
    def __init__(self, found: _Optional[bool] = ..., fragment: _Optional[_Union[_fragment_pb2.Fragment, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class DeleteFragmentRequest(_message.Message):
    __slots__ = ("agent_id", "fragment_id", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    fragment_id: str
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., fragment_id: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class DeleteFragmentResponse(_message.Message):
    __slots__ = ("deleted", "revision")
    DELETED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    deleted: bool
    revision: int
    def __init__(self, deleted: _Optional[bool] = ..., revision: _Optional[int] = ...) -> None: ...

class SearchFragmentsRequest(_message.Message):
    __slots__ = ("agent_id", "query", "min_confidence", "limit", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    MIN_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    query: str
    min_confidence: float
    limit: int
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., query: _Optional[str] = ..., min_confidence: _Optional[float] = ..., limit: _Optional[int] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class SearchFragmentsResponse(_message.Message):
    __slots__ = ("fragments", "revision")
    FRAGMENTS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    fragments: _containers.RepeatedCompositeFieldContainer[_fragment_pb2.Fragment]
    revision: int
    def __init__(self, fragments: _Optional[_Iterable[_Union[_fragment_pb2.Fragment, _Mapping]]] = ..., revision: _Optional[int] = ...) -> None: ...

class ListRecentFragmentsRequest(_message.Message):
    __slots__ = ("agent_id", "page_size", "page_token", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    page_size: int
    page_token: str
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ListRecentFragmentsResponse(_message.Message):
    __slots__ = ("fragments", "next_page_token", "total_count", "revision")
    FRAGMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    fragments: _containers.RepeatedCompositeFieldContainer[_fragment_pb2.Fragment]
    next_page_token: str
    total_count: int
    revision: int
    def __init__(self, fragments: _Optional[_Iterable[_Union[_fragment_pb2.Fragment, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class CountFragmentsRequest(_message.Message):
    __slots__ = ("agent_id", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class CountFragmentsResponse(_message.Message):
    __slots__ = ("fragment_count", "flushed_count", "leased_count", "revision")
    FRAGMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    FLUSHED_COUNT_FIELD_NUMBER: _ClassVar[int]
    LEASED_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    fragment_count: int
    flushed_count: int
    leased_count: int
    revision: int
    def __init__(self, fragment_count: _Optional[int] = ..., flushed_count: _Optional[int] = ..., leased_count: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class ClearFragmentsRequest(_message.Message):
    __slots__ = ("agent_id", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class ClearFragmentsResponse(_message.Message):
    __slots__ = ("fragments_cleared", "revision")
    FRAGMENTS_CLEARED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    fragments_cleared: int
    revision: int
    def __init__(self, fragments_cleared: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class LeaseFragmentsRequest(_message.Message):
    __slots__ = ("agent_id", "limit", "lease_duration", "wait_duration", "lease_token", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    LEASE_DURATION_FIELD_NUMBER: _ClassVar[int]
    WAIT_DURATION_FIELD_NUMBER: _ClassVar[int]
    LEASE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    limit: int
    lease_duration: _duration_pb2.Duration
    wait_duration: _duration_pb2.Duration
    lease_token: str
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., limit: _Optional[int] = ..., lease_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., wait_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., lease_token: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class LeaseFragmentsResponse(_message.Message):
    __slots__ = ("lease_token", "fragments", "lease_expire_time", "revision")
    LEASE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    FRAGMENTS_FIELD_NUMBER: _ClassVar[int]
    LEASE_EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    lease_token: str
    fragments: _containers.RepeatedCompositeFieldContainer[_fragment_pb2.Fragment]
    lease_expire_time: _timestamp_pb2.Timestamp
    revision: int
    def __init__(self, lease_token: _Optional[str] = ..., fragments: _Optional[_Iterable[_Union[_fragment_pb2.Fragment, _Mapping]]] = ..., lease_expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class AcknowledgeFragmentsRequest(_message.Message):
    __slots__ = ("agent_id", "lease_token", "fragment_ids", "release", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    LEASE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_IDS_FIELD_NUMBER: _ClassVar[int]
    RELEASE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    lease_token: str
    fragment_ids: _containers.RepeatedScalarFieldContainer[str]
    release: bool
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., lease_token: _Optional[str] = ..., fragment_ids: _Optional[_Iterable[str]] = ..., release: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class AcknowledgeFragmentsResponse(_message.Message):
    __slots__ = ("fragment_count", "revision")
    FRAGMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    fragment_count: int
    revision: int
    def __init__(self, fragment_count: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class FlushFragmentsRequest(_message.Message):
    __slots__ = ("agent_id", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class FlushFragmentsResponse(_message.Message):
    __slots__ = ("fragments_flushed", "revision")
    FRAGMENTS_FLUSHED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    fragments_flushed: int
    revision: int
    def __init__(self, fragments_flushed: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...
