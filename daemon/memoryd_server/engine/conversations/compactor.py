"""Compaction of conversations: planned on a thread, committed as one change, planned again after a conflict."""

from collections.abc import Sequence

import msgspec

from memoryd_server.domain.agent.precondition import Precondition, check_record
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.conversations.compaction import CompactionStrategy, ExtractToNotes, Summarize, surplus
from memoryd_server.domain.conversations.compaction_change import CompactMessages, MessagesCompacted, Summary
from memoryd_server.domain.conversations.compaction_note import notes_of
from memoryd_server.domain.conversations.conversation import CONVERSATION, CONVERSATION_KEY, MESSAGE, Conversation
from memoryd_server.domain.conversations.passage import Passage, passages_of
from memoryd_server.domain.error import RevisionMismatch, SummarizerMissing, TooLarge
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.notes.note_change import CreateNote
from memoryd_server.domain.values.token_estimate import estimated_tokens
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.engine.agents.lane import REQUESTS, TEXTS
from memoryd_server.engine.agents.request_window import RequestKey
from memoryd_server.engine.agents.write import Write
from memoryd_server.engine.limit import COMPACTIONS_TRIED_MAX, SUMMARIZED_BYTES_MAX, SUMMARIZED_TOGETHER_BYTES_MAX
from memoryd_server.ports.summarizing import Summarizer


class CompactionRequest(msgspec.Struct, frozen=True):
    """A request to compact a conversation; see CompactMessagesRequest of the wire contract."""

    conversation_id: str
    tokens_max: int
    keep_last: int
    strategy: CompactionStrategy
    precondition: Precondition | None = None


class Compaction:
    """Compacts the conversations of all agents. Without a summarizer, summarizing is refused."""

    def __init__(self, agents: AgentCache, summarizer: Summarizer | None) -> None:
        self._agents = agents
        self._summarizer = summarizer

    async def close(self) -> None:
        """Close the summarizer."""
        if self._summarizer is not None:
            await self._summarizer.close()

    async def compact(self, agent_id: str, asked: CompactionRequest, write: Write) -> MessagesCompacted:
        """Remove messages of a conversation as one change.

        Raises RecordNotFound, RevisionMismatch, TooLarge, SummarizerMissing, SummarizerUnavailable, and what the
        store raises.
        """
        planned_revision = 0
        for _ in range(COMPACTIONS_TRIED_MAX):
            command = await self._planned(agent_id, asked, write.request)
            planned_revision = command.planned_revision
            done = await self._agents.submit(agent_id, command, write)
            if not done.overtaken:
                return done
        raise RevisionMismatch(planned_revision, done.revision)

    async def _planned(self, agent_id: str, asked: CompactionRequest, request: RequestKey | None) -> CompactMessages:
        writer = await self._agents.current(agent_id)
        state = writer.state
        # Removes nothing, but checks that the conversation exists. It is enough if there is nothing to remove.
        nothing = CompactMessages(asked.conversation_id, precondition=asked.precondition)
        if request is not None and writer.remembered(request) is not None:
            return nothing
        if isinstance(asked.strategy, Summarize) and self._summarizer is None:
            raise SummarizerMissing
        conversation = state.part(CONVERSATION).find(asked.conversation_id, CONVERSATION_KEY)
        if conversation is None or conversation.message_token_count <= asked.tokens_max:
            return nothing
        name, revision = conversation.conversation_id, conversation.revision
        check_record(asked.precondition, agent_id, CONVERSATION.name, name, revision)
        plan = await TEXTS.run(lambda: _plan(asked, conversation, state, self._agents.tiers.limits_of(state)))
        if not isinstance(asked.strategy, Summarize) or not plan.command.numbers:
            return plan.command
        return msgspec.structs.replace(plan.command, summary=await self._summary(conversation.summary, plan.passages))

    async def _summary(self, earlier: str, passages: Sequence[Passage]) -> Summary:
        assert self._summarizer is not None
        text = earlier
        for passage in passages:
            text = await self._summarizer.summarize(text, passage.text)
        return Summary(earlier, text, await REQUESTS.run(lambda: estimated_tokens(text)))


class _Plan(msgspec.Struct, frozen=True):
    """The command of a compaction, and the passages to summarize before it."""

    command: CompactMessages
    passages: tuple[Passage, ...] = ()


def _plan(asked: CompactionRequest, conversation: Conversation, state: AgentState, limits: Limits) -> _Plan:
    messages = sorted(state.part(MESSAGE).group(asked.conversation_id).values(), key=lambda each: each.number)
    gone = surplus(messages, asked.tokens_max, asked.keep_last, asked.strategy)
    notes: tuple[CreateNote, ...] = ()
    if isinstance(asked.strategy, ExtractToNotes):
        strategy = asked.strategy
        important = (message for message in gone if message.importance >= strategy.min_importance)
        notes = notes_of(important, conversation, strategy.notebook, new_id(), limits)
    command = CompactMessages(
        asked.conversation_id,
        tuple(message.number for message in gone),
        state.revision,
        conversation.next_number if gone and gone[-1] is messages[-1] else 0,
        notes,
        precondition=asked.precondition,
    )
    if not isinstance(asked.strategy, Summarize):
        return _Plan(command)
    if sum(message.size_bytes for message in gone) > SUMMARIZED_BYTES_MAX:
        raise TooLarge("summarized_bytes", SUMMARIZED_BYTES_MAX)
    return _Plan(command, tuple(passages_of(gone, SUMMARIZED_TOGETHER_BYTES_MAX)))
