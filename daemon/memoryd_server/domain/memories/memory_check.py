"""Checks that commands share before they change a memory."""

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import MemoryNotFound, RevisionMismatch
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.domain.memories.memory_part import MEMORIES


def known_memory(memory_id: str, transition: Transition) -> Memory:
    """Return a memory that exists and is not forgotten. Raises MemoryNotFound."""
    memory = transition.open(MEMORIES).memories.find(memory_id, transition.now)
    if memory is None or memory.is_forgotten:
        raise MemoryNotFound(transition.state.agent_id, memory_id)
    return memory


def check_memory(precondition: Precondition | None, memory: Memory) -> None:
    """Raise RevisionMismatch unless the precondition holds for the memory."""
    if precondition is not None and precondition.expected_revision not in (None, memory.revision):
        assert precondition.expected_revision is not None
        raise RevisionMismatch(precondition.expected_revision, memory.revision)
