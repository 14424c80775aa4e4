from google.api import annotations_pb2 as _annotations_pb2
from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from memoryd.v1 import consistency_pb2 as _consistency_pb2
from memoryd.v1 import erasure_pb2 as _erasure_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import listing_pb2 as _listing_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from memoryd.v1 import plan_pb2 as _plan_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from memoryd.v1 import record_filter_pb2 as _record_filter_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreatePlanRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "draft")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    draft: _plan_pb2.PlanDraft
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., draft: _Optional[_Union[_plan_pb2.PlanDraft, _Mapping[str, _Any]]] = ...) -> None: ...

class CreatePlanResponse(_message.Message):
    __slots__ = ("revision", "plan", "replaced_plan_id")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    REPLACED_PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    revision: int
    plan: _plan_pb2.Plan
    replaced_plan_id: str
    def __init__(self, revision: _Optional[int] = ..., plan: _Optional[_Union[_plan_pb2.Plan, _Mapping[str, _Any]]] = ..., replaced_plan_id: _Optional[str] = ...) -> None: ...

class GetPlanRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "plan_id", "conversation_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    plan_id: str
    conversation_id: str
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., plan_id: _Optional[str] = ..., conversation_id: _Optional[str] = ...) -> None: ...

class GetPlanResponse(_message.Message):
    __slots__ = ("revision", "plan", "prompt_text")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    PROMPT_TEXT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    plan: _plan_pb2.Plan
    prompt_text: str
    def __init__(self, revision: _Optional[int] = ..., plan: _Optional[_Union[_plan_pb2.Plan, _Mapping[str, _Any]]] = ..., prompt_text: _Optional[str] = ...) -> None: ...

class ListPlansRequest(_message.Message):
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

class ListPlansResponse(_message.Message):
    __slots__ = ("revision", "next_page_token", "total_count", "plans")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    PLANS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    next_page_token: str
    total_count: int
    plans: _containers.RepeatedCompositeFieldContainer[_plan_pb2.Plan]
    def __init__(self, revision: _Optional[int] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., plans: _Optional[_Iterable[_Union[_plan_pb2.Plan, _Mapping[str, _Any]]]] = ...) -> None: ...

class UpdatePlanRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "plan_id", "draft", "update_mask", "conversation_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    plan_id: str
    draft: _plan_pb2.PlanDraft
    update_mask: _field_mask_pb2.FieldMask
    conversation_id: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., plan_id: _Optional[str] = ..., draft: _Optional[_Union[_plan_pb2.PlanDraft, _Mapping[str, _Any]]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ...) -> None: ...

class UpdatePlanResponse(_message.Message):
    __slots__ = ("revision", "plan", "changed")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    plan: _plan_pb2.Plan
    changed: bool
    def __init__(self, revision: _Optional[int] = ..., plan: _Optional[_Union[_plan_pb2.Plan, _Mapping[str, _Any]]] = ..., changed: _Optional[bool] = ...) -> None: ...

class CompletePlanRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "plan_id", "conversation_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    plan_id: str
    conversation_id: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., plan_id: _Optional[str] = ..., conversation_id: _Optional[str] = ...) -> None: ...

class CompletePlanResponse(_message.Message):
    __slots__ = ("revision", "plan", "changed")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    plan: _plan_pb2.Plan
    changed: bool
    def __init__(self, revision: _Optional[int] = ..., plan: _Optional[_Union[_plan_pb2.Plan, _Mapping[str, _Any]]] = ..., changed: _Optional[bool] = ...) -> None: ...

class ReopenPlanRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "plan_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    plan_id: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., plan_id: _Optional[str] = ...) -> None: ...

class ReopenPlanResponse(_message.Message):
    __slots__ = ("revision", "plan", "changed", "replaced_plan_id")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    REPLACED_PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    revision: int
    plan: _plan_pb2.Plan
    changed: bool
    replaced_plan_id: str
    def __init__(self, revision: _Optional[int] = ..., plan: _Optional[_Union[_plan_pb2.Plan, _Mapping[str, _Any]]] = ..., changed: _Optional[bool] = ..., replaced_plan_id: _Optional[str] = ...) -> None: ...

class DeletePlanRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "plan_id", "erase")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    ERASE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    plan_id: str
    erase: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., plan_id: _Optional[str] = ..., erase: _Optional[bool] = ...) -> None: ...

class DeletePlanResponse(_message.Message):
    __slots__ = ("revision", "receipt", "deleted")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    deleted: bool
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., deleted: _Optional[bool] = ...) -> None: ...

class AddPlanStepRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "plan_id", "draft", "conversation_id", "before_step_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    BEFORE_STEP_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    plan_id: str
    draft: _plan_pb2.PlanStepDraft
    conversation_id: str
    before_step_id: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., plan_id: _Optional[str] = ..., draft: _Optional[_Union[_plan_pb2.PlanStepDraft, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., before_step_id: _Optional[str] = ...) -> None: ...

class AddPlanStepResponse(_message.Message):
    __slots__ = ("revision", "step", "plan_id")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    revision: int
    step: _plan_pb2.PlanStep
    plan_id: str
    def __init__(self, revision: _Optional[int] = ..., step: _Optional[_Union[_plan_pb2.PlanStep, _Mapping[str, _Any]]] = ..., plan_id: _Optional[str] = ...) -> None: ...

class UpdatePlanStepRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "plan_id", "draft", "update_mask", "conversation_id", "step_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    STEP_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    plan_id: str
    draft: _plan_pb2.PlanStepDraft
    update_mask: _field_mask_pb2.FieldMask
    conversation_id: str
    step_id: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., plan_id: _Optional[str] = ..., draft: _Optional[_Union[_plan_pb2.PlanStepDraft, _Mapping[str, _Any]]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping[str, _Any]]] = ..., conversation_id: _Optional[str] = ..., step_id: _Optional[str] = ...) -> None: ...

class UpdatePlanStepResponse(_message.Message):
    __slots__ = ("revision", "step", "changed", "plan_id")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    revision: int
    step: _plan_pb2.PlanStep
    changed: bool
    plan_id: str
    def __init__(self, revision: _Optional[int] = ..., step: _Optional[_Union[_plan_pb2.PlanStep, _Mapping[str, _Any]]] = ..., changed: _Optional[bool] = ..., plan_id: _Optional[str] = ...) -> None: ...

class MovePlanStepRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "plan_id", "conversation_id", "step_id", "before_step_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    STEP_ID_FIELD_NUMBER: _ClassVar[int]
    BEFORE_STEP_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    plan_id: str
    conversation_id: str
    step_id: str
    before_step_id: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., plan_id: _Optional[str] = ..., conversation_id: _Optional[str] = ..., step_id: _Optional[str] = ..., before_step_id: _Optional[str] = ...) -> None: ...

class MovePlanStepResponse(_message.Message):
    __slots__ = ("revision", "step", "changed", "plan_id")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    revision: int
    step: _plan_pb2.PlanStep
    changed: bool
    plan_id: str
    def __init__(self, revision: _Optional[int] = ..., step: _Optional[_Union[_plan_pb2.PlanStep, _Mapping[str, _Any]]] = ..., changed: _Optional[bool] = ..., plan_id: _Optional[str] = ...) -> None: ...

class RemovePlanStepRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "plan_id", "conversation_id", "step_id", "erase")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    STEP_ID_FIELD_NUMBER: _ClassVar[int]
    ERASE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    plan_id: str
    conversation_id: str
    step_id: str
    erase: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., plan_id: _Optional[str] = ..., conversation_id: _Optional[str] = ..., step_id: _Optional[str] = ..., erase: _Optional[bool] = ...) -> None: ...

class RemovePlanStepResponse(_message.Message):
    __slots__ = ("revision", "receipt", "deleted", "plan_id")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    deleted: bool
    plan_id: str
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., deleted: _Optional[bool] = ..., plan_id: _Optional[str] = ...) -> None: ...

class AddPlanNoteRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "plan_id", "text", "conversation_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    plan_id: str
    text: str
    conversation_id: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., plan_id: _Optional[str] = ..., text: _Optional[str] = ..., conversation_id: _Optional[str] = ...) -> None: ...

class AddPlanNoteResponse(_message.Message):
    __slots__ = ("revision", "note", "plan_id")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    revision: int
    note: _plan_pb2.PlanNote
    plan_id: str
    def __init__(self, revision: _Optional[int] = ..., note: _Optional[_Union[_plan_pb2.PlanNote, _Mapping[str, _Any]]] = ..., plan_id: _Optional[str] = ...) -> None: ...
