"""LongTermMemoryService: decode the request, call the engine, encode the response."""

from collections.abc import Awaitable

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1 import memory_pb2
from memoryd_server.domain import limit, validation
from memoryd_server.domain.conversations.ingestion_change import IngestMode
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.memories.changes.link_change import (
    LinkMemories,
    MemoriesLinked,
    MemoriesUnlinked,
    UnlinkMemories,
)
from memoryd_server.domain.memories.changes.memory_change import (
    MemoryChanged,
    ReinforceMemory,
    RestoreMemory,
    UpdateMemory,
)
from memoryd_server.domain.memories.changes.memory_creation import (
    CreateMemories,
    CreateMemoryOutcome,
    MemoriesCreated,
    MemoryCreated,
)
from memoryd_server.domain.memories.changes.memory_removal import (
    ForgetMemories,
    ForgetMemory,
    MemoriesForgotten,
    MemoryForgotten,
    MemoryPurged,
    PurgeMemory,
)
from memoryd_server.domain.memories.changes.proposal_change import AcceptProposals
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.domain.memories.memory_link import MEMORY_LINK_SHAPE, LinkType, MemoryLinkDraft
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.domain.values.record_filter import NO_USER
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.agents.collections import Collections
from memoryd_server.engine.conversations.ingestion import Ingestion, IngestionRequest
from memoryd_server.engine.memories.long_term_memories import LongTermMemories
from memoryd_server.engine.memories.memory_proposals import MemoryProposals
from memoryd_server.ports.tracing import annotate
from memoryd_server.transport.call import Call
from memoryd_server.transport.change import Change, Preparation, change
from memoryd_server.transport.conversations.conversation_message import conversation_id_of, conversation_message
from memoryd_server.transport.fields.further_agents import agent_revisions, further_agents_of
from memoryd_server.transport.fields.record_filter import names_users, record_filter_of
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.request_fields import consistency_of, page_request_of, precondition_of, write_of
from memoryd_server.transport.fields.timestamp import duration, moment_of, timestamp
from memoryd_server.transport.fields.view import order_of, view_of, viewed
from memoryd_server.transport.memories.memory_message import (
    link_message,
    memory_draft_of,
    memory_message,
    memory_patch_of,
    mentioned_time_messages,
    strength_of,
)
from memoryd_server.transport.memories.proposal_message import proposal_ids_of
from memoryd_server.transport.memories.proposal_methods import ProposalMethods
from memoryd_server.transport.memories.recall_message import memory_filter_of, recall_request_of, scored_memory_message


class LongTermMemoryService(ProposalMethods):
    """Serves long-term memories and their proposals."""

    def __init__(
        self,
        memories: LongTermMemories,
        ingestion: Ingestion,
        proposals: MemoryProposals,
        collections: Collections,
        clock: Clock,
        limits: limit.Limits,
    ) -> None:
        super().__init__(proposals, collections, limits)
        self._memories = memories
        self._ingestion = ingestion
        self._clock = clock
        self._limits = limits

    @change
    def create_memory(self, request: pb.CreateMemoryRequest) -> Change[MemoriesCreated]:
        """Create a memory."""
        if not request.HasField("draft"):
            raise InvalidField("draft", "must be set")
        draft = memory_draft_of(request.draft, "draft", self._clock(), self._memories.policy, self._limits)

        def create(is_alone: bool) -> Awaitable[CreateMemories]:
            return self._memories.create_command(request.agent_id, (draft,), returns_content=True)

        async def encode(done: MemoriesCreated) -> pb.CreateMemoryResponse:
            (created,) = done.created
            known = None if created.memory is None else await self._memories.known(request.agent_id, created.memory)
            return pb.CreateMemoryResponse(
                revision=done.revision,
                memory=None if known is None else memory_message(request.agent_id, known),
                created=created.outcome is CreateMemoryOutcome.CREATED,
                outcome=int(created.outcome),  # type: ignore[arg-type]
                contradicted_memory_ids=created.contradicts,
                mentioned_times=() if known is None else self._mentioned_times(known.memory),
            )

        return Change(Preparation(create), encode, self._memories.note_change)

    @change
    def batch_create_memories(self, request: pb.BatchCreateMemoriesRequest) -> Change[MemoriesCreated]:
        """Create many memories in one commit."""
        validation.within("drafts", len(request.drafts), 1, limit.MEMORIES_PER_BATCH_MAX)
        now = self._clock()
        drafts = tuple(
            memory_draft_of(each, f"drafts[{index}]", now, self._memories.policy, self._limits)
            for index, each in enumerate(request.drafts)
        )

        def create(is_alone: bool) -> Awaitable[CreateMemories]:
            return self._memories.create_command(request.agent_id, drafts)

        async def encode(done: MemoriesCreated) -> pb.BatchCreateMemoriesResponse:
            results = [await self._result(request.agent_id, each) for each in done.created]
            return pb.BatchCreateMemoriesResponse(results=results, revision=done.revision)

        return Change(Preparation(create), encode, self._memories.note_change)

    async def ingest_conversation(
        self, request: pb.IngestConversationRequest, call: Call
    ) -> pb.IngestConversationResponse:
        """Make memories of what people state in a conversation."""
        asked = IngestionRequest(
            conversation_id_of(request.conversation_id),
            validation.optional_text("project_id", request.project_id, limit.PROJECT_ID_BYTES_MAX),
            precondition_of(request),
            validation.known("mode", request.mode, IngestMode) if request.mode else None,
        )
        done = await self._ingestion.ingest(request.agent_id, asked, write_of(request, call))
        return pb.IngestConversationResponse(
            revision=done.revision,
            conversation=conversation_message(request.agent_id, done.conversation),
            results=[await self._result(request.agent_id, each, as_it_is=True) for each in done.created],
            message_count=done.message_count,
            remaining_count=done.remaining_count,
            memory_proposals=await self.proposals_with(request.agent_id, done.proposal_ids),
        )

    @change
    def accept_memory_proposals(self, request: pb.AcceptMemoryProposalsRequest) -> Change[MemoriesCreated]:
        """Make memories of proposals."""
        proposal_ids = proposal_ids_of(request.memory_proposal_ids)

        def accept(is_alone: bool) -> Awaitable[AcceptProposals]:
            return self._proposals.accept_command(request.agent_id, proposal_ids)

        async def encode(done: MemoriesCreated) -> pb.AcceptMemoryProposalsResponse:
            results = [await self._result(request.agent_id, each) for each in done.created]
            return pb.AcceptMemoryProposalsResponse(results=results, revision=done.revision)

        return Change(Preparation(accept), encode, self._memories.note_change)

    async def get_memory(self, request: pb.GetMemoryRequest, call: Call) -> pb.GetMemoryResponse:
        """Return one memory."""
        known, revision = await self._memories.get(
            request.agent_id,
            record_id_of("memory_id", request.memory_id),
            read_time=moment_of(request.read_time, "read_time") if request.HasField("read_time") else None,
            include_forgotten=request.include_forgotten,
            include_embedding=request.include_embedding,
            consistency=consistency_of(request),
        )
        message = memory_message(request.agent_id, known, include_history=request.include_history)
        return pb.GetMemoryResponse(memory=message, revision=revision)

    async def batch_get_memories(self, request: pb.BatchGetMemoriesRequest, call: Call) -> pb.BatchGetMemoriesResponse:
        """Return many memories."""
        view = view_of(request)
        found = await self._memories.get_many(
            request.agent_id,
            _memory_ids_of(request),
            include_forgotten=request.include_forgotten,
            include_embedding=request.include_embedding,
            consistency=consistency_of(request),
        )
        return pb.BatchGetMemoriesResponse(
            memories=[viewed(memory_message(request.agent_id, each), view) for each in found.memories],
            missing_memory_ids=found.missing_ids,
            remaining_memory_ids=found.remaining_ids,
            revision=found.revision,
        )

    @change
    def update_memory(self, request: pb.UpdateMemoryRequest) -> Change[MemoryChanged]:
        """Change fields of a memory."""
        memory_id = record_id_of("memory_id", request.memory_id)
        if request.draft.memory_id not in ("", memory_id):
            raise InvalidField("draft.memory_id", "must be empty, or equal to memory_id")
        patch, vector = memory_patch_of(request.draft, request.update_mask, self._clock(), self._limits)
        updating = UpdateMemory(memory_id, patch, self._memories.policy, precondition=precondition_of(request))
        if vector is not None:
            updating = updating.with_vector(*vector, is_given=True)

        async def encode(done: MemoryChanged) -> pb.UpdateMemoryResponse:
            message = await self._message(request.agent_id, done.memory)
            return pb.UpdateMemoryResponse(
                memory=message,
                changed=done.changed,
                contradicted_memory_ids=done.contradicts,
                revision=done.revision,
            )

        preparation = Preparation(lambda is_alone: self._memories.update_command(request.agent_id, updating))
        return Change(preparation, encode, self._memories.note_change)

    async def list_memories(self, request: pb.ListMemoriesRequest, call: Call) -> pb.ListMemoriesResponse:
        """List memories, by default the last created first."""
        view = view_of(request)
        page = await self._memories.list(
            request.agent_id,
            memory_filter_of(request.filter, all_statuses=request.forgotten_only),
            page_request_of(request, call),
            order_of(request, ListOrder.CREATE_TIME_DESCENDING, rated=True),
            forgotten_only=request.forgotten_only,
            consistency=consistency_of(request),
        )
        return pb.ListMemoriesResponse(
            memories=[viewed(memory_message(request.agent_id, each), view) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )

    async def recall_memories(self, request: pb.RecallMemoriesRequest, call: Call) -> pb.RecallMemoriesResponse:
        """Return the memories that match best."""
        view = view_of(request)
        asked, further = recall_request_of(request), further_agents_of(request, call)
        recalled = await self._memories.recall(request.agent_id, asked, consistency_of(request), further)
        annotate("gen_ai.memory.record.count", len(recalled.found))
        return pb.RecallMemoriesResponse(
            memories=[viewed(scored_memory_message(each), view) for each in recalled.found],
            further_revisions=agent_revisions(zip(further, recalled.further_revisions, strict=True)),
            match_count=recalled.total,
            query_duration=duration(recalled.duration_ns),
            semantic_used=recalled.uses_meaning,
            revision=recalled.revision,
        )

    @change
    def reinforce_memory(self, request: pb.ReinforceMemoryRequest) -> Change[MemoryChanged]:
        """Raise the confidence of a memory."""
        confidence = validation.importance("confidence", request.confidence) if request.HasField("confidence") else None
        reinforcing = ReinforceMemory(
            record_id_of("memory_id", request.memory_id), self._memories.policy, confidence, precondition_of(request)
        )

        async def encode(done: MemoryChanged) -> pb.ReinforceMemoryResponse:
            message = await self._message(request.agent_id, done.memory)
            return pb.ReinforceMemoryResponse(memory=message, revision=done.revision)

        return Change(reinforcing, encode, self._memories.note_change)

    @change
    def forget_memory(self, request: pb.ForgetMemoryRequest) -> Change[MemoryForgotten]:
        """Forget a memory."""
        memory_id = record_id_of("memory_id", request.memory_id)
        forgetting = ForgetMemory(memory_id, self._memories.policy, precondition_of(request))

        async def encode(done: MemoryForgotten) -> pb.ForgetMemoryResponse:
            message = await self._message(request.agent_id, done.memory)
            return pb.ForgetMemoryResponse(memory=message, deleted=done.deleted, revision=done.revision)

        return Change(forgetting, encode, self._memories.note_change)

    @change
    def batch_forget_memories(self, request: pb.BatchForgetMemoriesRequest) -> Change[MemoriesForgotten]:
        """Forget many memories in one commit."""
        forgetting: ForgetMemories | Preparation[MemoriesForgotten]
        if request.HasField("filter"):
            if request.memory_ids:
                raise InvalidField("filter", "must not be set beside memory_ids")
            if not names_users(request.filter):
                raise InvalidField("filter.user_ids", "must be set, or all_users: forgetting has no default")
            chosen = memory_filter_of(request.filter)
            forgetting = Preparation(lambda _: self._memories.forgetting(request.agent_id, chosen))
        else:
            forgetting = ForgetMemories(_memory_ids_of(request), self._memories.policy)

        def encode(done: MemoriesForgotten) -> pb.BatchForgetMemoriesResponse:
            results = [
                pb.ForgetMemoryResult(
                    memory_id=each.memory_id,
                    deleted=each.deleted,
                    purge_time=None if each.purge_time is None else timestamp(each.purge_time),
                )
                for each in done.forgotten
            ]
            count = sum(each.deleted for each in done.forgotten)
            return pb.BatchForgetMemoriesResponse(
                deleted_count=count, results=results, remaining_count=done.remaining, revision=done.revision
            )

        return Change(forgetting, encode, self._memories.note_change)

    @change
    def restore_memory(self, request: pb.RestoreMemoryRequest) -> Change[MemoryChanged]:
        """Restore a forgotten memory."""
        memory_id = record_id_of("memory_id", request.memory_id)
        restoring = RestoreMemory(memory_id, self._memories.policy, precondition_of(request))

        async def encode(done: MemoryChanged) -> pb.RestoreMemoryResponse:
            message = await self._message(request.agent_id, done.memory)
            return pb.RestoreMemoryResponse(memory=message, changed=done.changed, revision=done.revision)

        return Change(restoring, encode, self._memories.note_change)

    @change
    def purge_memory(self, request: pb.PurgeMemoryRequest) -> Change[MemoryPurged]:
        """Purge a memory: erase it from the store and the journal."""
        memory_id = record_id_of("memory_id", request.memory_id)
        purging = PurgeMemory(memory_id, request.block_reimport, precondition_of(request), self._memories.policy)

        def encode(done: MemoryPurged) -> pb.PurgeMemoryResponse:
            return pb.PurgeMemoryResponse(deleted=done.deleted, revision=done.revision)

        return Change(purging, encode, self._memories.note_change, erases=True)

    @change
    def link_memories(self, request: pb.LinkMemoriesRequest) -> Change[MemoriesLinked]:
        """Link two memories."""
        from_id = record_id_of("from_memory_id", request.from_memory_id)
        link = MemoryLinkDraft(
            record_id_of("to_memory_id", request.to_memory_id),
            validation.known("type", request.type, LinkType),
            strength_of(request, "strength"),
        )
        if link.to_id == from_id:
            raise InvalidField("to_memory_id", "must be another memory")
        linking = LinkMemories(from_id, link, self._memories.policy, precondition_of(request))

        def encode(done: MemoriesLinked) -> pb.LinkMemoriesResponse:
            message = link_message(request.agent_id, done.link)
            return pb.LinkMemoriesResponse(
                memory_link=message, created=done.created, changed=done.changed, revision=done.revision
            )

        return Change(linking, encode, self._memories.note_change)

    @change
    def unlink_memories(self, request: pb.UnlinkMemoriesRequest) -> Change[MemoriesUnlinked]:
        """Delete links between two memories."""
        precondition = precondition_of(request)
        if precondition is not None and not request.type:
            raise InvalidField("type", "must be set with a precondition")
        unlinking = UnlinkMemories(
            record_id_of("from_memory_id", request.from_memory_id),
            record_id_of("to_memory_id", request.to_memory_id),
            self._memories.policy,
            validation.known("type", request.type, LinkType) if request.type else None,
            precondition,
        )

        def encode(done: MemoriesUnlinked) -> pb.UnlinkMemoriesResponse:
            return pb.UnlinkMemoriesResponse(deleted=done.count > 0, revision=done.revision)

        return Change(unlinking, encode, self._memories.note_change)

    async def get_memory_link(self, request: pb.GetMemoryLinkRequest, call: Call) -> pb.GetMemoryLinkResponse:
        """Return one link."""
        link, revision = await self._memories.link(
            request.agent_id,
            record_id_of("from_memory_id", request.from_memory_id),
            record_id_of("to_memory_id", request.to_memory_id),
            validation.known("type", request.type, LinkType),
            consistency_of(request),
        )
        return pb.GetMemoryLinkResponse(memory_link=link_message(request.agent_id, link), revision=revision)

    async def list_memory_links(self, request: pb.ListMemoryLinksRequest, call: Call) -> pb.ListMemoryLinksResponse:
        """List links."""
        page = await self._memories.list_links(
            request.agent_id,
            record_id_of("memory_id", request.memory_id) if request.memory_id else "",
            record_filter_of(request.filter, MEMORY_LINK_SHAPE, default_users=None if request.memory_id else NO_USER),
            page_request_of(request, call),
            order_of(request, ListOrder.ID),
            consistency_of(request),
        )
        return pb.ListMemoryLinksResponse(
            memory_links=[link_message(request.agent_id, each) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )

    async def reembed_memories(self, request: pb.ReembedMemoriesRequest, call: Call) -> pb.ReembedMemoriesResponse:
        """Replace memories' vectors by those of the server's embedder."""
        count_max = validation.within("limit", request.limit, 0, 2**31 - 1) or limit.REEMBEDDED_DEFAULT
        done = await self._memories.reembed(
            request.agent_id,
            min(count_max, limit.REEMBEDDED_MAX),
            write_of(request, call),
            replaces_given=request.replace_client_embeddings,
        )
        identity = self._memories.identity
        return pb.ReembedMemoriesResponse(
            embedded_count=done.embedded,
            remaining_count=done.left,
            model="" if identity is None else identity.model,
            version="" if identity is None else identity.version,
            revision=done.revision,
        )

    def _mentioned_times(self, memory: Memory) -> list[memory_pb2.MentionedTime]:
        return mentioned_time_messages(self._memories.mentioned_times(memory.content, memory.occur_time))

    async def _result(self, agent_id: str, created: MemoryCreated, *, as_it_is: bool = False) -> pb.CreateMemoryResult:
        return pb.CreateMemoryResult(
            memory=await self._message(agent_id, created.memory, as_it_is=as_it_is),
            created=created.outcome is CreateMemoryOutcome.CREATED,
            outcome=int(created.outcome),  # type: ignore[arg-type]
            contradicted_memory_ids=created.contradicts,
        )

    async def _message(
        self, agent_id: str, memory: Memory | None, *, as_it_is: bool = False
    ) -> memory_pb2.Memory | None:
        """Encode a memory that a change returned, None for none."""
        if memory is None:
            return None
        return memory_message(agent_id, await self._memories.known(agent_id, memory, as_it_is=as_it_is))


def _memory_ids_of(request: pb.BatchGetMemoriesRequest | pb.BatchForgetMemoriesRequest) -> tuple[str, ...]:
    validation.within("memory_ids", len(request.memory_ids), 1, limit.MEMORIES_PER_BATCH_MAX)
    return tuple(dict.fromkeys(record_id_of("memory_ids", each) for each in request.memory_ids))
