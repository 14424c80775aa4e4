"""What goes into a model's context window, and how much of it that takes."""

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from memoryd_server.domain.context_composition import ComposedContext, TextSection, compose
from memoryd_server.domain.conversation import MessageRole
from memoryd_server.domain.limit import QUERY_BYTES_MAX
from memoryd_server.domain.memory import Memory
from memoryd_server.domain.state import AgentState
from memoryd_server.domain.token_estimate import estimated_tokens
from memoryd_server.engine.agent_cache import AgentCache
from memoryd_server.engine.clock import Clock
from memoryd_server.engine.context_source import MemoriesSource, Part, newest_messages, section_of
from memoryd_server.engine.long_term_memory import LongTermMemories, RecallRequest
from memoryd_server.ports.tokenization import ESTIMATE, TokenCounter

_AT_ONCE_CHARACTERS = 65_536
"""How long a text is counted within a few milliseconds."""


class CompositionRequest(msgspec.Struct, frozen=True):
    """A context to be composed; see ComposeContextRequest of the contract."""

    parts: Sequence[Part]
    tokens_max: int
    model: str = ""
    conversation_id: str = ""
    query: str = ""


class Composition(msgspec.Struct, frozen=True):
    """A composed context, what counted its tokens, and the agent's revision."""

    context: ComposedContext
    tokenizer: str
    revision: int


class Contexts:
    """The contexts of all agents. Without a counter, tokens are estimated."""

    def __init__(
        self, agents: AgentCache, memories: LongTermMemories, counter: TokenCounter | None, clock: Clock
    ) -> None:
        self._agents = agents
        self._memories = memories
        self._counter = counter
        self._clock = clock

    async def count(self, texts: Sequence[str], model: str) -> tuple[Sequence[int], str]:
        """How many tokens each text has for a model, and what counted."""
        tokenizer, count = await self._counting(model)

        def counted() -> Sequence[int]:
            return [count(text) for text in texts]

        if sum(map(len, texts)) <= _AT_ONCE_CHARACTERS:
            return counted(), tokenizer
        return await asyncio.to_thread(counted), tokenizer

    async def compose(self, agent_id: str, request: CompositionRequest, max_staleness_ns: int = 0) -> Composition:
        """A context of what the agent remembers. Raises ScopeDisposed, ScopeNotFound."""
        tokenizer, count = await self._counting(request.model)
        state = (await self._agents.current(agent_id, max_staleness_ns)).state
        query = request.query or _last_question(state, request.conversation_id)
        found = {part.name: await self._found(agent_id, part.source, query) for part in request.parts}
        state, now = (await self._agents.current(agent_id, max_staleness_ns)).state, self._clock()
        sections = [section_of(part, state, found[part.name], now) for part in request.parts]

        def composed() -> ComposedContext:
            return compose(sections, request.tokens_max, count)

        pieces = (
            section.pieces if isinstance(section, TextSection) else [each.piece for each in section.messages]
            for section in sections
        )
        if sum(len(piece.text) for each in pieces for piece in each) <= _AT_ONCE_CHARACTERS:
            return Composition(composed(), tokenizer, state.revision)
        return Composition(await asyncio.to_thread(composed), tokenizer, state.revision)

    async def _found(self, agent_id: str, source: object, query: str) -> Sequence[Memory]:
        """The memories that a source asks for, the best first."""
        if not isinstance(source, MemoriesSource) or not (source.query or query).strip():
            return ()
        request = RecallRequest(
            source.query or query, source.limit, source.criteria, min_score=source.min_score, is_at_rest=True
        )
        recalled = await self._memories.recall(agent_id, request)
        return [known.memory for _, known in recalled.found]

    async def _counting(self, model: str) -> tuple[str, Callable[[str], int]]:
        counter = self._counter
        if counter is None:
            return ESTIMATE, estimated_tokens
        tokenizer = await counter.tokenizer_of(model)
        return tokenizer, lambda text: counter.count(text, tokenizer)


def _last_question(state: AgentState, conversation_id: str) -> str:
    for message in newest_messages(state, conversation_id):
        if message.role is MessageRole.USER:
            return message.content.encode()[:QUERY_BYTES_MAX].decode(errors="ignore")
    return ""
