"""Which agents a call is about: one table for every method of the contract.

A method that is missing here is not served; a test compares the table with the protos.
"""

import enum


class AccessRule(enum.Enum):
    """How a call's right is found out."""

    AGENT = "the caller may use the request's agent_id"
    SELECTION = "the caller may use all agents that the handler finds in the request, or all agents"
    LISTED = "the handler answers only what the caller may use"
    SNAPSHOT = "the caller may use the snapshot's agent, or all agents"
    HEADER = "the caller may use the agent_id of the first message, which the handler reads"
    NONE = "everybody who is known may call"


_AGENT_METHODS = {
    "AgentService": ("GetAgent", "GetAgentStats", "ClearAgent", "EndAgent"),
    "ContextService": (
        "AppendMessages",
        "ListMessages",
        "ListConversations",
        "DeleteConversation",
        "ComposeContext",
        "CompactMessages",
        "CountTokens",
    ),
    "DocumentService": (
        "AddDocument",
        "GetDocument",
        "ListDocuments",
        "ListChunks",
        "DeleteDocument",
        "SearchDocuments",
    ),
    "EntityService": ("AddEntities", "ExtractEntities", "ListRecentEntities", "ClearEntities"),
    "FragmentService": (
        "StoreFragment",
        "GetFragment",
        "DeleteFragment",
        "SearchFragments",
        "ListRecentFragments",
        "CountFragments",
        "ClearFragments",
        "LeaseFragments",
        "AcknowledgeFragments",
        "FlushFragments",
    ),
    "LongTermMemoryService": (
        "CreateMemory",
        "BatchCreateMemories",
        "GetMemory",
        "UpdateMemory",
        "ListMemories",
        "RecallMemories",
        "ReinforceMemory",
        "ForgetMemory",
        "PurgeMemory",
        "LinkMemories",
        "UnlinkMemories",
        "ListLinks",
        "ReembedMemories",
    ),
    "NoteService": ("CreateNote", "GetNote", "UpdateNote", "DeleteNote", "ListNotes"),
    "PlanService": (
        "CreatePlan",
        "GetPlan",
        "ListPlans",
        "UpdateStep",
        "AddStep",
        "AddContextNote",
        "CompletePlan",
        "DeletePlan",
    ),
    "WorkingMemoryService": (
        "SetEntry",
        "GetEntry",
        "GetOrSetEntry",
        "ReserveEntry",
        "ContainsEntry",
        "RemoveEntry",
        "ListEntries",
        "ClearEntries",
        "BatchGetEntries",
        "BatchWriteEntries",
        "CreateScope",
        "GetScope",
        "ListScopes",
        "MergeScope",
        "DisposeScope",
    ),
}

ACCESS_RULES: dict[str, AccessRule] = {
    **{f"{service}/{method}": AccessRule.AGENT for service, methods in _AGENT_METHODS.items() for method in methods},
    "DocumentService/UploadDocument": AccessRule.HEADER,
    "AgentService/ListAgents": AccessRule.LISTED,
    "EventService/WatchEvents": AccessRule.SELECTION,
    "EventService/ListEvents": AccessRule.SELECTION,
    "SnapshotService/CreateSnapshot": AccessRule.SNAPSHOT,
    "SnapshotService/GetSnapshot": AccessRule.SNAPSHOT,
    "SnapshotService/ListSnapshots": AccessRule.LISTED,
    "SnapshotService/RestoreSnapshot": AccessRule.SNAPSHOT,
    "SnapshotService/DeleteSnapshot": AccessRule.SNAPSHOT,
    "SnapshotService/ExportSnapshot": AccessRule.SNAPSHOT,
    "SnapshotService/ImportSnapshot": AccessRule.SNAPSHOT,
    "ServerService/GetServerInfo": AccessRule.NONE,
}
