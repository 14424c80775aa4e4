import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from memoryd.v1 import agent_pb2 as _agent_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from memoryd.v1 import snapshot_pb2 as _snapshot_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetAgentRequest(_message.Message):
    __slots__ = ("agent_id", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class GetAgentResponse(_message.Message):
    __slots__ = ("agent", "revision")
    AGENT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    agent: _agent_pb2.Agent
    revision: int
    def __init__(self, agent: _Optional[_Union[_agent_pb2.Agent, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class ListAgentsRequest(_message.Message):
    __slots__ = ("agent_id_prefix", "page_size", "page_token")
    AGENT_ID_PREFIX_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    agent_id_prefix: str
    page_size: int
    page_token: str
    def __init__(self, agent_id_prefix: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListAgentsResponse(_message.Message):
    __slots__ = ("agents", "next_page_token")
    AGENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    agents: _containers.RepeatedCompositeFieldContainer[_agent_pb2.Agent]
    next_page_token: str
    def __init__(self, agents: _Optional[_Iterable[_Union[_agent_pb2.Agent, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetAgentStatsRequest(_message.Message):
    __slots__ = ("agent_id", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class GetAgentStatsResponse(_message.Message):
    __slots__ = ("stats", "revision")
    STATS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    stats: _agent_pb2.AgentStats
    revision: int
    def __init__(self, stats: _Optional[_Union[_agent_pb2.AgentStats, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class ClearAgentRequest(_message.Message):
    __slots__ = ("agent_id", "kinds", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    kinds: _containers.RepeatedScalarFieldContainer[_agent_pb2.MemoryKind]
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., kinds: _Optional[_Iterable[_Union[_agent_pb2.MemoryKind, str]]] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class ClearAgentResponse(_message.Message):
    __slots__ = ("entries_cleared", "scopes_disposed", "revision", "fragments_cleared", "memories_cleared", "records_cleared")
    ENTRIES_CLEARED_FIELD_NUMBER: _ClassVar[int]
    SCOPES_DISPOSED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    FRAGMENTS_CLEARED_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_CLEARED_FIELD_NUMBER: _ClassVar[int]
    RECORDS_CLEARED_FIELD_NUMBER: _ClassVar[int]
    entries_cleared: int
    scopes_disposed: int
    revision: int
    fragments_cleared: int
    memories_cleared: int
    records_cleared: int
    def __init__(self, entries_cleared: _Optional[int] = ..., scopes_disposed: _Optional[int] = ..., revision: _Optional[int] = ..., fragments_cleared: _Optional[int] = ..., memories_cleared: _Optional[int] = ..., records_cleared: _Optional[int] = ...) -> None: ...

class EndAgentRequest(_message.Message):
    __slots__ = ("agent_id", "create_snapshot", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CREATE_SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    create_snapshot: bool
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., create_snapshot: _Optional[bool] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class EndAgentResponse(_message.Message):
    __slots__ = ("entries_cleared", "scopes_disposed", "snapshot", "revision", "fragments_cleared", "memories_cleared", "records_cleared")
    ENTRIES_CLEARED_FIELD_NUMBER: _ClassVar[int]
    SCOPES_DISPOSED_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    FRAGMENTS_CLEARED_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_CLEARED_FIELD_NUMBER: _ClassVar[int]
    RECORDS_CLEARED_FIELD_NUMBER: _ClassVar[int]
    entries_cleared: int
    scopes_disposed: int
    snapshot: _snapshot_pb2.Snapshot
    revision: int
    fragments_cleared: int
    memories_cleared: int
    records_cleared: int
    def __init__(self, entries_cleared: _Optional[int] = ..., scopes_disposed: _Optional[int] = ..., snapshot: _Optional[_Union[_snapshot_pb2.Snapshot, _Mapping]] = ..., revision: _Optional[int] = ..., fragments_cleared: _Optional[int] = ..., memories_cleared: _Optional[int] = ..., records_cleared: _Optional[int] = ...) -> None: ...
