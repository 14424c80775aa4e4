"""Shortcuts for long-term memory and recall of one agent."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import grpc

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1.long_term_memory_service_pb2_grpc import LongTermMemoryServiceStub
from memoryd.v1.memory_pb2 import Memory

USER = "ann"


class Remembering:
    """A new agent with long-term memory."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.id = f"agent-{uuid4().hex[:12]}"
        self.stub = LongTermMemoryServiceStub(channel)

    def create(self, *drafts: pb.MemoryDraft) -> Sequence[str]:
        """Create memories, and return their ids."""
        request = pb.BatchCreateMemoriesRequest(agent_id=self.id, drafts=drafts)
        return [each.memory.memory_id for each in self.stub.BatchCreateMemories(request).results]

    def remember(self, content: str, **fields: Any) -> str:
        """Create a memory of USER, and return its id."""
        draft: dict[str, Any] = {"user_id": USER, "allow_duplicates": True, "skip_contradictions": True} | fields
        return self.create(pb.MemoryDraft(content=content, **draft))[0]

    def get(self, memory_id: str) -> Memory:
        return self.stub.GetMemory(pb.GetMemoryRequest(agent_id=self.id, memory_id=memory_id)).memory

    def recall(self, query: str, user_id: str | None = None, **fields: Any) -> pb.RecallMemoriesResponse:
        """Recall memories; with a ``user_id``, only that user's."""
        chosen = {"all_users": True} if user_id is None else {"user_ids": [user_id]}
        request = pb.RecallMemoriesRequest(agent_id=self.id, query=query, filter=chosen, **fields)
        return self.stub.RecallMemories(request)

    def found(self, query: str, user_id: str | None = None, **fields: Any) -> Sequence[str]:
        """Return the ids of the recalled memories, the best first."""
        return [each.memory.memory_id for each in self.recall(query, user_id, **fields).memories]
