from google.api import annotations_pb2 as _annotations_pb2
from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from memoryd.v1 import consistency_pb2 as _consistency_pb2
from memoryd.v1 import erasure_pb2 as _erasure_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import listing_pb2 as _listing_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from memoryd.v1 import note_pb2 as _note_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from memoryd.v1 import record_filter_pb2 as _record_filter_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateNoteRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "draft")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    draft: _note_pb2.NoteDraft
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., draft: _Optional[_Union[_note_pb2.NoteDraft, _Mapping[str, _Any]]] = ...) -> None: ...

class CreateNoteResponse(_message.Message):
    __slots__ = ("revision", "note")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    revision: int
    note: _note_pb2.Note
    def __init__(self, revision: _Optional[int] = ..., note: _Optional[_Union[_note_pb2.Note, _Mapping[str, _Any]]] = ...) -> None: ...

class GetNoteRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "note_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    NOTE_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    note_id: str
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., note_id: _Optional[str] = ...) -> None: ...

class GetNoteResponse(_message.Message):
    __slots__ = ("revision", "note")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    revision: int
    note: _note_pb2.Note
    def __init__(self, revision: _Optional[int] = ..., note: _Optional[_Union[_note_pb2.Note, _Mapping[str, _Any]]] = ...) -> None: ...

class UpdateNoteRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "note_id", "draft", "update_mask")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    NOTE_ID_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    note_id: str
    draft: _note_pb2.NoteDraft
    update_mask: _field_mask_pb2.FieldMask
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., note_id: _Optional[str] = ..., draft: _Optional[_Union[_note_pb2.NoteDraft, _Mapping[str, _Any]]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping[str, _Any]]] = ...) -> None: ...

class UpdateNoteResponse(_message.Message):
    __slots__ = ("revision", "note", "changed")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    note: _note_pb2.Note
    changed: bool
    def __init__(self, revision: _Optional[int] = ..., note: _Optional[_Union[_note_pb2.Note, _Mapping[str, _Any]]] = ..., changed: _Optional[bool] = ...) -> None: ...

class DeleteNoteRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "note_id", "erase")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    NOTE_ID_FIELD_NUMBER: _ClassVar[int]
    ERASE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    note_id: str
    erase: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., note_id: _Optional[str] = ..., erase: _Optional[bool] = ...) -> None: ...

class DeleteNoteResponse(_message.Message):
    __slots__ = ("revision", "receipt", "deleted")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    deleted: bool
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., deleted: _Optional[bool] = ...) -> None: ...

class ListNotesRequest(_message.Message):
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

class ListNotesResponse(_message.Message):
    __slots__ = ("revision", "next_page_token", "total_count", "notes")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    revision: int
    next_page_token: str
    total_count: int
    notes: _containers.RepeatedCompositeFieldContainer[_note_pb2.Note]
    def __init__(self, revision: _Optional[int] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., notes: _Optional[_Iterable[_Union[_note_pb2.Note, _Mapping[str, _Any]]]] = ...) -> None: ...
