"""Checks that commands share before they change a memory."""

from memoryd_server.domain.agent.precondition import Precondition, check
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import MemoryExists, MemoryNotFound
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.domain.memories.memory_part import MEMORIES


def known_memory(memory_id: str, transition: Transition) -> Memory:
    """Return a memory that exists and is not forgotten. Raises MemoryNotFound."""
    memory = stored_memory(memory_id, transition)
    if memory is None or memory.is_forgotten:
        raise MemoryNotFound(transition.state.agent_id, memory_id)
    return memory


def stored_memory(memory_id: str, transition: Transition, precondition: Precondition | None = None) -> Memory | None:
    """Return a memory, forgotten or not, or None if it does not exist.

    Raises MemoryExists, MemoryNotFound or RevisionMismatch unless the precondition holds.
    """
    memory: Memory | None = transition.open(MEMORIES).memories.find(memory_id, transition.now)
    _check(precondition, transition, memory_id, 0 if memory is None else memory.revision)
    return memory


def check_memory(precondition: Precondition | None, transition: Transition, memory: Memory) -> None:
    """Raise MemoryExists or RevisionMismatch unless the precondition holds for a memory that exists."""
    _check(precondition, transition, memory.memory_id, memory.revision)


def _check(precondition: Precondition | None, transition: Transition, memory_id: str, revision: int) -> None:
    agent_id = transition.state.agent_id
    check(precondition, revision, lambda: MemoryExists(memory_id), lambda: MemoryNotFound(agent_id, memory_id))
