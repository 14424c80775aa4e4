import datetime

from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PlanStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PLAN_STATUS_UNSPECIFIED: _ClassVar[PlanStatus]
    PLAN_STATUS_IN_PROGRESS: _ClassVar[PlanStatus]
    PLAN_STATUS_COMPLETED: _ClassVar[PlanStatus]
    PLAN_STATUS_REPLACED: _ClassVar[PlanStatus]

class PlanStepStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PLAN_STEP_STATUS_UNSPECIFIED: _ClassVar[PlanStepStatus]
    PLAN_STEP_STATUS_PENDING: _ClassVar[PlanStepStatus]
    PLAN_STEP_STATUS_IN_PROGRESS: _ClassVar[PlanStepStatus]
    PLAN_STEP_STATUS_COMPLETED: _ClassVar[PlanStepStatus]
    PLAN_STEP_STATUS_BLOCKED: _ClassVar[PlanStepStatus]
PLAN_STATUS_UNSPECIFIED: PlanStatus
PLAN_STATUS_IN_PROGRESS: PlanStatus
PLAN_STATUS_COMPLETED: PlanStatus
PLAN_STATUS_REPLACED: PlanStatus
PLAN_STEP_STATUS_UNSPECIFIED: PlanStepStatus
PLAN_STEP_STATUS_PENDING: PlanStepStatus
PLAN_STEP_STATUS_IN_PROGRESS: PlanStepStatus
PLAN_STEP_STATUS_COMPLETED: PlanStepStatus
PLAN_STEP_STATUS_BLOCKED: PlanStepStatus

class Plan(_message.Message):
    __slots__ = ("plan_id", "agent_id", "revision", "create_time", "update_time", "user_id", "tags", "metadata", "conversation_id", "goal", "steps", "notes", "status", "end_time")
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    GOAL_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    plan_id: str
    agent_id: str
    revision: int
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    user_id: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    conversation_id: str
    goal: str
    steps: _containers.RepeatedCompositeFieldContainer[PlanStep]
    notes: _containers.RepeatedCompositeFieldContainer[PlanNote]
    status: PlanStatus
    end_time: _timestamp_pb2.Timestamp
    def __init__(self, plan_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., revision: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., user_id: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., goal: _Optional[str] = ..., steps: _Optional[_Iterable[_Union[PlanStep, _Mapping[str, _Any]]]] = ..., notes: _Optional[_Iterable[_Union[PlanNote, _Mapping[str, _Any]]]] = ..., status: _Optional[_Union[PlanStatus, str]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ...) -> None: ...

class PlanDraft(_message.Message):
    __slots__ = ("plan_id", "user_id", "tags", "metadata", "conversation_id", "goal", "steps", "template_plan_ids")
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    GOAL_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    TEMPLATE_PLAN_IDS_FIELD_NUMBER: _ClassVar[int]
    plan_id: str
    user_id: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    conversation_id: str
    goal: str
    steps: _containers.RepeatedCompositeFieldContainer[PlanStepDraft]
    template_plan_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, plan_id: _Optional[str] = ..., user_id: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., goal: _Optional[str] = ..., steps: _Optional[_Iterable[_Union[PlanStepDraft, _Mapping[str, _Any]]]] = ..., template_plan_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class PlanStep(_message.Message):
    __slots__ = ("step_id", "description", "status", "notes", "create_time", "update_time", "revision")
    STEP_ID_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    step_id: str
    description: str
    status: PlanStepStatus
    notes: str
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    revision: int
    def __init__(self, step_id: _Optional[str] = ..., description: _Optional[str] = ..., status: _Optional[_Union[PlanStepStatus, str]] = ..., notes: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ..., revision: _Optional[int] = ...) -> None: ...

class PlanStepDraft(_message.Message):
    __slots__ = ("description", "status", "notes")
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    description: str
    status: PlanStepStatus
    notes: str
    def __init__(self, description: _Optional[str] = ..., status: _Optional[_Union[PlanStepStatus, str]] = ..., notes: _Optional[str] = ...) -> None: ...

class PlanNote(_message.Message):
    __slots__ = ("text", "create_time")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    text: str
    create_time: _timestamp_pb2.Timestamp
    def __init__(self, text: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, _Any]]] = ...) -> None: ...
