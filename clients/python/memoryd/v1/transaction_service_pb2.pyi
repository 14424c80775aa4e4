from google.api import annotations_pb2 as _annotations_pb2
from google.api import field_behavior_pb2 as _field_behavior_pb2
from memoryd.v1 import agent_service_pb2 as _agent_service_pb2
from memoryd.v1 import conversation_service_pb2 as _conversation_service_pb2
from memoryd.v1 import document_service_pb2 as _document_service_pb2
from memoryd.v1 import entity_service_pb2 as _entity_service_pb2
from memoryd.v1 import field_policy_pb2 as _field_policy_pb2
from memoryd.v1 import fragment_service_pb2 as _fragment_service_pb2
from memoryd.v1 import long_term_memory_service_pb2 as _long_term_memory_service_pb2
from memoryd.v1 import note_service_pb2 as _note_service_pb2
from memoryd.v1 import plan_service_pb2 as _plan_service_pb2
from memoryd.v1 import precondition_pb2 as _precondition_pb2
from memoryd.v1 import working_memory_service_pb2 as _working_memory_service_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CommitRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "agent_precondition", "writes")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    WRITES_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    agent_precondition: _precondition_pb2.Precondition
    writes: _containers.RepeatedCompositeFieldContainer[Write]
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., agent_precondition: _Optional[_Union[_precondition_pb2.Precondition, _Mapping[str, _Any]]] = ..., writes: _Optional[_Iterable[_Union[Write, _Mapping[str, _Any]]]] = ...) -> None: ...

class CommitResponse(_message.Message):
    __slots__ = ("revision", "results")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    results: _containers.RepeatedCompositeFieldContainer[WriteResult]
    def __init__(self, revision: _Optional[int] = ..., results: _Optional[_Iterable[_Union[WriteResult, _Mapping[str, _Any]]]] = ...) -> None: ...

class Write(_message.Message):
    __slots__ = ("set_entry", "get_or_set_entry", "remove_entry", "clear_entries", "batch_write_entries", "renew_reservation", "release_reservation", "create_scope", "merge_scope", "dispose_scope", "create_fragment", "delete_fragment", "clear_fragments", "flush_fragments", "renew_fragment_lease", "acknowledge_fragments", "release_fragments", "create_memory", "batch_create_memories", "update_memory", "reinforce_memory", "forget_memory", "batch_forget_memories", "restore_memory", "purge_memory", "propose_memories", "accept_memory_proposals", "reject_memory_proposals", "link_memories", "unlink_memories", "create_note", "update_note", "delete_note", "create_plan", "update_plan", "complete_plan", "reopen_plan", "delete_plan", "add_plan_step", "update_plan_step", "move_plan_step", "remove_plan_step", "add_plan_note", "create_conversation", "update_conversation", "delete_conversation", "append_messages", "truncate_messages", "add_entities", "set_entities", "extract_entities", "clear_entities", "create_document", "update_document", "delete_document", "clear_agent", "update_agent")
    SET_ENTRY_FIELD_NUMBER: _ClassVar[int]
    GET_OR_SET_ENTRY_FIELD_NUMBER: _ClassVar[int]
    REMOVE_ENTRY_FIELD_NUMBER: _ClassVar[int]
    CLEAR_ENTRIES_FIELD_NUMBER: _ClassVar[int]
    BATCH_WRITE_ENTRIES_FIELD_NUMBER: _ClassVar[int]
    RENEW_RESERVATION_FIELD_NUMBER: _ClassVar[int]
    RELEASE_RESERVATION_FIELD_NUMBER: _ClassVar[int]
    CREATE_SCOPE_FIELD_NUMBER: _ClassVar[int]
    MERGE_SCOPE_FIELD_NUMBER: _ClassVar[int]
    DISPOSE_SCOPE_FIELD_NUMBER: _ClassVar[int]
    CREATE_FRAGMENT_FIELD_NUMBER: _ClassVar[int]
    DELETE_FRAGMENT_FIELD_NUMBER: _ClassVar[int]
    CLEAR_FRAGMENTS_FIELD_NUMBER: _ClassVar[int]
    FLUSH_FRAGMENTS_FIELD_NUMBER: _ClassVar[int]
    RENEW_FRAGMENT_LEASE_FIELD_NUMBER: _ClassVar[int]
    ACKNOWLEDGE_FRAGMENTS_FIELD_NUMBER: _ClassVar[int]
    RELEASE_FRAGMENTS_FIELD_NUMBER: _ClassVar[int]
    CREATE_MEMORY_FIELD_NUMBER: _ClassVar[int]
    BATCH_CREATE_MEMORIES_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MEMORY_FIELD_NUMBER: _ClassVar[int]
    REINFORCE_MEMORY_FIELD_NUMBER: _ClassVar[int]
    FORGET_MEMORY_FIELD_NUMBER: _ClassVar[int]
    BATCH_FORGET_MEMORIES_FIELD_NUMBER: _ClassVar[int]
    RESTORE_MEMORY_FIELD_NUMBER: _ClassVar[int]
    PURGE_MEMORY_FIELD_NUMBER: _ClassVar[int]
    PROPOSE_MEMORIES_FIELD_NUMBER: _ClassVar[int]
    ACCEPT_MEMORY_PROPOSALS_FIELD_NUMBER: _ClassVar[int]
    REJECT_MEMORY_PROPOSALS_FIELD_NUMBER: _ClassVar[int]
    LINK_MEMORIES_FIELD_NUMBER: _ClassVar[int]
    UNLINK_MEMORIES_FIELD_NUMBER: _ClassVar[int]
    CREATE_NOTE_FIELD_NUMBER: _ClassVar[int]
    UPDATE_NOTE_FIELD_NUMBER: _ClassVar[int]
    DELETE_NOTE_FIELD_NUMBER: _ClassVar[int]
    CREATE_PLAN_FIELD_NUMBER: _ClassVar[int]
    UPDATE_PLAN_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_PLAN_FIELD_NUMBER: _ClassVar[int]
    REOPEN_PLAN_FIELD_NUMBER: _ClassVar[int]
    DELETE_PLAN_FIELD_NUMBER: _ClassVar[int]
    ADD_PLAN_STEP_FIELD_NUMBER: _ClassVar[int]
    UPDATE_PLAN_STEP_FIELD_NUMBER: _ClassVar[int]
    MOVE_PLAN_STEP_FIELD_NUMBER: _ClassVar[int]
    REMOVE_PLAN_STEP_FIELD_NUMBER: _ClassVar[int]
    ADD_PLAN_NOTE_FIELD_NUMBER: _ClassVar[int]
    CREATE_CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    UPDATE_CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    DELETE_CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    APPEND_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    TRUNCATE_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    ADD_ENTITIES_FIELD_NUMBER: _ClassVar[int]
    SET_ENTITIES_FIELD_NUMBER: _ClassVar[int]
    EXTRACT_ENTITIES_FIELD_NUMBER: _ClassVar[int]
    CLEAR_ENTITIES_FIELD_NUMBER: _ClassVar[int]
    CREATE_DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    DELETE_DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    CLEAR_AGENT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_AGENT_FIELD_NUMBER: _ClassVar[int]
    set_entry: _working_memory_service_pb2.SetEntryRequest
    get_or_set_entry: _working_memory_service_pb2.GetOrSetEntryRequest
    remove_entry: _working_memory_service_pb2.RemoveEntryRequest
    clear_entries: _working_memory_service_pb2.ClearEntriesRequest
    batch_write_entries: _working_memory_service_pb2.BatchWriteEntriesRequest
    renew_reservation: _working_memory_service_pb2.RenewReservationRequest
    release_reservation: _working_memory_service_pb2.ReleaseReservationRequest
    create_scope: _working_memory_service_pb2.CreateScopeRequest
    merge_scope: _working_memory_service_pb2.MergeScopeRequest
    dispose_scope: _working_memory_service_pb2.DisposeScopeRequest
    create_fragment: _fragment_service_pb2.CreateFragmentRequest
    delete_fragment: _fragment_service_pb2.DeleteFragmentRequest
    clear_fragments: _fragment_service_pb2.ClearFragmentsRequest
    flush_fragments: _fragment_service_pb2.FlushFragmentsRequest
    renew_fragment_lease: _fragment_service_pb2.RenewFragmentLeaseRequest
    acknowledge_fragments: _fragment_service_pb2.AcknowledgeFragmentsRequest
    release_fragments: _fragment_service_pb2.ReleaseFragmentsRequest
    create_memory: _long_term_memory_service_pb2.CreateMemoryRequest
    batch_create_memories: _long_term_memory_service_pb2.BatchCreateMemoriesRequest
    update_memory: _long_term_memory_service_pb2.UpdateMemoryRequest
    reinforce_memory: _long_term_memory_service_pb2.ReinforceMemoryRequest
    forget_memory: _long_term_memory_service_pb2.ForgetMemoryRequest
    batch_forget_memories: _long_term_memory_service_pb2.BatchForgetMemoriesRequest
    restore_memory: _long_term_memory_service_pb2.RestoreMemoryRequest
    purge_memory: _long_term_memory_service_pb2.PurgeMemoryRequest
    propose_memories: _long_term_memory_service_pb2.ProposeMemoriesRequest
    accept_memory_proposals: _long_term_memory_service_pb2.AcceptMemoryProposalsRequest
    reject_memory_proposals: _long_term_memory_service_pb2.RejectMemoryProposalsRequest
    link_memories: _long_term_memory_service_pb2.LinkMemoriesRequest
    unlink_memories: _long_term_memory_service_pb2.UnlinkMemoriesRequest
    create_note: _note_service_pb2.CreateNoteRequest
    update_note: _note_service_pb2.UpdateNoteRequest
    delete_note: _note_service_pb2.DeleteNoteRequest
    create_plan: _plan_service_pb2.CreatePlanRequest
    update_plan: _plan_service_pb2.UpdatePlanRequest
    complete_plan: _plan_service_pb2.CompletePlanRequest
    reopen_plan: _plan_service_pb2.ReopenPlanRequest
    delete_plan: _plan_service_pb2.DeletePlanRequest
    add_plan_step: _plan_service_pb2.AddPlanStepRequest
    update_plan_step: _plan_service_pb2.UpdatePlanStepRequest
    move_plan_step: _plan_service_pb2.MovePlanStepRequest
    remove_plan_step: _plan_service_pb2.RemovePlanStepRequest
    add_plan_note: _plan_service_pb2.AddPlanNoteRequest
    create_conversation: _conversation_service_pb2.CreateConversationRequest
    update_conversation: _conversation_service_pb2.UpdateConversationRequest
    delete_conversation: _conversation_service_pb2.DeleteConversationRequest
    append_messages: _conversation_service_pb2.AppendMessagesRequest
    truncate_messages: _conversation_service_pb2.TruncateMessagesRequest
    add_entities: _entity_service_pb2.AddEntitiesRequest
    set_entities: _entity_service_pb2.SetEntitiesRequest
    extract_entities: _entity_service_pb2.ExtractEntitiesRequest
    clear_entities: _entity_service_pb2.ClearEntitiesRequest
    create_document: _document_service_pb2.CreateDocumentRequest
    update_document: _document_service_pb2.UpdateDocumentRequest
    delete_document: _document_service_pb2.DeleteDocumentRequest
    clear_agent: _agent_service_pb2.ClearAgentRequest
    update_agent: _agent_service_pb2.UpdateAgentRequest
    def __init__(self, set_entry: _Optional[_Union[_working_memory_service_pb2.SetEntryRequest, _Mapping[str, _Any]]] = ..., get_or_set_entry: _Optional[_Union[_working_memory_service_pb2.GetOrSetEntryRequest, _Mapping[str, _Any]]] = ..., remove_entry: _Optional[_Union[_working_memory_service_pb2.RemoveEntryRequest, _Mapping[str, _Any]]] = ..., clear_entries: _Optional[_Union[_working_memory_service_pb2.ClearEntriesRequest, _Mapping[str, _Any]]] = ..., batch_write_entries: _Optional[_Union[_working_memory_service_pb2.BatchWriteEntriesRequest, _Mapping[str, _Any]]] = ..., renew_reservation: _Optional[_Union[_working_memory_service_pb2.RenewReservationRequest, _Mapping[str, _Any]]] = ..., release_reservation: _Optional[_Union[_working_memory_service_pb2.ReleaseReservationRequest, _Mapping[str, _Any]]] = ..., create_scope: _Optional[_Union[_working_memory_service_pb2.CreateScopeRequest, _Mapping[str, _Any]]] = ..., merge_scope: _Optional[_Union[_working_memory_service_pb2.MergeScopeRequest, _Mapping[str, _Any]]] = ..., dispose_scope: _Optional[_Union[_working_memory_service_pb2.DisposeScopeRequest, _Mapping[str, _Any]]] = ..., create_fragment: _Optional[_Union[_fragment_service_pb2.CreateFragmentRequest, _Mapping[str, _Any]]] = ..., delete_fragment: _Optional[_Union[_fragment_service_pb2.DeleteFragmentRequest, _Mapping[str, _Any]]] = ..., clear_fragments: _Optional[_Union[_fragment_service_pb2.ClearFragmentsRequest, _Mapping[str, _Any]]] = ..., flush_fragments: _Optional[_Union[_fragment_service_pb2.FlushFragmentsRequest, _Mapping[str, _Any]]] = ..., renew_fragment_lease: _Optional[_Union[_fragment_service_pb2.RenewFragmentLeaseRequest, _Mapping[str, _Any]]] = ..., acknowledge_fragments: _Optional[_Union[_fragment_service_pb2.AcknowledgeFragmentsRequest, _Mapping[str, _Any]]] = ..., release_fragments: _Optional[_Union[_fragment_service_pb2.ReleaseFragmentsRequest, _Mapping[str, _Any]]] = ..., create_memory: _Optional[_Union[_long_term_memory_service_pb2.CreateMemoryRequest, _Mapping[str, _Any]]] = ..., batch_create_memories: _Optional[_Union[_long_term_memory_service_pb2.BatchCreateMemoriesRequest, _Mapping[str, _Any]]] = ..., update_memory: _Optional[_Union[_long_term_memory_service_pb2.UpdateMemoryRequest, _Mapping[str, _Any]]] = ..., reinforce_memory: _Optional[_Union[_long_term_memory_service_pb2.ReinforceMemoryRequest, _Mapping[str, _Any]]] = ..., forget_memory: _Optional[_Union[_long_term_memory_service_pb2.ForgetMemoryRequest, _Mapping[str, _Any]]] = ..., batch_forget_memories: _Optional[_Union[_long_term_memory_service_pb2.BatchForgetMemoriesRequest, _Mapping[str, _Any]]] = ..., restore_memory: _Optional[_Union[_long_term_memory_service_pb2.RestoreMemoryRequest, _Mapping[str, _Any]]] = ..., purge_memory: _Optional[_Union[_long_term_memory_service_pb2.PurgeMemoryRequest, _Mapping[str, _Any]]] = ..., propose_memories: _Optional[_Union[_long_term_memory_service_pb2.ProposeMemoriesRequest, _Mapping[str, _Any]]] = ..., accept_memory_proposals: _Optional[_Union[_long_term_memory_service_pb2.AcceptMemoryProposalsRequest, _Mapping[str, _Any]]] = ..., reject_memory_proposals: _Optional[_Union[_long_term_memory_service_pb2.RejectMemoryProposalsRequest, _Mapping[str, _Any]]] = ..., link_memories: _Optional[_Union[_long_term_memory_service_pb2.LinkMemoriesRequest, _Mapping[str, _Any]]] = ..., unlink_memories: _Optional[_Union[_long_term_memory_service_pb2.UnlinkMemoriesRequest, _Mapping[str, _Any]]] = ..., create_note: _Optional[_Union[_note_service_pb2.CreateNoteRequest, _Mapping[str, _Any]]] = ..., update_note: _Optional[_Union[_note_service_pb2.UpdateNoteRequest, _Mapping[str, _Any]]] = ..., delete_note: _Optional[_Union[_note_service_pb2.DeleteNoteRequest, _Mapping[str, _Any]]] = ..., create_plan: _Optional[_Union[_plan_service_pb2.CreatePlanRequest, _Mapping[str, _Any]]] = ..., update_plan: _Optional[_Union[_plan_service_pb2.UpdatePlanRequest, _Mapping[str, _Any]]] = ..., complete_plan: _Optional[_Union[_plan_service_pb2.CompletePlanRequest, _Mapping[str, _Any]]] = ..., reopen_plan: _Optional[_Union[_plan_service_pb2.ReopenPlanRequest, _Mapping[str, _Any]]] = ..., delete_plan: _Optional[_Union[_plan_service_pb2.DeletePlanRequest, _Mapping[str, _Any]]] = ..., add_plan_step: _Optional[_Union[_plan_service_pb2.AddPlanStepRequest, _Mapping[str, _Any]]] = ..., update_plan_step: _Optional[_Union[_plan_service_pb2.UpdatePlanStepRequest, _Mapping[str, _Any]]] = ..., move_plan_step: _Optional[_Union[_plan_service_pb2.MovePlanStepRequest, _Mapping[str, _Any]]] = ..., remove_plan_step: _Optional[_Union[_plan_service_pb2.RemovePlanStepRequest, _Mapping[str, _Any]]] = ..., add_plan_note: _Optional[_Union[_plan_service_pb2.AddPlanNoteRequest, _Mapping[str, _Any]]] = ..., create_conversation: _Optional[_Union[_conversation_service_pb2.CreateConversationRequest, _Mapping[str, _Any]]] = ..., update_conversation: _Optional[_Union[_conversation_service_pb2.UpdateConversationRequest, _Mapping[str, _Any]]] = ..., delete_conversation: _Optional[_Union[_conversation_service_pb2.DeleteConversationRequest, _Mapping[str, _Any]]] = ..., append_messages: _Optional[_Union[_conversation_service_pb2.AppendMessagesRequest, _Mapping[str, _Any]]] = ..., truncate_messages: _Optional[_Union[_conversation_service_pb2.TruncateMessagesRequest, _Mapping[str, _Any]]] = ..., add_entities: _Optional[_Union[_entity_service_pb2.AddEntitiesRequest, _Mapping[str, _Any]]] = ..., set_entities: _Optional[_Union[_entity_service_pb2.SetEntitiesRequest, _Mapping[str, _Any]]] = ..., extract_entities: _Optional[_Union[_entity_service_pb2.ExtractEntitiesRequest, _Mapping[str, _Any]]] = ..., clear_entities: _Optional[_Union[_entity_service_pb2.ClearEntitiesRequest, _Mapping[str, _Any]]] = ..., create_document: _Optional[_Union[_document_service_pb2.CreateDocumentRequest, _Mapping[str, _Any]]] = ..., update_document: _Optional[_Union[_document_service_pb2.UpdateDocumentRequest, _Mapping[str, _Any]]] = ..., delete_document: _Optional[_Union[_document_service_pb2.DeleteDocumentRequest, _Mapping[str, _Any]]] = ..., clear_agent: _Optional[_Union[_agent_service_pb2.ClearAgentRequest, _Mapping[str, _Any]]] = ..., update_agent: _Optional[_Union[_agent_service_pb2.UpdateAgentRequest, _Mapping[str, _Any]]] = ...) -> None: ...

class WriteResult(_message.Message):
    __slots__ = ("set_entry", "get_or_set_entry", "remove_entry", "clear_entries", "batch_write_entries", "renew_reservation", "release_reservation", "create_scope", "merge_scope", "dispose_scope", "create_fragment", "delete_fragment", "clear_fragments", "flush_fragments", "renew_fragment_lease", "acknowledge_fragments", "release_fragments", "create_memory", "batch_create_memories", "update_memory", "reinforce_memory", "forget_memory", "batch_forget_memories", "restore_memory", "purge_memory", "propose_memories", "accept_memory_proposals", "reject_memory_proposals", "link_memories", "unlink_memories", "create_note", "update_note", "delete_note", "create_plan", "update_plan", "complete_plan", "reopen_plan", "delete_plan", "add_plan_step", "update_plan_step", "move_plan_step", "remove_plan_step", "add_plan_note", "create_conversation", "update_conversation", "delete_conversation", "append_messages", "truncate_messages", "add_entities", "set_entities", "extract_entities", "clear_entities", "create_document", "update_document", "delete_document", "clear_agent", "update_agent")
    SET_ENTRY_FIELD_NUMBER: _ClassVar[int]
    GET_OR_SET_ENTRY_FIELD_NUMBER: _ClassVar[int]
    REMOVE_ENTRY_FIELD_NUMBER: _ClassVar[int]
    CLEAR_ENTRIES_FIELD_NUMBER: _ClassVar[int]
    BATCH_WRITE_ENTRIES_FIELD_NUMBER: _ClassVar[int]
    RENEW_RESERVATION_FIELD_NUMBER: _ClassVar[int]
    RELEASE_RESERVATION_FIELD_NUMBER: _ClassVar[int]
    CREATE_SCOPE_FIELD_NUMBER: _ClassVar[int]
    MERGE_SCOPE_FIELD_NUMBER: _ClassVar[int]
    DISPOSE_SCOPE_FIELD_NUMBER: _ClassVar[int]
    CREATE_FRAGMENT_FIELD_NUMBER: _ClassVar[int]
    DELETE_FRAGMENT_FIELD_NUMBER: _ClassVar[int]
    CLEAR_FRAGMENTS_FIELD_NUMBER: _ClassVar[int]
    FLUSH_FRAGMENTS_FIELD_NUMBER: _ClassVar[int]
    RENEW_FRAGMENT_LEASE_FIELD_NUMBER: _ClassVar[int]
    ACKNOWLEDGE_FRAGMENTS_FIELD_NUMBER: _ClassVar[int]
    RELEASE_FRAGMENTS_FIELD_NUMBER: _ClassVar[int]
    CREATE_MEMORY_FIELD_NUMBER: _ClassVar[int]
    BATCH_CREATE_MEMORIES_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MEMORY_FIELD_NUMBER: _ClassVar[int]
    REINFORCE_MEMORY_FIELD_NUMBER: _ClassVar[int]
    FORGET_MEMORY_FIELD_NUMBER: _ClassVar[int]
    BATCH_FORGET_MEMORIES_FIELD_NUMBER: _ClassVar[int]
    RESTORE_MEMORY_FIELD_NUMBER: _ClassVar[int]
    PURGE_MEMORY_FIELD_NUMBER: _ClassVar[int]
    PROPOSE_MEMORIES_FIELD_NUMBER: _ClassVar[int]
    ACCEPT_MEMORY_PROPOSALS_FIELD_NUMBER: _ClassVar[int]
    REJECT_MEMORY_PROPOSALS_FIELD_NUMBER: _ClassVar[int]
    LINK_MEMORIES_FIELD_NUMBER: _ClassVar[int]
    UNLINK_MEMORIES_FIELD_NUMBER: _ClassVar[int]
    CREATE_NOTE_FIELD_NUMBER: _ClassVar[int]
    UPDATE_NOTE_FIELD_NUMBER: _ClassVar[int]
    DELETE_NOTE_FIELD_NUMBER: _ClassVar[int]
    CREATE_PLAN_FIELD_NUMBER: _ClassVar[int]
    UPDATE_PLAN_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_PLAN_FIELD_NUMBER: _ClassVar[int]
    REOPEN_PLAN_FIELD_NUMBER: _ClassVar[int]
    DELETE_PLAN_FIELD_NUMBER: _ClassVar[int]
    ADD_PLAN_STEP_FIELD_NUMBER: _ClassVar[int]
    UPDATE_PLAN_STEP_FIELD_NUMBER: _ClassVar[int]
    MOVE_PLAN_STEP_FIELD_NUMBER: _ClassVar[int]
    REMOVE_PLAN_STEP_FIELD_NUMBER: _ClassVar[int]
    ADD_PLAN_NOTE_FIELD_NUMBER: _ClassVar[int]
    CREATE_CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    UPDATE_CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    DELETE_CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    APPEND_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    TRUNCATE_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    ADD_ENTITIES_FIELD_NUMBER: _ClassVar[int]
    SET_ENTITIES_FIELD_NUMBER: _ClassVar[int]
    EXTRACT_ENTITIES_FIELD_NUMBER: _ClassVar[int]
    CLEAR_ENTITIES_FIELD_NUMBER: _ClassVar[int]
    CREATE_DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    DELETE_DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    CLEAR_AGENT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_AGENT_FIELD_NUMBER: _ClassVar[int]
    set_entry: _working_memory_service_pb2.SetEntryResponse
    get_or_set_entry: _working_memory_service_pb2.GetOrSetEntryResponse
    remove_entry: _working_memory_service_pb2.RemoveEntryResponse
    clear_entries: _working_memory_service_pb2.ClearEntriesResponse
    batch_write_entries: _working_memory_service_pb2.BatchWriteEntriesResponse
    renew_reservation: _working_memory_service_pb2.RenewReservationResponse
    release_reservation: _working_memory_service_pb2.ReleaseReservationResponse
    create_scope: _working_memory_service_pb2.CreateScopeResponse
    merge_scope: _working_memory_service_pb2.MergeScopeResponse
    dispose_scope: _working_memory_service_pb2.DisposeScopeResponse
    create_fragment: _fragment_service_pb2.CreateFragmentResponse
    delete_fragment: _fragment_service_pb2.DeleteFragmentResponse
    clear_fragments: _fragment_service_pb2.ClearFragmentsResponse
    flush_fragments: _fragment_service_pb2.FlushFragmentsResponse
    renew_fragment_lease: _fragment_service_pb2.RenewFragmentLeaseResponse
    acknowledge_fragments: _fragment_service_pb2.AcknowledgeFragmentsResponse
    release_fragments: _fragment_service_pb2.ReleaseFragmentsResponse
    create_memory: _long_term_memory_service_pb2.CreateMemoryResponse
    batch_create_memories: _long_term_memory_service_pb2.BatchCreateMemoriesResponse
    update_memory: _long_term_memory_service_pb2.UpdateMemoryResponse
    reinforce_memory: _long_term_memory_service_pb2.ReinforceMemoryResponse
    forget_memory: _long_term_memory_service_pb2.ForgetMemoryResponse
    batch_forget_memories: _long_term_memory_service_pb2.BatchForgetMemoriesResponse
    restore_memory: _long_term_memory_service_pb2.RestoreMemoryResponse
    purge_memory: _long_term_memory_service_pb2.PurgeMemoryResponse
    propose_memories: _long_term_memory_service_pb2.ProposeMemoriesResponse
    accept_memory_proposals: _long_term_memory_service_pb2.AcceptMemoryProposalsResponse
    reject_memory_proposals: _long_term_memory_service_pb2.RejectMemoryProposalsResponse
    link_memories: _long_term_memory_service_pb2.LinkMemoriesResponse
    unlink_memories: _long_term_memory_service_pb2.UnlinkMemoriesResponse
    create_note: _note_service_pb2.CreateNoteResponse
    update_note: _note_service_pb2.UpdateNoteResponse
    delete_note: _note_service_pb2.DeleteNoteResponse
    create_plan: _plan_service_pb2.CreatePlanResponse
    update_plan: _plan_service_pb2.UpdatePlanResponse
    complete_plan: _plan_service_pb2.CompletePlanResponse
    reopen_plan: _plan_service_pb2.ReopenPlanResponse
    delete_plan: _plan_service_pb2.DeletePlanResponse
    add_plan_step: _plan_service_pb2.AddPlanStepResponse
    update_plan_step: _plan_service_pb2.UpdatePlanStepResponse
    move_plan_step: _plan_service_pb2.MovePlanStepResponse
    remove_plan_step: _plan_service_pb2.RemovePlanStepResponse
    add_plan_note: _plan_service_pb2.AddPlanNoteResponse
    create_conversation: _conversation_service_pb2.CreateConversationResponse
    update_conversation: _conversation_service_pb2.UpdateConversationResponse
    delete_conversation: _conversation_service_pb2.DeleteConversationResponse
    append_messages: _conversation_service_pb2.AppendMessagesResponse
    truncate_messages: _conversation_service_pb2.TruncateMessagesResponse
    add_entities: _entity_service_pb2.AddEntitiesResponse
    set_entities: _entity_service_pb2.SetEntitiesResponse
    extract_entities: _entity_service_pb2.ExtractEntitiesResponse
    clear_entities: _entity_service_pb2.ClearEntitiesResponse
    create_document: _document_service_pb2.CreateDocumentResponse
    update_document: _document_service_pb2.UpdateDocumentResponse
    delete_document: _document_service_pb2.DeleteDocumentResponse
    clear_agent: _agent_service_pb2.ClearAgentResponse
    update_agent: _agent_service_pb2.UpdateAgentResponse
    def __init__(self, set_entry: _Optional[_Union[_working_memory_service_pb2.SetEntryResponse, _Mapping[str, _Any]]] = ..., get_or_set_entry: _Optional[_Union[_working_memory_service_pb2.GetOrSetEntryResponse, _Mapping[str, _Any]]] = ..., remove_entry: _Optional[_Union[_working_memory_service_pb2.RemoveEntryResponse, _Mapping[str, _Any]]] = ..., clear_entries: _Optional[_Union[_working_memory_service_pb2.ClearEntriesResponse, _Mapping[str, _Any]]] = ..., batch_write_entries: _Optional[_Union[_working_memory_service_pb2.BatchWriteEntriesResponse, _Mapping[str, _Any]]] = ..., renew_reservation: _Optional[_Union[_working_memory_service_pb2.RenewReservationResponse, _Mapping[str, _Any]]] = ..., release_reservation: _Optional[_Union[_working_memory_service_pb2.ReleaseReservationResponse, _Mapping[str, _Any]]] = ..., create_scope: _Optional[_Union[_working_memory_service_pb2.CreateScopeResponse, _Mapping[str, _Any]]] = ..., merge_scope: _Optional[_Union[_working_memory_service_pb2.MergeScopeResponse, _Mapping[str, _Any]]] = ..., dispose_scope: _Optional[_Union[_working_memory_service_pb2.DisposeScopeResponse, _Mapping[str, _Any]]] = ..., create_fragment: _Optional[_Union[_fragment_service_pb2.CreateFragmentResponse, _Mapping[str, _Any]]] = ..., delete_fragment: _Optional[_Union[_fragment_service_pb2.DeleteFragmentResponse, _Mapping[str, _Any]]] = ..., clear_fragments: _Optional[_Union[_fragment_service_pb2.ClearFragmentsResponse, _Mapping[str, _Any]]] = ..., flush_fragments: _Optional[_Union[_fragment_service_pb2.FlushFragmentsResponse, _Mapping[str, _Any]]] = ..., renew_fragment_lease: _Optional[_Union[_fragment_service_pb2.RenewFragmentLeaseResponse, _Mapping[str, _Any]]] = ..., acknowledge_fragments: _Optional[_Union[_fragment_service_pb2.AcknowledgeFragmentsResponse, _Mapping[str, _Any]]] = ..., release_fragments: _Optional[_Union[_fragment_service_pb2.ReleaseFragmentsResponse, _Mapping[str, _Any]]] = ..., create_memory: _Optional[_Union[_long_term_memory_service_pb2.CreateMemoryResponse, _Mapping[str, _Any]]] = ..., batch_create_memories: _Optional[_Union[_long_term_memory_service_pb2.BatchCreateMemoriesResponse, _Mapping[str, _Any]]] = ..., update_memory: _Optional[_Union[_long_term_memory_service_pb2.UpdateMemoryResponse, _Mapping[str, _Any]]] = ..., reinforce_memory: _Optional[_Union[_long_term_memory_service_pb2.ReinforceMemoryResponse, _Mapping[str, _Any]]] = ..., forget_memory: _Optional[_Union[_long_term_memory_service_pb2.ForgetMemoryResponse, _Mapping[str, _Any]]] = ..., batch_forget_memories: _Optional[_Union[_long_term_memory_service_pb2.BatchForgetMemoriesResponse, _Mapping[str, _Any]]] = ..., restore_memory: _Optional[_Union[_long_term_memory_service_pb2.RestoreMemoryResponse, _Mapping[str, _Any]]] = ..., purge_memory: _Optional[_Union[_long_term_memory_service_pb2.PurgeMemoryResponse, _Mapping[str, _Any]]] = ..., propose_memories: _Optional[_Union[_long_term_memory_service_pb2.ProposeMemoriesResponse, _Mapping[str, _Any]]] = ..., accept_memory_proposals: _Optional[_Union[_long_term_memory_service_pb2.AcceptMemoryProposalsResponse, _Mapping[str, _Any]]] = ..., reject_memory_proposals: _Optional[_Union[_long_term_memory_service_pb2.RejectMemoryProposalsResponse, _Mapping[str, _Any]]] = ..., link_memories: _Optional[_Union[_long_term_memory_service_pb2.LinkMemoriesResponse, _Mapping[str, _Any]]] = ..., unlink_memories: _Optional[_Union[_long_term_memory_service_pb2.UnlinkMemoriesResponse, _Mapping[str, _Any]]] = ..., create_note: _Optional[_Union[_note_service_pb2.CreateNoteResponse, _Mapping[str, _Any]]] = ..., update_note: _Optional[_Union[_note_service_pb2.UpdateNoteResponse, _Mapping[str, _Any]]] = ..., delete_note: _Optional[_Union[_note_service_pb2.DeleteNoteResponse, _Mapping[str, _Any]]] = ..., create_plan: _Optional[_Union[_plan_service_pb2.CreatePlanResponse, _Mapping[str, _Any]]] = ..., update_plan: _Optional[_Union[_plan_service_pb2.UpdatePlanResponse, _Mapping[str, _Any]]] = ..., complete_plan: _Optional[_Union[_plan_service_pb2.CompletePlanResponse, _Mapping[str, _Any]]] = ..., reopen_plan: _Optional[_Union[_plan_service_pb2.ReopenPlanResponse, _Mapping[str, _Any]]] = ..., delete_plan: _Optional[_Union[_plan_service_pb2.DeletePlanResponse, _Mapping[str, _Any]]] = ..., add_plan_step: _Optional[_Union[_plan_service_pb2.AddPlanStepResponse, _Mapping[str, _Any]]] = ..., update_plan_step: _Optional[_Union[_plan_service_pb2.UpdatePlanStepResponse, _Mapping[str, _Any]]] = ..., move_plan_step: _Optional[_Union[_plan_service_pb2.MovePlanStepResponse, _Mapping[str, _Any]]] = ..., remove_plan_step: _Optional[_Union[_plan_service_pb2.RemovePlanStepResponse, _Mapping[str, _Any]]] = ..., add_plan_note: _Optional[_Union[_plan_service_pb2.AddPlanNoteResponse, _Mapping[str, _Any]]] = ..., create_conversation: _Optional[_Union[_conversation_service_pb2.CreateConversationResponse, _Mapping[str, _Any]]] = ..., update_conversation: _Optional[_Union[_conversation_service_pb2.UpdateConversationResponse, _Mapping[str, _Any]]] = ..., delete_conversation: _Optional[_Union[_conversation_service_pb2.DeleteConversationResponse, _Mapping[str, _Any]]] = ..., append_messages: _Optional[_Union[_conversation_service_pb2.AppendMessagesResponse, _Mapping[str, _Any]]] = ..., truncate_messages: _Optional[_Union[_conversation_service_pb2.TruncateMessagesResponse, _Mapping[str, _Any]]] = ..., add_entities: _Optional[_Union[_entity_service_pb2.AddEntitiesResponse, _Mapping[str, _Any]]] = ..., set_entities: _Optional[_Union[_entity_service_pb2.SetEntitiesResponse, _Mapping[str, _Any]]] = ..., extract_entities: _Optional[_Union[_entity_service_pb2.ExtractEntitiesResponse, _Mapping[str, _Any]]] = ..., clear_entities: _Optional[_Union[_entity_service_pb2.ClearEntitiesResponse, _Mapping[str, _Any]]] = ..., create_document: _Optional[_Union[_document_service_pb2.CreateDocumentResponse, _Mapping[str, _Any]]] = ..., update_document: _Optional[_Union[_document_service_pb2.UpdateDocumentResponse, _Mapping[str, _Any]]] = ..., delete_document: _Optional[_Union[_document_service_pb2.DeleteDocumentResponse, _Mapping[str, _Any]]] = ..., clear_agent: _Optional[_Union[_agent_service_pb2.ClearAgentResponse, _Mapping[str, _Any]]] = ..., update_agent: _Optional[_Union[_agent_service_pb2.UpdateAgentResponse, _Mapping[str, _Any]]] = ...) -> None: ...
