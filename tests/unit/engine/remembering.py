"""Shortcuts for the long-term memories of an engine."""

from typing import Any

from tests.unit.domain.sample import memory_draft
from tests.unit.engine.world import World
from tests.unit.record_filters import of_memories

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.memories.changes.link_change import LinkMemories
from memoryd_server.domain.memories.changes.memory_change import MemoryPatch, RestoreMemory, UpdateMemory
from memoryd_server.domain.memories.changes.memory_creation import MemoryCreated
from memoryd_server.domain.memories.changes.memory_removal import ForgetMemory, PurgeMemory
from memoryd_server.domain.memories.memory import MemoryDraft, MemoryStatus
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLinkDraft
from memoryd_server.domain.values.record_filter import RecordFilter
from memoryd_server.engine.agents.listing import Page, PageRequest
from memoryd_server.engine.agents.token import digest
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.memories.long_term_memories import KnownMemory, LongTermMemories, Recalled, RecallRequest

ACTIVE = of_memories(statuses=frozenset({MemoryStatus.ACTIVE}))


def memories(world: World) -> LongTermMemories:
    """Return the engine's use cases of memories."""
    return world.engine.memories


async def create(
    world: World, *drafts: MemoryDraft, agent: str = "a", write: Write = UNCONDITIONAL
) -> tuple[MemoryCreated, ...]:
    """Create memories as one change. Return the outcome of each draft."""
    command = await memories(world).create_command(agent, drafts)
    return (await memories(world).change(agent, command, write)).created


async def remember(world: World, content: str, user_id: str = "ann", agent: str = "a", **fields: object) -> str:
    """Create a memory. Return its id, or that of the memory that was reinforced."""
    (created,) = await create(world, memory_draft(content, user_id, **fields), agent=agent)
    return created.memory_id


async def change(world: World, requested: Command, agent: str = "a") -> Any:
    """Run a command and return its result."""
    return await memories(world).change(agent, requested, UNCONDITIONAL)


async def rewrite(world: World, memory_id: str, content: str) -> None:
    """Replace the content of a memory."""
    patch = MemoryPatch(content=content)
    updating = UpdateMemory(memory_id, patch, memories(world).policy)
    await change(world, await memories(world).update_command("a", updating))


async def forget(world: World, memory_id: str) -> None:
    """Forget a memory."""
    await change(world, ForgetMemory(memory_id, memories(world).policy))


async def restore(world: World, memory_id: str) -> None:
    """Restore a forgotten memory."""
    await change(world, RestoreMemory(memory_id, memories(world).policy))


async def link(
    world: World, from_id: str, to_id: str, link_type: LinkType = LinkType.RELATED, strength: float = 0.5
) -> Any:
    """Link two memories."""
    drafted = MemoryLinkDraft(to_id, link_type, strength)
    return await change(world, LinkMemories(from_id, drafted, memories(world).policy))


async def purge(world: World, memory_id: str, *, blocks_reimport: bool = False) -> None:
    """Purge a memory. If ``blocks_reimport`` is true, refuse its content in future."""
    await change(world, PurgeMemory(memory_id, blocks_reimport))
    await memories(world).erase("a")


async def recall(world: World, text: str, agent: str = "a", limit: int = 10, **fields: Any) -> Recalled:
    """Return the active memories that match a text."""
    fields.setdefault("filter", ACTIVE)
    return await memories(world).recall(agent, RecallRequest(text, limit, **fields))


async def listed(
    world: World,
    criteria: RecordFilter = ACTIVE,
    *,
    size: int = 10,
    token: str = "",
    forgotten_only: bool = False,
) -> Page[KnownMemory]:
    """Return a page of the memories that a filter keeps."""
    request = PageRequest(digest("q"), size, token)
    return await memories(world).list("a", criteria, request, forgotten_only=forgotten_only)


async def get(world: World, memory_id: str, **fields: object) -> KnownMemory:
    """Return a memory, which counts as a recall of it."""
    return (await memories(world).get("a", memory_id, **fields))[0]  # type: ignore[arg-type]


async def found(world: World, text: str, agent: str = "a", **fields: Any) -> list[str]:
    """Return the contents of the memories that match, the best first."""
    return [each.known.memory.content for each in (await recall(world, text, agent, **fields)).found]


def state(world: World, agent: str = "a") -> AgentState:
    """Return the current state of a loaded agent."""
    writer = world.cache.peek(agent)
    assert writer is not None
    known: AgentState = writer.state
    return known
