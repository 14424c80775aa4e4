"""Short ways to use the long-term memories of an engine."""

from typing import Any

from tests.unit.domain.sample import memory_draft
from tests.unit.engine.world import World

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.memories.link_change import LinkMemories
from memoryd_server.domain.memories.memory import MemoryDraft, MemoryStatus
from memoryd_server.domain.memories.memory_change import ForgetMemory, MemoryPatch, PurgeMemory, UpdateMemory
from memoryd_server.domain.memories.memory_creation import MemoryCreated
from memoryd_server.domain.memories.memory_link import DraftLink, LinkType
from memoryd_server.engine.agents.request_window import RequestKey
from memoryd_server.engine.memories.long_term_memories import LongTermMemories, Recalled, RecallRequest
from memoryd_server.ports.retrieval import Criteria

ACTIVE = Criteria(statuses=frozenset({MemoryStatus.ACTIVE}))


def memories(world: World) -> LongTermMemories:
    """The use cases."""
    return world.engine.memories


async def create(
    world: World, *drafts: MemoryDraft, agent: str = "a", request: RequestKey | None = None
) -> tuple[MemoryCreated, ...]:
    """Create memories as one change; what became of each draft."""
    return (await memories(world).create(agent, drafts, None, "", request)).created


async def remember(world: World, content: str, user_id: str = "ann", agent: str = "a", **fields: object) -> str:
    """Create a memory; its id, or that of the one that was reinforced."""
    (created,) = await create(world, memory_draft(content, user_id, **fields), agent=agent)
    return created.memory_id


async def change(world: World, requested: Command, agent: str = "a") -> Any:
    """Carry a command out."""
    return await memories(world).change(agent, requested, "", None)


async def rewrite(world: World, memory_id: str, content: str) -> None:
    """Give a memory another content."""
    patch = MemoryPatch(content=content)
    await memories(world).update("a", UpdateMemory(memory_id, patch, memories(world).policy), "", None)


async def forget(world: World, memory_id: str, *, restores: bool = False) -> None:
    """Forget a memory, or restore it."""
    await change(world, ForgetMemory(memory_id, memories(world).policy, restores))


async def link(
    world: World, from_id: str, to_id: str, link_type: LinkType = LinkType.RELATED, strength: float = 0.5
) -> Any:
    """Link two memories."""
    drafted = DraftLink(to_id, link_type, strength)
    return await change(world, LinkMemories(from_id, drafted, memories(world).policy))


async def purge(world: World, memory_id: str, *, keeps_out: bool = False) -> None:
    """Remove a memory for good."""
    await memories(world).purge("a", PurgeMemory(memory_id, keeps_out), "", None)


async def recall(world: World, text: str, agent: str = "a", limit: int = 10, **fields: Any) -> Recalled:
    """Recall the active memories that match."""
    fields.setdefault("criteria", ACTIVE)
    return await memories(world).recall(agent, RecallRequest(text, limit, **fields))


async def found(world: World, text: str, agent: str = "a", **fields: Any) -> list[str]:
    """The contents of what is recalled, the best first."""
    return [known.memory.content for _, known in (await recall(world, text, agent, **fields)).found]


def state(world: World, agent: str = "a") -> AgentState:
    """An agent that is in memory, as it is now."""
    writer = world.cache.peek(agent)
    assert writer is not None
    known: AgentState = writer.state
    return known
