from google.api import annotations_pb2 as _annotations_pb2
from google.api import field_behavior_pb2 as _field_behavior_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from memoryd.v1 import agent_pb2 as _agent_pb2
from memoryd.v1 import consistency_pb2 as _consistency_pb2
from memoryd.v1 import document_pb2 as _document_pb2
from memoryd.v1 import erasure_pb2 as _erasure_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import listing_pb2 as _listing_pb2
from memoryd.v1 import memory_pb2 as _memory_pb2
from memoryd.v1 import method_policy_pb2 as _method_policy_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from memoryd.v1 import record_filter_pb2 as _record_filter_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateDocumentRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "draft", "text", "data", "url")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    draft: _document_pb2.DocumentDraft
    text: str
    data: bytes
    url: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., draft: _Optional[_Union[_document_pb2.DocumentDraft, _Mapping[str, _Any]]] = ..., text: _Optional[str] = ..., data: _Optional[bytes] = ..., url: _Optional[str] = ...) -> None: ...

class CreateDocumentResponse(_message.Message):
    __slots__ = ("revision", "document")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    document: _document_pb2.Document
    def __init__(self, revision: _Optional[int] = ..., document: _Optional[_Union[_document_pb2.Document, _Mapping[str, _Any]]] = ...) -> None: ...

class UpdateDocumentRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "document_id", "draft", "update_mask", "text", "data", "url")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    document_id: str
    draft: _document_pb2.DocumentDraft
    update_mask: _field_mask_pb2.FieldMask
    text: str
    data: bytes
    url: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., document_id: _Optional[str] = ..., draft: _Optional[_Union[_document_pb2.DocumentDraft, _Mapping[str, _Any]]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping[str, _Any]]] = ..., text: _Optional[str] = ..., data: _Optional[bytes] = ..., url: _Optional[str] = ...) -> None: ...

class UpdateDocumentResponse(_message.Message):
    __slots__ = ("revision", "document", "changed")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    document: _document_pb2.Document
    changed: bool
    def __init__(self, revision: _Optional[int] = ..., document: _Optional[_Union[_document_pb2.Document, _Mapping[str, _Any]]] = ..., changed: _Optional[bool] = ...) -> None: ...

class UploadDocumentHeader(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "create", "update")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    CREATE_FIELD_NUMBER: _ClassVar[int]
    UPDATE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    create: _document_pb2.DocumentDraft
    update: DocumentUpdate
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., create: _Optional[_Union[_document_pb2.DocumentDraft, _Mapping[str, _Any]]] = ..., update: _Optional[_Union[DocumentUpdate, _Mapping[str, _Any]]] = ...) -> None: ...

class DocumentUpdate(_message.Message):
    __slots__ = ("document_id", "draft", "update_mask")
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    draft: _document_pb2.DocumentDraft
    update_mask: _field_mask_pb2.FieldMask
    def __init__(self, document_id: _Optional[str] = ..., draft: _Optional[_Union[_document_pb2.DocumentDraft, _Mapping[str, _Any]]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping[str, _Any]]] = ...) -> None: ...

class UploadDocumentRequest(_message.Message):
    __slots__ = ("header", "data")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    header: UploadDocumentHeader
    data: bytes
    def __init__(self, header: _Optional[_Union[UploadDocumentHeader, _Mapping[str, _Any]]] = ..., data: _Optional[bytes] = ...) -> None: ...

class UploadDocumentResponse(_message.Message):
    __slots__ = ("revision", "document", "changed")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    document: _document_pb2.Document
    changed: bool
    def __init__(self, revision: _Optional[int] = ..., document: _Optional[_Union[_document_pb2.Document, _Mapping[str, _Any]]] = ..., changed: _Optional[bool] = ...) -> None: ...

class GetDocumentRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "document_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    document_id: str
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., document_id: _Optional[str] = ...) -> None: ...

class GetDocumentResponse(_message.Message):
    __slots__ = ("revision", "document")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    revision: int
    document: _document_pb2.Document
    def __init__(self, revision: _Optional[int] = ..., document: _Optional[_Union[_document_pb2.Document, _Mapping[str, _Any]]] = ...) -> None: ...

class ListDocumentsRequest(_message.Message):
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

class ListDocumentsResponse(_message.Message):
    __slots__ = ("revision", "next_page_token", "total_count", "documents")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    next_page_token: str
    total_count: int
    documents: _containers.RepeatedCompositeFieldContainer[_document_pb2.Document]
    def __init__(self, revision: _Optional[int] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., documents: _Optional[_Iterable[_Union[_document_pb2.Document, _Mapping[str, _Any]]]] = ...) -> None: ...

class GetDocumentChunkRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "document_id", "number")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    document_id: str
    number: int
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., document_id: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class GetDocumentChunkResponse(_message.Message):
    __slots__ = ("revision", "chunk")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    revision: int
    chunk: _document_pb2.DocumentChunk
    def __init__(self, revision: _Optional[int] = ..., chunk: _Optional[_Union[_document_pb2.DocumentChunk, _Mapping[str, _Any]]] = ...) -> None: ...

class ListDocumentChunksRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "page_size", "page_token", "order", "view", "document_id", "first_number")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    FIRST_NUMBER_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    page_size: int
    page_token: str
    order: _listing_pb2.ListOrder
    view: _listing_pb2.RecordView
    document_id: str
    first_number: int
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., order: _Optional[_Union[_listing_pb2.ListOrder, str]] = ..., view: _Optional[_Union[_listing_pb2.RecordView, str]] = ..., document_id: _Optional[str] = ..., first_number: _Optional[int] = ...) -> None: ...

class ListDocumentChunksResponse(_message.Message):
    __slots__ = ("revision", "next_page_token", "total_count", "chunks")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    CHUNKS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    next_page_token: str
    total_count: int
    chunks: _containers.RepeatedCompositeFieldContainer[_document_pb2.DocumentChunk]
    def __init__(self, revision: _Optional[int] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ..., chunks: _Optional[_Iterable[_Union[_document_pb2.DocumentChunk, _Mapping[str, _Any]]]] = ...) -> None: ...

class DeleteDocumentRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "precondition", "agent_precondition", "document_id", "erase")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    ERASE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    precondition: _precondition_pb2.Precondition
    agent_precondition: _precondition_pb2.Precondition
    document_id: str
    erase: bool
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., document_id: _Optional[str] = ..., erase: _Optional[bool] = ...) -> None: ...

class DeleteDocumentResponse(_message.Message):
    __slots__ = ("revision", "receipt", "deleted")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    revision: int
    receipt: _erasure_pb2.ErasureReceipt
    deleted: bool
    def __init__(self, revision: _Optional[int] = ..., receipt: _Optional[_Union[_erasure_pb2.ErasureReceipt, _Mapping[str, _Any]]] = ..., deleted: _Optional[bool] = ...) -> None: ...

class SearchDocumentsRequest(_message.Message):
    __slots__ = ("agent_id", "consistency", "query", "limit", "min_score", "embedding", "filter", "further_agent_ids")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    MIN_SCORE_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    FURTHER_AGENT_IDS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    consistency: _consistency_pb2.Consistency
    query: str
    limit: int
    min_score: float
    embedding: _memory_pb2.Embedding
    filter: _record_filter_pb2.RecordFilter
    further_agent_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, agent_id: _Optional[str] = ..., consistency: _Optional[_Union[_consistency_pb2.Consistency, _Mapping[str, _Any]]] = ..., query: _Optional[str] = ..., limit: _Optional[int] = ..., min_score: _Optional[float] = ..., embedding: _Optional[_Union[_memory_pb2.Embedding, _Mapping[str, _Any]]] = ..., filter: _Optional[_Union[_record_filter_pb2.RecordFilter, _Mapping[str, _Any]]] = ..., further_agent_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ScoredDocumentChunk(_message.Message):
    __slots__ = ("chunk", "title", "score", "lexical_score", "semantic_score", "matched_words", "agent_id")
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    LEXICAL_SCORE_FIELD_NUMBER: _ClassVar[int]
    SEMANTIC_SCORE_FIELD_NUMBER: _ClassVar[int]
    MATCHED_WORDS_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    chunk: _document_pb2.DocumentChunk
    title: str
    score: float
    lexical_score: float
    semantic_score: float
    matched_words: _containers.RepeatedScalarFieldContainer[str]
    agent_id: str
    def __init__(self, chunk: _Optional[_Union[_document_pb2.DocumentChunk, _Mapping[str, _Any]]] = ..., title: _Optional[str] = ..., score: _Optional[float] = ..., lexical_score: _Optional[float] = ..., semantic_score: _Optional[float] = ..., matched_words: _Optional[_Iterable[str]] = ..., agent_id: _Optional[str] = ...) -> None: ...

class SearchDocumentsResponse(_message.Message):
    __slots__ = ("revision", "chunks", "match_count", "semantic_used", "further_revisions")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CHUNKS_FIELD_NUMBER: _ClassVar[int]
    MATCH_COUNT_FIELD_NUMBER: _ClassVar[int]
    SEMANTIC_USED_FIELD_NUMBER: _ClassVar[int]
    FURTHER_REVISIONS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    chunks: _containers.RepeatedCompositeFieldContainer[ScoredDocumentChunk]
    match_count: int
    semantic_used: bool
    further_revisions: _containers.RepeatedCompositeFieldContainer[_agent_pb2.AgentRevision]
    def __init__(self, revision: _Optional[int] = ..., chunks: _Optional[_Iterable[_Union[ScoredDocumentChunk, _Mapping[str, _Any]]]] = ..., match_count: _Optional[int] = ..., semantic_used: _Optional[bool] = ..., further_revisions: _Optional[_Iterable[_Union[_agent_pb2.AgentRevision, _Mapping[str, _Any]]]] = ...) -> None: ...
