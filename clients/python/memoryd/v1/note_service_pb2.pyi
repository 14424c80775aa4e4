import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from memoryd.v1 import note_pb2 as _note_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateNoteRequest(_message.Message):
    __slots__ = ("agent_id", "note_id", "title", "content", "storage_key", "importance", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    NOTE_ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    STORAGE_KEY_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    note_id: str
    title: str
    content: str
    storage_key: str
    importance: float
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., note_id: _Optional[str] = ..., title: _Optional[str] = ..., content: _Optional[str] = ..., storage_key: _Optional[str] = ..., importance: _Optional[float] = ..., request_id: _Optional[str] = ...) -> None: ...

class CreateNoteResponse(_message.Message):
    __slots__ = ("note", "revision")
    NOTE_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    note: _note_pb2.Note
    revision: int
    def __init__(self, note: _Optional[_Union[_note_pb2.Note, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class GetNoteRequest(_message.Message):
    __slots__ = ("agent_id", "note_id", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    NOTE_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    note_id: str
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., note_id: _Optional[str] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class GetNoteResponse(_message.Message):
    __slots__ = ("note", "revision")
    NOTE_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    note: _note_pb2.Note
    revision: int
    def __init__(self, note: _Optional[_Union[_note_pb2.Note, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class UpdateNoteRequest(_message.Message):
    __slots__ = ("agent_id", "note_id", "note", "update_mask", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    NOTE_ID_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    note_id: str
    note: _note_pb2.Note
    update_mask: _field_mask_pb2.FieldMask
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., note_id: _Optional[str] = ..., note: _Optional[_Union[_note_pb2.Note, _Mapping]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class UpdateNoteResponse(_message.Message):
    __slots__ = ("note", "updated", "revision")
    NOTE_FIELD_NUMBER: _ClassVar[int]
    UPDATED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    note: _note_pb2.Note
    updated: bool
    revision: int
    def __init__(self, note: _Optional[_Union[_note_pb2.Note, _Mapping]] = ..., updated: _Optional[bool] = ..., revision: _Optional[int] = ...) -> None: ...

class DeleteNoteRequest(_message.Message):
    __slots__ = ("agent_id", "note_id", "precondition", "request_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    NOTE_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    note_id: str
    precondition: _precondition_pb2.Precondition
    request_id: str
    def __init__(self, agent_id: _Optional[str] = ..., note_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class DeleteNoteResponse(_message.Message):
    __slots__ = ("deleted", "revision")
    DELETED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    deleted: bool
    revision: int
    def __init__(self, deleted: _Optional[bool] = ..., revision: _Optional[int] = ...) -> None: ...

class ListNotesRequest(_message.Message):
    __slots__ = ("agent_id", "storage_key", "page_size", "page_token", "max_staleness")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    STORAGE_KEY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    MAX_STALENESS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    storage_key: str
    page_size: int
    page_token: str
    max_staleness: _duration_pb2.Duration
    def __init__(self, agent_id: _Optional[str] = ..., storage_key: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., max_staleness: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ListNotesResponse(_message.Message):
    __slots__ = ("notes", "next_page_token", "total_count", "revision")
    NOTES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    notes: _containers.RepeatedCompositeFieldContainer[_note_pb2.Note]
    next_page_token: str
    total_count: int
    revision: int
    def __init__(self, notes: _Optional[_Iterable[_Union[_note_pb2.Note, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...
