"""An agent with long-term memory, in the words of tests."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import grpc

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1.long_term_memory_service_pb2_grpc import LongTermMemoryServiceStub
from memoryd.v1.memory_pb2 import Memory

USER = "ann"


class Remembering:
    """An agent that nobody else uses."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.id = f"agent-{uuid4().hex[:12]}"
        self.stub = LongTermMemoryServiceStub(channel)

    def create(self, *drafts: pb.MemoryDraft) -> Sequence[str]:
        """Create memories; answers their ids."""
        request = pb.BatchCreateMemoriesRequest(agent_id=self.id, drafts=drafts)
        return [each.memory_id for each in self.stub.BatchCreateMemories(request).created]

    def told(self, content: str, **fields: Any) -> str:
        """Create a memory of USER; answers its id."""
        draft: dict[str, Any] = {"user_id": USER, "skip_kinship_check": True} | fields
        return self.create(pb.MemoryDraft(content=content, **draft))[0]

    def get(self, memory_id: str) -> Memory:
        return self.stub.GetMemory(pb.GetMemoryRequest(agent_id=self.id, memory_id=memory_id)).memory

    def asked(self, query: str, user_id: str = "", **fields: Any) -> pb.RecallMemoriesResponse:
        """What is recalled; with a user_id of that user's memories."""
        request = pb.RecallMemoriesRequest(
            agent_id=self.id, query=query, filter=pb.MemoryFilter(user_id=user_id), **fields
        )
        return self.stub.RecallMemories(request)

    def found(self, query: str, user_id: str = "", **fields: Any) -> Sequence[str]:
        """The ids of what is recalled, the best first."""
        return [each.memory.memory_id for each in self.asked(query, user_id, **fields).memories]
