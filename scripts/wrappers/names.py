"""The names of the wrappers, which are those of the Python client, in words that each language writes in its own case.

A method that is not listed here has its name in the contract without the noun of its service: ``CreateNote`` of the
notes is "create", ``AddPlanStep`` of the plans "add step".
"""

KINDS = {
    "NoteService": ("notes", "note"),
    "PlanService": ("plans", "plan"),
    "LongTermMemoryService": ("memories", "memory"),
    "FragmentService": ("fragments", "fragment"),
    "ConversationService": ("conversations", "conversation"),
    "DocumentService": ("documents", "document"),
    "EntityService": ("entities", "entity_window"),
    "ContextService": ("contexts", ""),
}
"""The plural noun of each service whose methods are wrapped for an agent, and the field of its record in responses."""

OTHERS = {
    "WorkingMemoryService",
    "TransactionService",
    "EventService",
    "AgentService",
    "OperationService",
    "SnapshotService",
    "ServerService",
}
"""The services that clients wrap by hand, or leave to their stubs."""

METHODS = {
    "CreateMemory": "remember",
    "BatchCreateMemories": "create many",
    "BatchGetMemories": "get many",
    "BatchForgetMemories": "forget many",
    "LinkMemories": "link",
    "UnlinkMemories": "unlink",
    "ListMemoryLinks": "links",
    "ProposeMemories": "create proposals",
    "ListMemoryProposals": "list proposals",
    "AcceptMemoryProposals": "accept proposals",
    "RejectMemoryProposals": "reject proposals",
    "AppendMessages": "append",
    "GetMessage": "message",
    "ListMessages": "messages",
    "TruncateMessages": "truncate",
    "CompactMessages": "compact",
    "GetDocumentChunk": "chunk",
    "ListDocumentChunks": "chunks",
    "GetEntityWindow": "get",
    "ListEntityWindows": "list",
    "AddEntities": "add",
    "SetEntities": "set",
    "ExtractEntities": "extract",
    "ClearEntities": "clear",
    "LeaseFragments": "take",
    "RenewFragmentLease": "renew",
}

PARTS = {
    "IngestConversation": "ingestion",
    "ProposeMemories": "ingestion",
    "ListMemoryProposals": "ingestion",
    "AcceptMemoryProposals": "ingestion",
    "RejectMemoryProposals": "ingestion",
    "LinkMemories": "links",
    "UnlinkMemories": "links",
    "GetMemoryLink": "links",
    "ListMemoryLinks": "links",
}
"""The files beside that of their kind that have the options of some methods."""

LEADING = {
    "RecallMemories": ("query",),
    "SearchDocuments": ("query",),
    "SearchFragments": ("query",),
    "CreatePlan": ("goal",),
    "AddEntities": ("entities",),
    "SetEntities": ("entities",),
}
"""Arguments that are not required, but given in most calls: they come before the options, after the required ones."""

ERASING = {
    "delete": "erase",
    "remove step": "erase step",
    "acknowledge": "acknowledge and erase",
    "clear": "clear and erase",
    "reject proposals": "erase proposals",
}
"""The method that does what another one does, and also erases: it returns the receipt. For languages in which the type
of a result does not depend on an option."""

BY_HAND = {"CountTokens", "UploadDocument"}
"""Methods of these services that are about no agent, or stream: each language has them by hand."""
