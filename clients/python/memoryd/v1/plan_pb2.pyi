import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

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

class PlanStep(_message.Message):
    __slots__ = ("step_id", "description", "status", "notes", "update_time")
    STEP_ID_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    step_id: str
    description: str
    status: PlanStepStatus
    notes: str
    update_time: _timestamp_pb2.Timestamp
    def __init__(self, step_id: _Optional[str] = ..., description: _Optional[str] = ..., status: _Optional[_Union[PlanStepStatus, str]] = ..., notes: _Optional[str] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class PlanContextNote(_message.Message):
    __slots__ = ("text", "time")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    text: str
    time: _timestamp_pb2.Timestamp
    def __init__(self, text: _Optional[str] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Plan(_message.Message):
    __slots__ = ("plan_id", "agent_id", "conversation_id", "goal", "steps", "context_notes", "status", "create_time", "update_time", "end_time", "revision")
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    GOAL_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_NOTES_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    plan_id: str
    agent_id: str
    conversation_id: str
    goal: str
    steps: _containers.RepeatedCompositeFieldContainer[PlanStep]
    context_notes: _containers.RepeatedCompositeFieldContainer[PlanContextNote]
    status: PlanStatus
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    revision: int
    def __init__(self, plan_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., conversation_id: _Optional[str] = ..., goal: _Optional[str] = ..., steps: _Optional[_Iterable[_Union[PlanStep, _Mapping]]] = ..., context_notes: _Optional[_Iterable[_Union[PlanContextNote, _Mapping]]] = ..., status: _Optional[_Union[PlanStatus, str]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...
