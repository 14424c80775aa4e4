"""The methods of the daemon that this client calls. The protos' ``idempotency_level`` says which may be repeated."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.message import Message

from memoryd.v1 import agent_service_pb2 as agent
from memoryd.v1 import context_service_pb2 as context
from memoryd.v1 import document_service_pb2 as document
from memoryd.v1 import entity_service_pb2 as entity
from memoryd.v1 import event_service_pb2 as event
from memoryd.v1 import fragment_service_pb2 as fragment
from memoryd.v1 import long_term_memory_service_pb2 as memory
from memoryd.v1 import note_service_pb2 as note
from memoryd.v1 import plan_service_pb2 as plan
from memoryd.v1 import server_service_pb2 as server
from memoryd.v1 import snapshot_service_pb2 as snapshot
from memoryd.v1 import working_memory_service_pb2 as working_memory

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response", bound=Message)


@dataclass(frozen=True, slots=True)
class Method(Generic[Request, Response]):
    """One method: its name and messages. If ``repeatable`` is true, a failed call may be sent again."""

    service: str
    name: str
    request_type: type[Request]
    response_type: type[Response]
    repeatable: bool

    @property
    def path(self) -> str:
        """The path of the method on the wire."""
        return f"/{self.service}/{self.name}"


def _method(service: str, request_type: type[Request], response_type: type[Response]) -> Method[Request, Response]:
    request = request_type.DESCRIPTOR
    method = request.file.services_by_name[service].methods_by_name[request.name.removesuffix("Request")]
    repeatable = method.GetOptions().idempotency_level != MethodOptions.IDEMPOTENCY_UNKNOWN
    return Method(method.containing_service.full_name, method.name, request_type, response_type, repeatable)


_W = "WorkingMemoryService"
SET_ENTRY = _method(_W, working_memory.SetEntryRequest, working_memory.SetEntryResponse)
GET_ENTRY = _method(_W, working_memory.GetEntryRequest, working_memory.GetEntryResponse)
GET_OR_SET_ENTRY = _method(_W, working_memory.GetOrSetEntryRequest, working_memory.GetOrSetEntryResponse)
RESERVE_ENTRY = _method(_W, working_memory.ReserveEntryRequest, working_memory.ReserveEntryResponse)
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
STORE_FRAGMENT = _method(_F, fragment.StoreFragmentRequest, fragment.StoreFragmentResponse)
GET_FRAGMENT = _method(_F, fragment.GetFragmentRequest, fragment.GetFragmentResponse)
DELETE_FRAGMENT = _method(_F, fragment.DeleteFragmentRequest, fragment.DeleteFragmentResponse)
SEARCH_FRAGMENTS = _method(_F, fragment.SearchFragmentsRequest, fragment.SearchFragmentsResponse)
LIST_RECENT_FRAGMENTS = _method(_F, fragment.ListRecentFragmentsRequest, fragment.ListRecentFragmentsResponse)
COUNT_FRAGMENTS = _method(_F, fragment.CountFragmentsRequest, fragment.CountFragmentsResponse)
CLEAR_FRAGMENTS = _method(_F, fragment.ClearFragmentsRequest, fragment.ClearFragmentsResponse)
LEASE_FRAGMENTS = _method(_F, fragment.LeaseFragmentsRequest, fragment.LeaseFragmentsResponse)
ACKNOWLEDGE_FRAGMENTS = _method(_F, fragment.AcknowledgeFragmentsRequest, fragment.AcknowledgeFragmentsResponse)
FLUSH_FRAGMENTS = _method(_F, fragment.FlushFragmentsRequest, fragment.FlushFragmentsResponse)

_L = "LongTermMemoryService"
CREATE_MEMORY = _method(_L, memory.CreateMemoryRequest, memory.CreateMemoryResponse)
BATCH_CREATE_MEMORIES = _method(_L, memory.BatchCreateMemoriesRequest, memory.BatchCreateMemoriesResponse)
GET_MEMORY = _method(_L, memory.GetMemoryRequest, memory.GetMemoryResponse)
UPDATE_MEMORY = _method(_L, memory.UpdateMemoryRequest, memory.UpdateMemoryResponse)
LIST_MEMORIES = _method(_L, memory.ListMemoriesRequest, memory.ListMemoriesResponse)
RECALL_MEMORIES = _method(_L, memory.RecallMemoriesRequest, memory.RecallMemoriesResponse)
REINFORCE_MEMORY = _method(_L, memory.ReinforceMemoryRequest, memory.ReinforceMemoryResponse)
FORGET_MEMORY = _method(_L, memory.ForgetMemoryRequest, memory.ForgetMemoryResponse)
PURGE_MEMORY = _method(_L, memory.PurgeMemoryRequest, memory.PurgeMemoryResponse)
LINK_MEMORIES = _method(_L, memory.LinkMemoriesRequest, memory.LinkMemoriesResponse)
UNLINK_MEMORIES = _method(_L, memory.UnlinkMemoriesRequest, memory.UnlinkMemoriesResponse)
LIST_LINKS = _method(_L, memory.ListLinksRequest, memory.ListLinksResponse)
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
UPDATE_STEP = _method(_P, plan.UpdateStepRequest, plan.UpdateStepResponse)
ADD_STEP = _method(_P, plan.AddStepRequest, plan.AddStepResponse)
ADD_CONTEXT_NOTE = _method(_P, plan.AddContextNoteRequest, plan.AddContextNoteResponse)
COMPLETE_PLAN = _method(_P, plan.CompletePlanRequest, plan.CompletePlanResponse)
DELETE_PLAN = _method(_P, plan.DeletePlanRequest, plan.DeletePlanResponse)

_C = "ContextService"
APPEND_MESSAGES = _method(_C, context.AppendMessagesRequest, context.AppendMessagesResponse)
LIST_MESSAGES = _method(_C, context.ListMessagesRequest, context.ListMessagesResponse)
LIST_CONVERSATIONS = _method(_C, context.ListConversationsRequest, context.ListConversationsResponse)
DELETE_CONVERSATION = _method(_C, context.DeleteConversationRequest, context.DeleteConversationResponse)
COMPOSE_CONTEXT = _method(_C, context.ComposeContextRequest, context.ComposeContextResponse)
COMPACT_MESSAGES = _method(_C, context.CompactMessagesRequest, context.CompactMessagesResponse)
COUNT_TOKENS = _method(_C, context.CountTokensRequest, context.CountTokensResponse)

_D = "DocumentService"
ADD_DOCUMENT = _method(_D, document.AddDocumentRequest, document.AddDocumentResponse)
UPLOAD_DOCUMENT = _method(_D, document.UploadDocumentRequest, document.UploadDocumentResponse)
GET_DOCUMENT = _method(_D, document.GetDocumentRequest, document.GetDocumentResponse)
LIST_DOCUMENTS = _method(_D, document.ListDocumentsRequest, document.ListDocumentsResponse)
LIST_CHUNKS = _method(_D, document.ListChunksRequest, document.ListChunksResponse)
DELETE_DOCUMENT = _method(_D, document.DeleteDocumentRequest, document.DeleteDocumentResponse)
SEARCH_DOCUMENTS = _method(_D, document.SearchDocumentsRequest, document.SearchDocumentsResponse)

_ENTITY = "EntityService"
ADD_ENTITIES = _method(_ENTITY, entity.AddEntitiesRequest, entity.AddEntitiesResponse)
EXTRACT_ENTITIES = _method(_ENTITY, entity.ExtractEntitiesRequest, entity.ExtractEntitiesResponse)
LIST_RECENT_ENTITIES = _method(_ENTITY, entity.ListRecentEntitiesRequest, entity.ListRecentEntitiesResponse)
CLEAR_ENTITIES = _method(_ENTITY, entity.ClearEntitiesRequest, entity.ClearEntitiesResponse)

_A = "AgentService"
GET_AGENT = _method(_A, agent.GetAgentRequest, agent.GetAgentResponse)
LIST_AGENTS = _method(_A, agent.ListAgentsRequest, agent.ListAgentsResponse)
GET_AGENT_STATS = _method(_A, agent.GetAgentStatsRequest, agent.GetAgentStatsResponse)
CLEAR_AGENT = _method(_A, agent.ClearAgentRequest, agent.ClearAgentResponse)
END_AGENT = _method(_A, agent.EndAgentRequest, agent.EndAgentResponse)

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

GET_SERVER_INFO = _method("ServerService", server.GetServerInfoRequest, server.GetServerInfoResponse)

METHODS = tuple(found for found in globals().values() if isinstance(found, Method))
