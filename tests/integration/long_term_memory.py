"""Shortcuts for calls of the long-term memory service about one agent."""

from typing import Any

from tests.integration.wire import Memory

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1 import memory_pb2

CREATED, REINFORCED = pb.CREATE_MEMORY_OUTCOME_CREATED, pb.CREATE_MEMORY_OUTCOME_REINFORCED
RELATED, SUPERSEDES = memory_pb2.MEMORY_LINK_TYPE_RELATED, memory_pb2.MEMORY_LINK_TYPE_SUPERSEDES

UNRELATED: dict[str, Any] = {"allow_duplicates": True, "skip_contradictions": True}
"""The options of a draft that is created whatever the other memories are."""


def of_all_users(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a request whose filter is of all users, unless it names some."""
    chosen = fields.get("filter", {})
    return fields if "user_ids" in chosen else {**fields, "filter": {**chosen, "all_users": True}}


class LongTermMemories:
    """The long-term memories of an agent."""

    def __init__(self, agent: Memory) -> None:
        self.agent = agent
        self.stub = agent.wire.long_term

    def created(self, content: str, user_id: str = "ann", **fields: Any) -> pb.CreateMemoryResponse:
        draft = pb.MemoryDraft(content=content, user_id=user_id, **fields)
        return self.stub.CreateMemory(pb.CreateMemoryRequest(agent_id=self.agent.id, draft=draft))

    def create(self, content: str, user_id: str = "ann", **fields: Any) -> str:
        """Create a memory, and return its id."""
        memory_id: str = self.created(content, user_id, **fields).memory.memory_id
        return memory_id

    def create_all(self, *contents: str, **fields: Any) -> list[str]:
        """Create memories as one change, and return their ids."""
        drafts = [pb.MemoryDraft(content=each, user_id="ann", **UNRELATED, **fields) for each in contents]
        request = pb.BatchCreateMemoriesRequest(agent_id=self.agent.id, drafts=drafts)
        return [each.memory.memory_id for each in self.stub.BatchCreateMemories(request).results]

    def get(self, memory_id: str, **fields: Any) -> memory_pb2.Memory:
        request = pb.GetMemoryRequest(agent_id=self.agent.id, memory_id=memory_id, **fields)
        return self.stub.GetMemory(request).memory

    def update(self, memory_id: str, *paths: str, **fields: Any) -> pb.UpdateMemoryResponse:
        request = pb.UpdateMemoryRequest(agent_id=self.agent.id, memory_id=memory_id, draft=fields)
        request.update_mask.paths.extend(paths or fields)
        return self.stub.UpdateMemory(request)

    def recall(self, query: str, **fields: Any) -> pb.RecallMemoriesResponse:
        return self.stub.RecallMemories(
            pb.RecallMemoriesRequest(agent_id=self.agent.id, query=query, **of_all_users(fields))
        )

    def found(self, query: str, **fields: Any) -> list[str]:
        """Return the contents that are recalled, the best first."""
        return [each.memory.content for each in self.recall(query, **fields).memories]

    def listed(self, **fields: Any) -> pb.ListMemoriesResponse:
        return self.stub.ListMemories(pb.ListMemoriesRequest(agent_id=self.agent.id, **of_all_users(fields)))

    def contents(self, **fields: Any) -> list[str]:
        """Return the contents that are listed, newest first."""
        return [each.content for each in self.listed(**fields).memories]

    def forget(self, memory_id: str, **fields: Any) -> pb.ForgetMemoryResponse:
        return self.stub.ForgetMemory(pb.ForgetMemoryRequest(agent_id=self.agent.id, memory_id=memory_id, **fields))

    def restore(self, memory_id: str, **fields: Any) -> pb.RestoreMemoryResponse:
        return self.stub.RestoreMemory(pb.RestoreMemoryRequest(agent_id=self.agent.id, memory_id=memory_id, **fields))

    def purge(self, memory_id: str, **fields: Any) -> pb.PurgeMemoryResponse:
        return self.stub.PurgeMemory(pb.PurgeMemoryRequest(agent_id=self.agent.id, memory_id=memory_id, **fields))

    def reinforce(self, memory_id: str, **fields: Any) -> pb.ReinforceMemoryResponse:
        request = pb.ReinforceMemoryRequest(agent_id=self.agent.id, memory_id=memory_id, **fields)
        return self.stub.ReinforceMemory(request)

    def link(self, from_id: str, to_id: str, link_type: int = RELATED, **fields: Any) -> pb.LinkMemoriesResponse:
        request = pb.LinkMemoriesRequest(agent_id=self.agent.id, from_memory_id=from_id, to_memory_id=to_id, **fields)
        request.type = link_type  # type: ignore[assignment]
        return self.stub.LinkMemories(request)

    def links(self, **fields: Any) -> list[memory_pb2.MemoryLink]:
        request = pb.ListMemoryLinksRequest(agent_id=self.agent.id, **of_all_users(fields))
        return list(self.stub.ListMemoryLinks(request).memory_links)

    def reembed(self, **fields: Any) -> pb.ReembedMemoriesResponse:
        return self.stub.ReembedMemories(pb.ReembedMemoriesRequest(agent_id=self.agent.id, **fields))
