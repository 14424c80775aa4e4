import datetime

from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import conversation_pb2 as _conversation_pb2
from memoryd.v1 import entry_pb2 as _entry_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import memory_pb2 as _memory_pb2
from memoryd.v1 import plan_pb2 as _plan_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RecordFilter(_message.Message):
    __slots__ = ("ids", "user_ids", "all_users", "all_tags", "any_tags", "metadata", "create_start_time", "create_end_time", "update_start_time", "update_end_time", "conversation_ids", "any_of", "none_of", "entry", "fragment", "memory", "memory_link", "note", "plan", "document", "message")
    IDS_FIELD_NUMBER: _ClassVar[int]
    USER_IDS_FIELD_NUMBER: _ClassVar[int]
    ALL_USERS_FIELD_NUMBER: _ClassVar[int]
    ALL_TAGS_FIELD_NUMBER: _ClassVar[int]
    ANY_TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    CREATE_START_TIME_FIELD_NUMBER: _ClassVar[int]
    CREATE_END_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_START_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_END_TIME_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_IDS_FIELD_NUMBER: _ClassVar[int]
    ANY_OF_FIELD_NUMBER: _ClassVar[int]
    NONE_OF_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    MEMORY_LINK_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    user_ids: _containers.RepeatedScalarFieldContainer[str]
    all_users: bool
    all_tags: _containers.RepeatedScalarFieldContainer[str]
    any_tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _containers.RepeatedCompositeFieldContainer[MetadataCondition]
    create_start_time: _timestamp_pb2.Timestamp
    create_end_time: _timestamp_pb2.Timestamp
    update_start_time: _timestamp_pb2.Timestamp
    update_end_time: _timestamp_pb2.Timestamp
    conversation_ids: _containers.RepeatedScalarFieldContainer[str]
    any_of: _containers.RepeatedCompositeFieldContainer[RecordFilter]
    none_of: _containers.RepeatedCompositeFieldContainer[RecordFilter]
    entry: EntryCondition
    fragment: FragmentCondition
    memory: MemoryCondition
    memory_link: MemoryLinkCondition
    note: NoteCondition
    plan: PlanCondition
    document: DocumentCondition
    message: MessageCondition
    def __init__(self, ids: _Optional[_Iterable[str]] = ..., user_ids: _Optional[_Iterable[str]] = ..., all_users: _Optional[bool] = ..., all_tags: _Optional[_Iterable[str]] = ..., any_tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Iterable[_Union[MetadataCondition, _Mapping[str, _Any]]]] = ..., create_start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., create_end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., update_start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., update_end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., conversation_ids: _Optional[_Iterable[str]] = ..., any_of: _Optional[_Iterable[_Union[RecordFilter, _Mapping[str, _Any]]]] = ..., none_of: _Optional[_Iterable[_Union[RecordFilter, _Mapping[str, _Any]]]] = ..., entry: _Optional[_Union[EntryCondition, _Mapping[str, _Any]]] = ..., fragment: _Optional[_Union[FragmentCondition, _Mapping[str, _Any]]] = ..., memory: _Optional[_Union[MemoryCondition, _Mapping[str, _Any]]] = ..., memory_link: _Optional[_Union[MemoryLinkCondition, _Mapping[str, _Any]]] = ..., note: _Optional[_Union[NoteCondition, _Mapping[str, _Any]]] = ..., plan: _Optional[_Union[PlanCondition, _Mapping[str, _Any]]] = ..., document: _Optional[_Union[DocumentCondition, _Mapping[str, _Any]]] = ..., message: _Optional[_Union[MessageCondition, _Mapping[str, _Any]]] = ...) -> None: ...

class MetadataCondition(_message.Message):
    __slots__ = ("path", "equals", "exists", "range", "any_of", "contains")
    PATH_FIELD_NUMBER: _ClassVar[int]
    EQUALS_FIELD_NUMBER: _ClassVar[int]
    EXISTS_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    ANY_OF_FIELD_NUMBER: _ClassVar[int]
    CONTAINS_FIELD_NUMBER: _ClassVar[int]
    path: str
    equals: _struct_pb2.Value
    exists: bool
    range: MetadataRange
    any_of: _struct_pb2.ListValue
    contains: _struct_pb2.Value
    def __init__(self, path: _Optional[str] = ..., equals: _Optional[_Union[_struct_pb2.Value, _Mapping[str, _Any]]] = ..., exists: _Optional[bool] = ..., range: _Optional[_Union[MetadataRange, _Mapping[str, _Any]]] = ..., any_of: _Optional[_Union[_struct_pb2.ListValue, _Mapping[str, _Any]]] = ..., contains: _Optional[_Union[_struct_pb2.Value, _Mapping[str, _Any]]] = ...) -> None: ...

class MetadataRange(_message.Message):
    __slots__ = ("at_least", "greater_than", "at_most", "less_than")
    AT_LEAST_FIELD_NUMBER: _ClassVar[int]
    GREATER_THAN_FIELD_NUMBER: _ClassVar[int]
    AT_MOST_FIELD_NUMBER: _ClassVar[int]
    LESS_THAN_FIELD_NUMBER: _ClassVar[int]
    at_least: _struct_pb2.Value
    greater_than: _struct_pb2.Value
    at_most: _struct_pb2.Value
    less_than: _struct_pb2.Value
    def __init__(self, at_least: _Optional[_Union[_struct_pb2.Value, _Mapping[str, _Any]]] = ..., greater_than: _Optional[_Union[_struct_pb2.Value, _Mapping[str, _Any]]] = ..., at_most: _Optional[_Union[_struct_pb2.Value, _Mapping[str, _Any]]] = ..., less_than: _Optional[_Union[_struct_pb2.Value, _Mapping[str, _Any]]] = ...) -> None: ...

class EntryCondition(_message.Message):
    __slots__ = ("key_prefixes", "types", "type_names", "min_importance")
    KEY_PREFIXES_FIELD_NUMBER: _ClassVar[int]
    TYPES_FIELD_NUMBER: _ClassVar[int]
    TYPE_NAMES_FIELD_NUMBER: _ClassVar[int]
    MIN_IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    key_prefixes: _containers.RepeatedScalarFieldContainer[str]
    types: _containers.RepeatedScalarFieldContainer[_entry_pb2.EntryType]
    type_names: _containers.RepeatedScalarFieldContainer[str]
    min_importance: float
    def __init__(self, key_prefixes: _Optional[_Iterable[str]] = ..., types: _Optional[_Iterable[_Union[_entry_pb2.EntryType, str]]] = ..., type_names: _Optional[_Iterable[str]] = ..., min_importance: _Optional[float] = ...) -> None: ...

class FragmentCondition(_message.Message):
    __slots__ = ("types", "dynamic_types", "flushed", "min_confidence", "any_participants")
    TYPES_FIELD_NUMBER: _ClassVar[int]
    DYNAMIC_TYPES_FIELD_NUMBER: _ClassVar[int]
    FLUSHED_FIELD_NUMBER: _ClassVar[int]
    MIN_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    ANY_PARTICIPANTS_FIELD_NUMBER: _ClassVar[int]
    types: _containers.RepeatedScalarFieldContainer[str]
    dynamic_types: _containers.RepeatedScalarFieldContainer[str]
    flushed: bool
    min_confidence: float
    any_participants: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, types: _Optional[_Iterable[str]] = ..., dynamic_types: _Optional[_Iterable[str]] = ..., flushed: _Optional[bool] = ..., min_confidence: _Optional[float] = ..., any_participants: _Optional[_Iterable[str]] = ...) -> None: ...

class MemoryCondition(_message.Message):
    __slots__ = ("types", "statuses", "project_ids", "document_ids", "occur_start_time", "occur_end_time", "min_importance", "min_confidence", "min_salience")
    TYPES_FIELD_NUMBER: _ClassVar[int]
    STATUSES_FIELD_NUMBER: _ClassVar[int]
    PROJECT_IDS_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_IDS_FIELD_NUMBER: _ClassVar[int]
    OCCUR_START_TIME_FIELD_NUMBER: _ClassVar[int]
    OCCUR_END_TIME_FIELD_NUMBER: _ClassVar[int]
    MIN_IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    MIN_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    MIN_SALIENCE_FIELD_NUMBER: _ClassVar[int]
    types: _containers.RepeatedScalarFieldContainer[_memory_pb2.MemoryType]
    statuses: _containers.RepeatedScalarFieldContainer[_memory_pb2.MemoryStatus]
    project_ids: _containers.RepeatedScalarFieldContainer[str]
    document_ids: _containers.RepeatedScalarFieldContainer[str]
    occur_start_time: _timestamp_pb2.Timestamp
    occur_end_time: _timestamp_pb2.Timestamp
    min_importance: float
    min_confidence: float
    min_salience: float
    def __init__(self, types: _Optional[_Iterable[_Union[_memory_pb2.MemoryType, str]]] = ..., statuses: _Optional[_Iterable[_Union[_memory_pb2.MemoryStatus, str]]] = ..., project_ids: _Optional[_Iterable[str]] = ..., document_ids: _Optional[_Iterable[str]] = ..., occur_start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., occur_end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., min_importance: _Optional[float] = ..., min_confidence: _Optional[float] = ..., min_salience: _Optional[float] = ...) -> None: ...

class MemoryLinkCondition(_message.Message):
    __slots__ = ("types", "min_strength")
    TYPES_FIELD_NUMBER: _ClassVar[int]
    MIN_STRENGTH_FIELD_NUMBER: _ClassVar[int]
    types: _containers.RepeatedScalarFieldContainer[_memory_pb2.MemoryLinkType]
    min_strength: float
    def __init__(self, types: _Optional[_Iterable[_Union[_memory_pb2.MemoryLinkType, str]]] = ..., min_strength: _Optional[float] = ...) -> None: ...

class NoteCondition(_message.Message):
    __slots__ = ("notebooks", "min_importance")
    NOTEBOOKS_FIELD_NUMBER: _ClassVar[int]
    MIN_IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    notebooks: _containers.RepeatedScalarFieldContainer[str]
    min_importance: float
    def __init__(self, notebooks: _Optional[_Iterable[str]] = ..., min_importance: _Optional[float] = ...) -> None: ...

class PlanCondition(_message.Message):
    __slots__ = ("statuses",)
    STATUSES_FIELD_NUMBER: _ClassVar[int]
    statuses: _containers.RepeatedScalarFieldContainer[_plan_pb2.PlanStatus]
    def __init__(self, statuses: _Optional[_Iterable[_Union[_plan_pb2.PlanStatus, str]]] = ...) -> None: ...

class DocumentCondition(_message.Message):
    __slots__ = ("media_types", "sources")
    MEDIA_TYPES_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    media_types: _containers.RepeatedScalarFieldContainer[str]
    sources: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, media_types: _Optional[_Iterable[str]] = ..., sources: _Optional[_Iterable[str]] = ...) -> None: ...

class MessageCondition(_message.Message):
    __slots__ = ("roles", "names", "min_importance")
    ROLES_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    MIN_IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    roles: _containers.RepeatedScalarFieldContainer[_conversation_pb2.MessageRole]
    names: _containers.RepeatedScalarFieldContainer[str]
    min_importance: float
    def __init__(self, roles: _Optional[_Iterable[_Union[_conversation_pb2.MessageRole, str]]] = ..., names: _Optional[_Iterable[str]] = ..., min_importance: _Optional[float] = ...) -> None: ...
