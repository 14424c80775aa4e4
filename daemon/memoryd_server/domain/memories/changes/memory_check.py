"""Checks that commands share before they change a memory."""

from memoryd_server.domain.agent.precondition import Precondition, check_record
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import RecordNotFound
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.domain.memories.memory_part import MEMORIES


def known_memory(memory_id: str, transition: Transition) -> Memory:
    """Return a memory that exists and is not forgotten. Raises RecordNotFound."""
    memory = stored_memory(memory_id, transition)
    if memory is None or memory.is_forgotten:
        raise RecordNotFound(transition.state.agent_id, MEMORIES.name, memory_id)
    return memory


def stored_memory(memory_id: str, transition: Transition, precondition: Precondition | None = None) -> Memory | None:
    """Return a memory, forgotten or not, or None if it does not exist.

    Raises RecordExists, RecordNotFound or RevisionMismatch unless the precondition holds.
    """
    memory: Memory | None = transition.open(MEMORIES).memories.find(memory_id, transition.now)
    _check(precondition, transition, memory_id, 0 if memory is None else memory.revision)
    return memory


def check_memory(precondition: Precondition | None, transition: Transition, memory: Memory) -> None:
    """Raise RecordExists or RevisionMismatch unless the precondition holds for a memory that exists."""
    _check(precondition, transition, memory.memory_id, memory.revision)


def _check(precondition: Precondition | None, transition: Transition, memory_id: str, revision: int) -> None:
    check_record(precondition, transition.state.agent_id, MEMORIES.name, memory_id, revision)
