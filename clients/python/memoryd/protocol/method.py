"""The methods of the daemon that this client calls. The protos' ``idempotency_level`` says which may be repeated."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.message import Message

from memoryd.v1 import agent_service_pb2 as agent
from memoryd.v1 import context_service_pb2 as context
from memoryd.v1 import conversation_service_pb2 as conversation
from memoryd.v1 import document_service_pb2 as document
from memoryd.v1 import entity_service_pb2 as entity
from memoryd.v1 import event_service_pb2 as event
from memoryd.v1 import fragment_service_pb2 as fragment
from memoryd.v1 import long_term_memory_service_pb2 as memory
from memoryd.v1 import note_service_pb2 as note
from memoryd.v1 import operation_service_pb2 as operation
from memoryd.v1 import plan_service_pb2 as plan
from memoryd.v1 import server_service_pb2 as server
from memoryd.v1 import snapshot_service_pb2 as snapshot
from memoryd.v1 import transaction_service_pb2 as transaction
from memoryd.v1 import working_memory_service_pb2 as working_memory

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response", bound=Message)


@dataclass(frozen=True, slots=True)
class Method(Generic[Request, Response]):
    """One method: its name and messages. If ``repeatable`` is true, a failed call may be sent again.

    ``reads`` is true if a call changes nothing.
    """

    service: str
    name: str
    request_type: type[Request]
    response_type: type[Response]
    repeatable: bool
    reads: bool

    @property
    def path(self) -> str:
        """The path of the method on the wire."""
        return f"/{self.service}/{self.name}"


def _method(service: str, request_type: type[Request], response_type: type[Response]) -> Method[Request, Response]:
    request = request_type.DESCRIPTOR
    method = request.file.services_by_name[service].methods_by_name[request.name.removesuffix("Request")]
    level = method.GetOptions().idempotency_level
    repeatable, reads = level != MethodOptions.IDEMPOTENCY_UNKNOWN, level == MethodOptions.NO_SIDE_EFFECTS
    return Method(method.containing_service.full_name, method.name, request_type, response_type, repeatable, reads)


_W = "WorkingMemoryService"
SET_ENTRY = _method(_W, working_memory.SetEntryRequest, working_memory.SetEntryResponse)
GET_ENTRY = _method(_W, working_memory.GetEntryRequest, working_memory.GetEntryResponse)
GET_OR_SET_ENTRY = _method(_W, working_memory.GetOrSetEntryRequest, working_memory.GetOrSetEntryResponse)
RESERVE_ENTRY = _method(_W, working_memory.ReserveEntryRequest, working_memory.ReserveEntryResponse)
RENEW_RESERVATION = _method(_W, working_memory.RenewReservationRequest, working_memory.RenewReservationResponse)
RELEASE_RESERVATION = _method(_W, working_memory.ReleaseReservationRequest, working_memory.ReleaseReservationResponse)
CONTAINS_ENTRY = _method(_W, working_memory.ContainsEntryRequest, working_memory.ContainsEntryResponse)
REMOVE_ENTRY = _method(_W, working_memory.RemoveEntryRequest, working_memory.RemoveEntryResponse)
LIST_ENTRIES = _method(_W, working_memory.ListEntriesRequest, working_memory.ListEntriesResponse)
CLEAR_ENTRIES = _method(_W, working_memory.ClearEntriesRequest, working_memory.ClearEntriesResponse)
BATCH_GET_ENTRIES = _method(_W, working_memory.BatchGetEntriesRequest, working_memory.BatchGetEntriesResponse)
BATCH_WRITE_ENTRIES = _method(_W, working_memory.BatchWriteEntriesRequest, working_memory.BatchWriteEntriesResponse)
CREATE_SCOPE = _method(_W, working_memory.CreateScopeRequest, working_memory.CreateScopeResponse)
GET_SCOPE = _method(_W, working_memory.GetScopeRequest, working_memory.GetScopeResponse)
LIST_SCOPES = _method(_W, working_memory.ListScopesRequest, working_memory.ListScopesResponse)
MERGE_SCOPE = _method(_W, working_memory.MergeScopeRequest, working_memory.MergeScopeResponse)
DISPOSE_SCOPE = _method(_W, working_memory.DisposeScopeRequest, working_memory.DisposeScopeResponse)

_F = "FragmentService"
CREATE_FRAGMENT = _method(_F, fragment.CreateFragmentRequest, fragment.CreateFragmentResponse)
GET_FRAGMENT = _method(_F, fragment.GetFragmentRequest, fragment.GetFragmentResponse)
DELETE_FRAGMENT = _method(_F, fragment.DeleteFragmentRequest, fragment.DeleteFragmentResponse)
SEARCH_FRAGMENTS = _method(_F, fragment.SearchFragmentsRequest, fragment.SearchFragmentsResponse)
LIST_FRAGMENTS = _method(_F, fragment.ListFragmentsRequest, fragment.ListFragmentsResponse)
COUNT_FRAGMENTS = _method(_F, fragment.CountFragmentsRequest, fragment.CountFragmentsResponse)
CLEAR_FRAGMENTS = _method(_F, fragment.ClearFragmentsRequest, fragment.ClearFragmentsResponse)
LEASE_FRAGMENTS = _method(_F, fragment.LeaseFragmentsRequest, fragment.LeaseFragmentsResponse)
RENEW_FRAGMENT_LEASE = _method(_F, fragment.RenewFragmentLeaseRequest, fragment.RenewFragmentLeaseResponse)
ACKNOWLEDGE_FRAGMENTS = _method(_F, fragment.AcknowledgeFragmentsRequest, fragment.AcknowledgeFragmentsResponse)
RELEASE_FRAGMENTS = _method(_F, fragment.ReleaseFragmentsRequest, fragment.ReleaseFragmentsResponse)
FLUSH_FRAGMENTS = _method(_F, fragment.FlushFragmentsRequest, fragment.FlushFragmentsResponse)

_L = "LongTermMemoryService"
CREATE_MEMORY = _method(_L, memory.CreateMemoryRequest, memory.CreateMemoryResponse)
BATCH_CREATE_MEMORIES = _method(_L, memory.BatchCreateMemoriesRequest, memory.BatchCreateMemoriesResponse)
INGEST_CONVERSATION = _method(_L, memory.IngestConversationRequest, memory.IngestConversationResponse)
PROPOSE_MEMORIES = _method(_L, memory.ProposeMemoriesRequest, memory.ProposeMemoriesResponse)
LIST_MEMORY_PROPOSALS = _method(_L, memory.ListMemoryProposalsRequest, memory.ListMemoryProposalsResponse)
ACCEPT_MEMORY_PROPOSALS = _method(_L, memory.AcceptMemoryProposalsRequest, memory.AcceptMemoryProposalsResponse)
REJECT_MEMORY_PROPOSALS = _method(_L, memory.RejectMemoryProposalsRequest, memory.RejectMemoryProposalsResponse)
GET_MEMORY = _method(_L, memory.GetMemoryRequest, memory.GetMemoryResponse)
BATCH_GET_MEMORIES = _method(_L, memory.BatchGetMemoriesRequest, memory.BatchGetMemoriesResponse)
UPDATE_MEMORY = _method(_L, memory.UpdateMemoryRequest, memory.UpdateMemoryResponse)
LIST_MEMORIES = _method(_L, memory.ListMemoriesRequest, memory.ListMemoriesResponse)
RECALL_MEMORIES = _method(_L, memory.RecallMemoriesRequest, memory.RecallMemoriesResponse)
REINFORCE_MEMORY = _method(_L, memory.ReinforceMemoryRequest, memory.ReinforceMemoryResponse)
FORGET_MEMORY = _method(_L, memory.ForgetMemoryRequest, memory.ForgetMemoryResponse)
BATCH_FORGET_MEMORIES = _method(_L, memory.BatchForgetMemoriesRequest, memory.BatchForgetMemoriesResponse)
RESTORE_MEMORY = _method(_L, memory.RestoreMemoryRequest, memory.RestoreMemoryResponse)
PURGE_MEMORY = _method(_L, memory.PurgeMemoryRequest, memory.PurgeMemoryResponse)
LINK_MEMORIES = _method(_L, memory.LinkMemoriesRequest, memory.LinkMemoriesResponse)
UNLINK_MEMORIES = _method(_L, memory.UnlinkMemoriesRequest, memory.UnlinkMemoriesResponse)
GET_MEMORY_LINK = _method(_L, memory.GetMemoryLinkRequest, memory.GetMemoryLinkResponse)
LIST_MEMORY_LINKS = _method(_L, memory.ListMemoryLinksRequest, memory.ListMemoryLinksResponse)
REEMBED_MEMORIES = _method(_L, memory.ReembedMemoriesRequest, memory.ReembedMemoriesResponse)

_N = "NoteService"
CREATE_NOTE = _method(_N, note.CreateNoteRequest, note.CreateNoteResponse)
GET_NOTE = _method(_N, note.GetNoteRequest, note.GetNoteResponse)
UPDATE_NOTE = _method(_N, note.UpdateNoteRequest, note.UpdateNoteResponse)
DELETE_NOTE = _method(_N, note.DeleteNoteRequest, note.DeleteNoteResponse)
LIST_NOTES = _method(_N, note.ListNotesRequest, note.ListNotesResponse)

_P = "PlanService"
CREATE_PLAN = _method(_P, plan.CreatePlanRequest, plan.CreatePlanResponse)
GET_PLAN = _method(_P, plan.GetPlanRequest, plan.GetPlanResponse)
LIST_PLANS = _method(_P, plan.ListPlansRequest, plan.ListPlansResponse)
UPDATE_PLAN = _method(_P, plan.UpdatePlanRequest, plan.UpdatePlanResponse)
COMPLETE_PLAN = _method(_P, plan.CompletePlanRequest, plan.CompletePlanResponse)
REOPEN_PLAN = _method(_P, plan.ReopenPlanRequest, plan.ReopenPlanResponse)
DELETE_PLAN = _method(_P, plan.DeletePlanRequest, plan.DeletePlanResponse)
ADD_PLAN_STEP = _method(_P, plan.AddPlanStepRequest, plan.AddPlanStepResponse)
UPDATE_PLAN_STEP = _method(_P, plan.UpdatePlanStepRequest, plan.UpdatePlanStepResponse)
MOVE_PLAN_STEP = _method(_P, plan.MovePlanStepRequest, plan.MovePlanStepResponse)
REMOVE_PLAN_STEP = _method(_P, plan.RemovePlanStepRequest, plan.RemovePlanStepResponse)
ADD_PLAN_NOTE = _method(_P, plan.AddPlanNoteRequest, plan.AddPlanNoteResponse)

_T = "ConversationService"
CREATE_CONVERSATION = _method(_T, conversation.CreateConversationRequest, conversation.CreateConversationResponse)
GET_CONVERSATION = _method(_T, conversation.GetConversationRequest, conversation.GetConversationResponse)
UPDATE_CONVERSATION = _method(_T, conversation.UpdateConversationRequest, conversation.UpdateConversationResponse)
LIST_CONVERSATIONS = _method(_T, conversation.ListConversationsRequest, conversation.ListConversationsResponse)
DELETE_CONVERSATION = _method(_T, conversation.DeleteConversationRequest, conversation.DeleteConversationResponse)
APPEND_MESSAGES = _method(_T, conversation.AppendMessagesRequest, conversation.AppendMessagesResponse)
GET_MESSAGE = _method(_T, conversation.GetMessageRequest, conversation.GetMessageResponse)
LIST_MESSAGES = _method(_T, conversation.ListMessagesRequest, conversation.ListMessagesResponse)
TRUNCATE_MESSAGES = _method(_T, conversation.TruncateMessagesRequest, conversation.TruncateMessagesResponse)
COMPACT_MESSAGES = _method(_T, conversation.CompactMessagesRequest, conversation.CompactMessagesResponse)

_C = "ContextService"
COMPOSE_CONTEXT = _method(_C, context.ComposeContextRequest, context.ComposeContextResponse)
COUNT_TOKENS = _method(_C, context.CountTokensRequest, context.CountTokensResponse)

_D = "DocumentService"
CREATE_DOCUMENT = _method(_D, document.CreateDocumentRequest, document.CreateDocumentResponse)
UPDATE_DOCUMENT = _method(_D, document.UpdateDocumentRequest, document.UpdateDocumentResponse)
UPLOAD_DOCUMENT = _method(_D, document.UploadDocumentRequest, document.UploadDocumentResponse)
GET_DOCUMENT = _method(_D, document.GetDocumentRequest, document.GetDocumentResponse)
LIST_DOCUMENTS = _method(_D, document.ListDocumentsRequest, document.ListDocumentsResponse)
GET_DOCUMENT_CHUNK = _method(_D, document.GetDocumentChunkRequest, document.GetDocumentChunkResponse)
LIST_DOCUMENT_CHUNKS = _method(_D, document.ListDocumentChunksRequest, document.ListDocumentChunksResponse)
DELETE_DOCUMENT = _method(_D, document.DeleteDocumentRequest, document.DeleteDocumentResponse)
SEARCH_DOCUMENTS = _method(_D, document.SearchDocumentsRequest, document.SearchDocumentsResponse)

_ENTITY = "EntityService"
ADD_ENTITIES = _method(_ENTITY, entity.AddEntitiesRequest, entity.AddEntitiesResponse)
EXTRACT_ENTITIES = _method(_ENTITY, entity.ExtractEntitiesRequest, entity.ExtractEntitiesResponse)
SET_ENTITIES = _method(_ENTITY, entity.SetEntitiesRequest, entity.SetEntitiesResponse)
GET_ENTITY_WINDOW = _method(_ENTITY, entity.GetEntityWindowRequest, entity.GetEntityWindowResponse)
LIST_ENTITY_WINDOWS = _method(_ENTITY, entity.ListEntityWindowsRequest, entity.ListEntityWindowsResponse)
CLEAR_ENTITIES = _method(_ENTITY, entity.ClearEntitiesRequest, entity.ClearEntitiesResponse)

_A = "AgentService"
GET_AGENT = _method(_A, agent.GetAgentRequest, agent.GetAgentResponse)
UPDATE_AGENT = _method(_A, agent.UpdateAgentRequest, agent.UpdateAgentResponse)
LIST_AGENTS = _method(_A, agent.ListAgentsRequest, agent.ListAgentsResponse)
GET_AGENT_STATS = _method(_A, agent.GetAgentStatsRequest, agent.GetAgentStatsResponse)
CLEAR_AGENT = _method(_A, agent.ClearAgentRequest, agent.ClearAgentResponse)
END_AGENT = _method(_A, agent.EndAgentRequest, agent.EndAgentResponse)
FORGET_USER = _method(_A, agent.ForgetUserRequest, agent.ForgetUserResponse)

_E = "EventService"
WATCH_EVENTS = _method(_E, event.WatchEventsRequest, event.WatchEventsResponse)
LIST_EVENTS = _method(_E, event.ListEventsRequest, event.ListEventsResponse)

_S = "SnapshotService"
CREATE_SNAPSHOT = _method(_S, snapshot.CreateSnapshotRequest, snapshot.CreateSnapshotResponse)
GET_SNAPSHOT = _method(_S, snapshot.GetSnapshotRequest, snapshot.GetSnapshotResponse)
LIST_SNAPSHOTS = _method(_S, snapshot.ListSnapshotsRequest, snapshot.ListSnapshotsResponse)
RESTORE_SNAPSHOT = _method(_S, snapshot.RestoreSnapshotRequest, snapshot.RestoreSnapshotResponse)
DELETE_SNAPSHOT = _method(_S, snapshot.DeleteSnapshotRequest, snapshot.DeleteSnapshotResponse)
EXPORT_SNAPSHOT = _method(_S, snapshot.ExportSnapshotRequest, snapshot.ExportSnapshotResponse)
IMPORT_SNAPSHOT = _method(_S, snapshot.ImportSnapshotRequest, snapshot.ImportSnapshotResponse)
EXPORT_JOURNAL = _method(_S, snapshot.ExportJournalRequest, snapshot.ExportJournalResponse)

_O = "OperationService"
START_OPERATION = _method(_O, operation.StartOperationRequest, operation.StartOperationResponse)
GET_OPERATION = _method(_O, operation.GetOperationRequest, operation.GetOperationResponse)
WAIT_OPERATION = _method(_O, operation.WaitOperationRequest, operation.WaitOperationResponse)
LIST_OPERATIONS = _method(_O, operation.ListOperationsRequest, operation.ListOperationsResponse)
WATCH_OPERATION = _method(_O, operation.WatchOperationRequest, operation.WatchOperationResponse)
CANCEL_OPERATION = _method(_O, operation.CancelOperationRequest, operation.CancelOperationResponse)

COMMIT = _method("TransactionService", transaction.CommitRequest, transaction.CommitResponse)

GET_SERVER_INFO = _method("ServerService", server.GetServerInfoRequest, server.GetServerInfoResponse)
WATCH_AUDIT = _method("ServerService", server.WatchAuditRequest, server.WatchAuditResponse)

METHODS: tuple[Method[Any, Any], ...] = tuple(found for found in globals().values() if isinstance(found, Method))
