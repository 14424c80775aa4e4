"""Appending of messages to conversations, with their token counts."""

import asyncio
from collections.abc import Sequence

import msgspec

from memoryd_server.domain.conversations.message_change import AppendMessages, MessagesAppended
from memoryd_server.domain.values.token_estimate import estimated_tokens
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.write import Write
from memoryd_server.engine.limit import LOOP_CHARACTERS_MAX


class Conversations:
    """The use cases of conversations that estimate tokens."""

    def __init__(self, agents: AgentCache) -> None:
        self._agents = agents

    async def append(self, agent_id: str, command: AppendMessages, write: Write) -> MessagesAppended:
        """Append messages to a conversation, with their token counts. Raises what the domain and the store raise."""
        counts = await _estimated([draft.text for draft in command.drafts])
        drafts = zip(command.drafts, counts, strict=True)
        counted = tuple(msgspec.structs.replace(draft, token_count=count) for draft, count in drafts)
        return await self._agents.submit(agent_id, msgspec.structs.replace(command, drafts=counted), write)


async def _estimated(texts: Sequence[str]) -> Sequence[int]:
    def estimated() -> Sequence[int]:
        return [estimated_tokens(text) for text in texts]

    if sum(map(len, texts)) <= LOOP_CHARACTERS_MAX:
        return estimated()
    return await asyncio.to_thread(estimated)
