"""LongTermMemoryService: decode the request, call the engine, encode the response."""

from typing import cast

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.memories.link_change import LinkMemories, UnlinkMemories
from memoryd_server.domain.memories.memory_change import (
    ForgetMemory,
    MemoryChanged,
    PurgeMemory,
    ReinforceMemory,
    UpdateMemory,
)
from memoryd_server.domain.memories.memory_creation import MemoryCreated
from memoryd_server.domain.memories.memory_link import DraftLink, LinkType
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.memories.long_term_memories import LongTermMemories
from memoryd_server.transport.call import Call
from memoryd_server.transport.entries.entry_message import precondition_of
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.request_fields import max_staleness_of, page_request_of, request_key_of
from memoryd_server.transport.fields.timestamp import duration, moment_of, timestamp
from memoryd_server.transport.memories.memory_message import (
    link_message,
    memory_draft_of,
    memory_message,
    memory_patch_of,
    strength_of,
)
from memoryd_server.transport.memories.recall_message import recall_request_of, scored_memory_message, selection_of


class LongTermMemoryService:
    """Serves long-term memories."""

    def __init__(self, memories: LongTermMemories, clock: Clock, limits: limit.Limits) -> None:
        self._memories = memories
        self._clock = clock
        self._limits = limits

    async def create_memory(self, request: pb.CreateMemoryRequest, call: Call) -> pb.CreateMemoryResponse:
        """Create a memory."""
        if not request.HasField("draft"):
            raise InvalidField("draft", "must be set")
        draft = memory_draft_of(request.draft, "draft", self._clock(), self._memories.policy, self._limits)
        answer = await self._memories.create(
            request.agent_id, (draft,), precondition_of(request), call.origin, request_key_of(request, call)
        )
        return pb.CreateMemoryResponse(created=_created_message(answer.created[0]), revision=answer.revision)

    async def batch_create_memories(
        self, request: pb.BatchCreateMemoriesRequest, call: Call
    ) -> pb.BatchCreateMemoriesResponse:
        """Create many memories in one commit."""
        validation.within("drafts", len(request.drafts), 1, limit.MEMORIES_PER_BATCH_MAX)
        now = self._clock()
        drafts = tuple(
            memory_draft_of(each, f"drafts[{index}]", now, self._memories.policy, self._limits)
            for index, each in enumerate(request.drafts)
        )
        answer = await self._memories.create(
            request.agent_id, drafts, precondition_of(request), call.origin, request_key_of(request, call)
        )
        return pb.BatchCreateMemoriesResponse(created=map(_created_message, answer.created), revision=answer.revision)

    async def get_memory(self, request: pb.GetMemoryRequest, call: Call) -> pb.GetMemoryResponse:
        """Return one memory."""
        known, revision = await self._memories.get(
            request.agent_id,
            record_id_of("memory_id", request.memory_id),
            as_of=moment_of(request.as_of, "as_of") if request.HasField("as_of") else None,
            include_forgotten=request.include_forgotten,
            include_embedding=request.include_embedding,
            max_staleness_ns=max_staleness_of(request),
        )
        return pb.GetMemoryResponse(memory=memory_message(request.agent_id, known), revision=revision)

    async def update_memory(self, request: pb.UpdateMemoryRequest, call: Call) -> pb.UpdateMemoryResponse:
        """Change fields of a memory."""
        patch, vector = memory_patch_of(request.memory, request.update_mask, self._limits)
        if isinstance(patch.expire_time, int) and patch.expire_time <= self._clock():
            raise InvalidField("memory.temporal.expire_time", "must be in the future")
        updating = UpdateMemory(
            record_id_of("memory_id", request.memory_id),
            patch,
            self._memories.policy,
            precondition=precondition_of(request),
        )
        if vector is not None:
            updating = updating.with_vector(*vector, is_given=True)
        done = await self._memories.update(request.agent_id, updating, call.origin, request_key_of(request, call))
        answer = cast("MemoryChanged", done)
        return pb.UpdateMemoryResponse(updated=answer.changed, revision=answer.revision)

    async def list_memories(self, request: pb.ListMemoriesRequest, call: Call) -> pb.ListMemoriesResponse:
        """List memories, newest first."""
        page = await self._memories.list(
            request.agent_id,
            selection_of(request.filter, forgotten_only=request.forgotten_only),
            page_request_of(request, call),
            max_staleness_of(request),
        )
        return pb.ListMemoriesResponse(
            memories=[memory_message(request.agent_id, each) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )

    async def recall_memories(self, request: pb.RecallMemoriesRequest, call: Call) -> pb.RecallMemoriesResponse:
        """Return the memories that match best."""
        recalled = await self._memories.recall(request.agent_id, recall_request_of(request), max_staleness_of(request))
        return pb.RecallMemoriesResponse(
            memories=[scored_memory_message(request.agent_id, *each) for each in recalled.found],
            total_matches=recalled.total,
            query_duration=duration(recalled.duration_ns),
            meaning_used=recalled.uses_meaning,
            revision=recalled.revision,
        )

    async def reinforce_memory(self, request: pb.ReinforceMemoryRequest, call: Call) -> pb.ReinforceMemoryResponse:
        """Raise the confidence of a memory."""
        confidence = validation.importance("confidence", request.confidence) if request.HasField("confidence") else None
        reinforcing = ReinforceMemory(
            record_id_of("memory_id", request.memory_id), self._memories.policy, confidence, precondition_of(request)
        )
        done = await self._memories.change(request.agent_id, reinforcing, call.origin, request_key_of(request, call))
        return pb.ReinforceMemoryResponse(
            confidence=done.confidence, reinforce_count=done.reinforce_count, revision=done.revision
        )

    async def forget_memory(self, request: pb.ForgetMemoryRequest, call: Call) -> pb.ForgetMemoryResponse:
        """Forget a memory, or restore it."""
        forgetting = ForgetMemory(
            record_id_of("memory_id", request.memory_id),
            self._memories.policy,
            request.restore,
            precondition_of(request),
        )
        done = await self._memories.change(request.agent_id, forgetting, call.origin, request_key_of(request, call))
        purge_time = None if done.purge_time is None else timestamp(done.purge_time)
        return pb.ForgetMemoryResponse(changed=done.changed, purge_time=purge_time, revision=done.revision)

    async def purge_memory(self, request: pb.PurgeMemoryRequest, call: Call) -> pb.PurgeMemoryResponse:
        """Purge a memory: erase it from the store and the journal."""
        purging = PurgeMemory(record_id_of("memory_id", request.memory_id), request.keep_out, precondition_of(request))
        answer = await self._memories.purge(request.agent_id, purging, call.origin, request_key_of(request, call))
        return pb.PurgeMemoryResponse(revision=answer.revision)

    async def link_memories(self, request: pb.LinkMemoriesRequest, call: Call) -> pb.LinkMemoriesResponse:
        """Link two memories."""
        from_id = record_id_of("from_memory_id", request.from_memory_id)
        link = DraftLink(
            record_id_of("to_memory_id", request.to_memory_id),
            validation.known("type", request.type, LinkType),
            strength_of(request, "strength"),
        )
        if link.to_id == from_id:
            raise InvalidField("to_memory_id", "must be another memory")
        linking = LinkMemories(from_id, link, self._memories.policy, precondition_of(request))
        done = await self._memories.change(request.agent_id, linking, call.origin, request_key_of(request, call))
        return pb.LinkMemoriesResponse(is_update=done.is_update, superseded=done.superseded, revision=done.revision)

    async def unlink_memories(self, request: pb.UnlinkMemoriesRequest, call: Call) -> pb.UnlinkMemoriesResponse:
        """Remove links between two memories."""
        unlinking = UnlinkMemories(
            record_id_of("from_memory_id", request.from_memory_id),
            record_id_of("to_memory_id", request.to_memory_id),
            self._memories.policy,
            validation.known("type", request.type, LinkType) if request.type else None,
            precondition_of(request),
        )
        done = await self._memories.change(request.agent_id, unlinking, call.origin, request_key_of(request, call))
        return pb.UnlinkMemoriesResponse(links_removed=done.count, restored=done.restored, revision=done.revision)

    async def list_links(self, request: pb.ListLinksRequest, call: Call) -> pb.ListLinksResponse:
        """List links."""
        page = await self._memories.list_links(
            request.agent_id,
            record_id_of("memory_id", request.memory_id) if request.memory_id else "",
            validation.known("type", request.type, LinkType) if request.type else None,
            page_request_of(request, call),
            max_staleness_of(request),
        )
        return pb.ListLinksResponse(
            links=map(link_message, page.items),
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )

    async def reembed_memories(self, request: pb.ReembedMemoriesRequest, call: Call) -> pb.ReembedMemoriesResponse:
        """Replace memories' vectors by those of the server's embedder."""
        count_max = validation.within("limit", request.limit, 0, 2**31 - 1) or limit.REEMBEDDED_DEFAULT
        done = await self._memories.reembed(
            request.agent_id, min(count_max, limit.REEMBEDDED_MAX), include_given=request.include_given
        )
        identity = self._memories.identity
        return pb.ReembedMemoriesResponse(
            memories_embedded=done.embedded,
            memories_left=done.left,
            model="" if identity is None else identity.model,
            version="" if identity is None else identity.version,
            revision=done.revision,
        )


def _created_message(created: MemoryCreated) -> pb.CreatedMemory:
    return pb.CreatedMemory(
        outcome=int(created.outcome),  # type: ignore[arg-type]
        memory_id=created.memory_id,
        type=int(created.type),  # type: ignore[arg-type]
        contradicted_memory_ids=created.contradicts,
    )
