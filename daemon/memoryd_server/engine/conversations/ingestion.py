"""Memories of conversations: proposed, and committed with the position reached, again after a conflict."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from weakref import WeakValueDictionary

import msgspec

from memoryd_server.domain.agent.precondition import Precondition, check_record
from memoryd_server.domain.conversations.conversation import (
    CONVERSATION,
    CONVERSATION_KEY,
    MESSAGE,
    Conversation,
    ConversationMessage,
    has_new_messages,
)
from memoryd_server.domain.conversations.ingestion_change import IngestMessages, IngestMode, MessagesIngested
from memoryd_server.domain.error import RevisionMismatch
from memoryd_server.domain.limit import MEMORIES_PER_BATCH_MAX, MESSAGES_PER_CALL_MAX
from memoryd_server.domain.memories.changes.proposal_change import ProposeMemories
from memoryd_server.domain.memories.memory import MemoryDraft, MemoryType, Provenance
from memoryd_server.domain.memories.proposals.proposal import Proposal
from memoryd_server.domain.values.message import MessageRole, words
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.engine.agents.lane import TEXTS
from memoryd_server.engine.agents.request_window import RequestKey
from memoryd_server.engine.agents.write import Write
from memoryd_server.engine.conversations.rule_proposer import RuleProposer
from memoryd_server.engine.limit import INGESTIONS_TRIED_MAX
from memoryd_server.engine.memories.long_term_memories import LongTermMemories
from memoryd_server.ports.proposing import Proposer

_AUTHOR = re.compile(r"[^\W\d][\w .-]{0,30}")
"""The names that comparisons of contents find in front of them: a statement by another name would be of nobody."""


class IngestionRequest(msgspec.Struct, frozen=True):
    """A request to ingest a conversation; see IngestConversationRequest of the wire contract."""

    conversation_id: str
    project_id: str = ""
    precondition: Precondition | None = None
    mode: IngestMode | None = None


class Ingestion:
    """Makes memories of what people state in the conversations of all agents, or proposals of them.

    ``mode`` says which, where a request does not. Without a proposer, the rules find what people state.
    """

    def __init__(
        self,
        agents: AgentCache,
        memories: LongTermMemories,
        proposer: Proposer | None = None,
        mode: IngestMode = IngestMode.STORE,
    ) -> None:
        self._agents = agents
        self._memories = memories
        self._proposer = proposer or RuleProposer()
        self._mode = mode
        self._turns: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def close(self) -> None:
        """Close the proposer."""
        await self._proposer.close()

    async def ingest(self, agent_id: str, asked: IngestionRequest, write: Write) -> MessagesIngested:
        """Make memories of the messages after the conversation's position, and advance it, as one change.

        At most MESSAGES_PER_CALL_MAX messages are read. Raises RecordNotFound, RevisionMismatch, ProposerUnavailable,
        Overloaded, and what creating memories raises.
        """
        # One after the other: what two calls at the same time ask a model costs twice, and is stored once.
        async with self._turns.setdefault((agent_id, asked.conversation_id), asyncio.Lock()):
            for _ in range(INGESTIONS_TRIED_MAX):
                command = await self._planned(agent_id, asked, write.request)
                done = await self._memories.change(agent_id, command, write)
                if not done.overtaken:
                    return done
        raise RevisionMismatch(done.conversation.revision, done.revision)

    async def _planned(self, agent_id: str, asked: IngestionRequest, request: RequestKey | None) -> IngestMessages:
        writer = await self._agents.current(agent_id)
        # Reads nothing, but checks that the conversation exists. It is enough if there is nothing to read.
        nothing = IngestMessages(asked.conversation_id, precondition=asked.precondition)
        if request is not None and writer.remembered(request) is not None:
            return nothing
        state = writer.state
        conversation = state.part(CONVERSATION).find(asked.conversation_id, CONVERSATION_KEY)
        if conversation is None or not has_new_messages(conversation):
            return nothing
        name, revision = conversation.conversation_id, conversation.revision
        check_record(asked.precondition, agent_id, CONVERSATION.name, name, revision)
        group = state.part(MESSAGE).group(asked.conversation_id)
        new = await TEXTS.run(lambda: _new_messages(list(group.values()), conversation))
        messages = new[:MESSAGES_PER_CALL_MAX]
        proposals = await self._proposer.propose(
            [words(each.content, each.parts) for each in messages if _is_source(each)]
        )
        draft = MemoryDraft(
            "",
            conversation.user_id,
            MemoryType.SEMANTIC,
            project_id=asked.project_id,
            metadata_json=self._proposer.metadata_json,
        )
        read, drafts = _drafted(messages, proposals, draft)
        if not read:
            return nothing
        creates = proposes = None
        if drafts and (asked.mode or self._mode) is IngestMode.PROPOSE:
            proposes = ProposeMemories(tuple(drafts), new_id())
        elif drafts:
            creates = await self._memories.create_command(agent_id, drafts)
        return IngestMessages(
            asked.conversation_id,
            conversation.ingested_number,
            tuple(message.number for message in read),
            state.revision,
            len(new) - len(read),
            creates,
            asked.precondition,
            proposes,
        )


def _new_messages(messages: Sequence[ConversationMessage], conversation: Conversation) -> Sequence[ConversationMessage]:
    """Return the messages after the position of the conversation, in their order."""
    new = (message for message in messages if message.number > conversation.ingested_number)
    return sorted(new, key=lambda message: message.number)


def _is_source(message: ConversationMessage) -> bool:
    # Only people are a source: a model guesses, and repeats what it was given from memory.
    return message.role is MessageRole.USER and (not message.name or _AUTHOR.fullmatch(message.name) is not None)


def _drafted(
    messages: Sequence[ConversationMessage], proposals: Sequence[Sequence[Proposal]], draft: MemoryDraft
) -> tuple[list[ConversationMessage], list[MemoryDraft]]:
    """Return the messages that were read, the first ones, and the memories of them.

    ``proposals`` are those for the first sources among the messages. ``draft`` has what all memories have in common.
    """
    read: list[ConversationMessage] = []
    drafts: list[MemoryDraft] = []
    found = iter(proposals)
    for message in messages:
        more = next(found, None) if _is_source(message) else ()
        if more is None or len(drafts) + len(more) > MEMORIES_PER_BATCH_MAX:
            break
        read.append(message)
        drafts += _drafts_of(message, more, draft)
    return read, drafts


def _drafts_of(
    message: ConversationMessage, proposals: Iterable[Proposal], draft: MemoryDraft
) -> Iterator[MemoryDraft]:
    for proposal in proposals:
        yield msgspec.structs.replace(
            draft,
            content=f"{message.name}: {proposal.text}" if message.name else proposal.text,
            type=proposal.kind.memory_type,
            provenance=Provenance(message.conversation_id, "", proposal.sentence, message.number, message.number),
            tags=(proposal.kind.value,),
            occur_time=message.create_time,
        )
