"""Composition of contexts for a model's context window, and counting of tokens."""

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence

import msgspec

from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agents.agent import AgentDefaults, defaults_of
from memoryd_server.domain.agents.tier import Feature, Tier
from memoryd_server.domain.context.context_composition import ComposedContext, compose
from memoryd_server.domain.conversations.conversation import MESSAGE
from memoryd_server.domain.limit import QUERY_BYTES_MAX
from memoryd_server.domain.values.message import MessageRole, words
from memoryd_server.domain.values.token_estimate import estimated_tokens
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.agents.consistency import CURRENT, Consistency
from memoryd_server.engine.agents.lane import CONTEXTS
from memoryd_server.engine.agents.offload import offload
from memoryd_server.engine.context.context_source import FEATURES, DocumentsSearch, MemoriesSource, MessagesSource, Part
from memoryd_server.engine.context.section_pieces import Found, newest_messages, section_of
from memoryd_server.engine.documents.documents import Documents, SearchRequest
from memoryd_server.engine.limit import COMPOSED_RECORDS_MAX, LOOP_CHARACTERS_MAX
from memoryd_server.engine.memories.long_term_memories import LongTermMemories, RecallRequest
from memoryd_server.ports.tokenization import ESTIMATE, TokenCounter


class CompositionRequest(msgspec.Struct, frozen=True):
    """A request to compose a context; see ComposeContextRequest of the wire contract."""

    parts: Sequence[Part]
    tokens_max: int
    is_strict: bool = False
    model: str = ""
    conversation_id: str = ""
    query: str = ""


class Composition(msgspec.Struct, frozen=True):
    """A composed context, the tokenizer that counted its tokens, and the agent's revision.

    ``missing_features`` are those for which sections were left out, since the agent's tier lacks them, by their names.
    ``further_revisions`` are those of the further agents whose records sections render, by their ids.
    """

    context: ComposedContext
    tokenizer: str
    revision: int
    further_revisions: Mapping[str, int] = {}
    missing_features: Mapping[str, Feature] = {}


class Contexts:
    """The use cases of contexts. Without a token counter, tokens are estimated."""

    def __init__(
        self,
        agents: AgentCache,
        memories: LongTermMemories,
        documents: Documents,
        counter: TokenCounter | None,
        clock: Clock,
    ) -> None:
        self._agents = agents
        self._memories = memories
        self._documents = documents
        self._counter = counter
        self._clock = clock

    async def count(self, texts: Sequence[str], model: str) -> tuple[Sequence[int], str]:
        """Return the number of tokens of each text for a model, and the tokenizer."""
        tokenizer, count = await self._counting(model)
        return await self._counted(texts, count), tokenizer

    async def defaults(self, agent_id: str, consistency: Consistency = CURRENT) -> AgentDefaults:
        """Return the defaults of an agent, which may not exist."""
        return defaults_of((await self._agents.current(agent_id, consistency)).state)

    async def compose(
        self, agent_id: str, request: CompositionRequest, consistency: Consistency = CURRENT, new_tier: str = ""
    ) -> Composition:
        """Compose a context from records of an agent, and of the agents that sections name.

        ``consistency`` is that of the first agent. Sections are left out whose features its tier lacks; it is of
        ``new_tier`` if it does not exist. Raises ScopeDisposed, RecordNotFound.
        """
        tokenizer, count = await self._counting(request.model)
        state = (await self._agents.current(agent_id, consistency)).state
        missing = _missing_features(request.parts, self._agents.tiers.of(state, new_tier))
        if missing:
            parts = [part for part in request.parts if part.name not in missing]
            request = msgspec.structs.replace(request, parts=parts)
        query = request.query or await _last_question(state, request.conversation_id)
        found = await self._found(agent_id, request.parts, query, consistency)
        states = {"": (await self._agents.current(agent_id, consistency)).state}
        for part in request.parts:
            if part.agent_id not in states:
                states[part.agent_id] = (await self._agents.current(part.agent_id)).state
        now = self._clock()
        conversations = {
            agent: frozenset(
                part.source.conversation_id
                for part in request.parts
                if part.agent_id == agent and isinstance(part.source, MessagesSource)
            )
            for agent in states
        }

        def composed() -> ComposedContext:
            sections = [
                section_of(part, states[part.agent_id], found.get(part.name), now, conversations[part.agent_id])
                for part in request.parts
            ]
            return compose(sections, request.tokens_max, count, is_strict=request.is_strict)

        revisions = {each: state.revision for each, state in states.items() if each}
        return Composition(await CONTEXTS.run(composed), tokenizer, states[""].revision, revisions, missing)

    async def _found(
        self, agent_id: str, parts: Sequence[Part], query: str, consistency: Consistency
    ) -> Mapping[str, Found]:
        """Return the search results by section name. Searches run concurrently: an embedder may be slow."""
        searches = {
            part.name: self._search(
                part.agent_id or agent_id,
                part.source,
                part.source.query or query,
                CURRENT if part.agent_id else consistency,
            )
            for part in parts
            if isinstance(part.source, MemoriesSource | DocumentsSearch) and (part.source.query or query).strip()
        }
        return dict(zip(searches, await asyncio.gather(*searches.values()), strict=True))

    async def _search(
        self, agent_id: str, source: MemoriesSource | DocumentsSearch, query: str, consistency: Consistency
    ) -> Found:
        if isinstance(source, MemoriesSource):
            recall = RecallRequest(
                query,
                source.limit,
                source.filter,
                min_score=source.min_score,
                is_at_rest=True,
            )
            recalled = await self._memories.recall(agent_id, recall, consistency)
            outdated = frozenset(each.match.memory_id for each in recalled.found if each.match.contradicted_by)
            return Found([each.known.memory for each in recalled.found], outdated)
        search = SearchRequest(query, source.limit, source.filter)
        searched = await self._documents.search(agent_id, search, consistency)
        return Found(chunks=[(each.document, each.chunk) for each in searched.found])

    async def _counting(self, model: str) -> tuple[str, Callable[[str], int]]:
        counter = self._counter
        if counter is None:
            return ESTIMATE, estimated_tokens
        tokenizer = await counter.tokenizer_of(model)
        return tokenizer, lambda text: counter.count(text, tokenizer)

    async def _counted(self, texts: Sequence[str], count: Callable[[str], int]) -> Sequence[int]:
        def counted() -> Sequence[int]:
            return [count(text) for text in texts]

        if sum(map(len, texts)) <= LOOP_CHARACTERS_MAX:
            return counted()
        return await CONTEXTS.run(counted)


def _missing_features(parts: Sequence[Part], tier: Tier | None) -> dict[str, Feature]:
    if tier is None:
        return {}
    features = {part.name: FEATURES.get(type(part.source)) for part in parts}
    return {name: feature for name, feature in features.items() if feature is not None and feature not in tier.features}


async def _last_question(state: AgentState, conversation_id: str) -> str:
    """Return the newest words of the user; empty if there are none among the newest messages."""

    def asked() -> str:
        newest = itertools.islice(newest_messages(state, conversation_id), COMPOSED_RECORDS_MAX)
        said = (words(message.content, message.parts) for message in newest if message.role is MessageRole.USER)
        return next(filter(None, said), "")[:QUERY_BYTES_MAX].encode()[:QUERY_BYTES_MAX].decode(errors="ignore")

    return await offload(len(state.part(MESSAGE).group(conversation_id)), asked)
