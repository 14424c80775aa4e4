import datetime

from google.api import annotations_pb2 as _annotations_pb2
from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import consistency_pb2 as _consistency_pb2
from memoryd.v1 import erasure_pb2 as _erasure_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import fragment_pb2 as _fragment_pb2
from memoryd.v1 import listing_pb2 as _listing_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from memoryd.v1 import record_filter_pb2 as _record_filter_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateFragmentRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "draft")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    draft: _fragment_pb2.FragmentDraft
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., draft: _Optional[_Union[_fragment_pb2.FragmentDraft, _Mapping[str, _Any]]] = ...) -> None: ...

class CreateFragmentResponse(_message.Message):
    __slots__ = ("revision", "fragment", "evicted_fragment_count", "flushed_fragment_count")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_FIELD_NUMBER: _ClassVar[int]
    EVICTED_FRAGMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    FLUSHED_FRAGMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    fragment: _fragment_pb2.Fragment
    evicted_fragment_count: int
    flushed_fragment_count: int
    def __init__(self, revision: _Optional[int] = ..., fragment: _Optional[_Union[_fragment_pb2.Fragment, _Mapping[str, _Any]]] = ..., evicted_fragment_count: _Optional[int] = ..., flushed_fragment_count: _Optional[int] = ...) -> None: ...

class GetFragmentRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "fragment_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    fragment_id: str
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., fragment_id: _Optional[str] = ...) -> None: ...

class GetFragmentResponse(_message.Message):
    __slots__ = ("revision", "fragment")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    fragment: _fragment_pb2.Fragment
    def __init__(self, revision: _Optional[int] = ..., fragment: _Optional[_Union[_fragment_pb2.Fragment, _Mapping[str, _Any]]] = ...) -> None: ...

class DeleteFragmentRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "fragment_id", "erase")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_ID_FIELD_NUMBER: _ClassVar[int]
    ERASE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    fragment_id: str
    erase: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., fragment_id: _Optional[str] = ..., erase: _Optional[bool] = ...) -> None: ...

class DeleteFragmentResponse(_message.Message):
    __slots__ = ("revision", "receipt", "deleted")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    deleted: bool
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., deleted: _Optional[bool] = ...) -> None: ...

class ListFragmentsRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "page_size", "page_token", "order", "view", "filter")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    page_size: int
    page_token: str
    order: _listing_pb2.ListOrder
    view: _listing_pb2.RecordView
    filter: _record_filter_pb2.RecordFilter
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., order: _Optional[_Union[_listing_pb2.ListOrder, str]] = ..., view: _Optional[_Union[_listing_pb2.RecordView, str]] = ..., filter: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ...) -> None: ...

class ListFragmentsResponse(_message.Message):
    __slots__ = ("revision", "next_page_token", "total_count", "fragments")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    FRAGMENTS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    next_page_token: str
    total_count: int
    fragments: _containers.RepeatedCompositeFieldContainer[_fragment_pb2.Fragment]
    def __init__(self, revision: _Optional[int] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., fragments: _Optional[_Iterable[_Union[_fragment_pb2.Fragment, _Mapping[str, _Any]]]] = ...) -> None: ...

class SearchFragmentsRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "query", "limit", "filter")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    query: str
    limit: int
    filter: _record_filter_pb2.RecordFilter
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., query: _Optional[str] = ..., limit: _Optional[int] = ..., filter: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ...) -> None: ...

class SearchFragmentsResponse(_message.Message):
    __slots__ = ("revision", "fragments")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    FRAGMENTS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    fragments: _containers.RepeatedCompositeFieldContainer[_fragment_pb2.Fragment]
    def __init__(self, revision: _Optional[int] = ..., fragments: _Optional[_Iterable[_Union[_fragment_pb2.Fragment, _Mapping[str, _Any]]]] = ...) -> None: ...

class CountFragmentsRequest(_message.Message):
    __slots__ = ("agent_id", "consistency")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ...) -> None: ...

class CountFragmentsResponse(_message.Message):
    __slots__ = ("revision", "fragment_count", "flushed_fragment_count", "leased_fragment_count")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    FLUSHED_FRAGMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    LEASED_FRAGMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    fragment_count: int
    flushed_fragment_count: int
    leased_fragment_count: int
    def __init__(self, revision: _Optional[int] = ..., fragment_count: _Optional[int] = ..., flushed_fragment_count: _Optional[int] = ..., leased_fragment_count: _Optional[int] = ...) -> None: ...

class FlushFragmentsRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ...) -> None: ...

class FlushFragmentsResponse(_message.Message):
    __slots__ = ("revision", "flushed_fragment_count")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    FLUSHED_FRAGMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    flushed_fragment_count: int
    def __init__(self, revision: _Optional[int] = ..., flushed_fragment_count: _Optional[int] = ...) -> None: ...

class LeaseFragmentsRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "limit", "lease_duration", "wait_duration")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    LEASE_DURATION_FIELD_NUMBER: _ClassVar[int]
    WAIT_DURATION_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    limit: int
    lease_duration: _duration_pb2.Duration
    wait_duration: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., limit: _Optional[int] = ..., lease_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ..., wait_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ...) -> None: ...

class LeaseFragmentsResponse(_message.Message):
    __slots__ = ("revision", "lease_token", "fragments", "lease_expire_time")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    LEASE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    FRAGMENTS_FIELD_NUMBER: _ClassVar[int]
    LEASE_EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    revision: int
    lease_token: str
    fragments: _containers.RepeatedCompositeFieldContainer[_fragment_pb2.Fragment]
    lease_expire_time: _timestamp_pb2.Timestamp
    def __init__(self, revision: _Optional[int] = ..., lease_token: _Optional[str] = ..., fragments: _Optional[_Iterable[_Union[_fragment_pb2.Fragment, _Mapping[str, _Any]]]] = ..., lease_expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ...) -> None: ...

class RenewFragmentLeaseRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "lease_token", "lease_duration")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    LEASE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LEASE_DURATION_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    lease_token: str
    lease_duration: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., lease_token: _Optional[str] = ..., lease_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping[str, _Any]]] = ...) -> None: ...

class RenewFragmentLeaseResponse(_message.Message):
    __slots__ = ("revision", "lease_token", "fragments", "lease_expire_time")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    LEASE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    FRAGMENTS_FIELD_NUMBER: _ClassVar[int]
    LEASE_EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    revision: int
    lease_token: str
    fragments: _containers.RepeatedCompositeFieldContainer[_fragment_pb2.Fragment]
    lease_expire_time: _timestamp_pb2.Timestamp
    def __init__(self, revision: _Optional[int] = ..., lease_token: _Optional[str] = ..., fragments: _Optional[_Iterable[_Union[_fragment_pb2.Fragment, _Mapping[str, _Any]]]] = ..., lease_expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ...) -> None: ...

class AcknowledgeFragmentsRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "lease_token", "fragment_ids", "erase")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    LEASE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_IDS_FIELD_NUMBER: _ClassVar[int]
    ERASE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    lease_token: str
    fragment_ids: _containers.RepeatedScalarFieldContainer[str]
    erase: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., lease_token: _Optional[str] = ..., fragment_ids: _Optional[_Iterable[str]] = ..., erase: _Optional[bool] = ...) -> None: ...

class AcknowledgeFragmentsResponse(_message.Message):
    __slots__ = ("revision", "receipt", "acknowledged_fragment_count")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    ACKNOWLEDGED_FRAGMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    acknowledged_fragment_count: int
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., acknowledged_fragment_count: _Optional[int] = ...) -> None: ...

class ReleaseFragmentsRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "lease_token", "fragment_ids")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    LEASE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_IDS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    lease_token: str
    fragment_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., lease_token: _Optional[str] = ..., fragment_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ReleaseFragmentsResponse(_message.Message):
    __slots__ = ("revision", "released_fragment_count")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RELEASED_FRAGMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    released_fragment_count: int
    def __init__(self, revision: _Optional[int] = ..., released_fragment_count: _Optional[int] = ...) -> None: ...

class ClearFragmentsRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "erase")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    ERASE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    erase: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., erase: _Optional[bool] = ...) -> None: ...

class ClearFragmentsResponse(_message.Message):
    __slots__ = ("revision", "receipt", "cleared_fragment_count")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FRAGMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    cleared_fragment_count: int
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., cleared_fragment_count: _Optional[int] = ...) -> None: ...
