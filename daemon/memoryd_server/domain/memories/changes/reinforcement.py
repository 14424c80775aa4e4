"""Reinforcement: another source confirms a memory, which raises its confidence."""

import msgspec

from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.limit import CONFIDENCES_KEPT_MAX
from memoryd_server.domain.memories.memory import Confidence, Memory, MemoryStatus
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy

_REINFORCED_SHARE = 0.2
"""The share of the missing confidence that a reinforcement adds if it brings no confidence of its own."""


def confirmed(memory: Memory, confidence: float | None) -> float:
    """Return the confidence of a memory after another source confirms it that has this confidence, None if unknown.

    It is at least that of the source. It rises by a fifth of what is missing to 1, times the source's own confidence.
    """
    own = 1.0 if confidence is None else confidence
    surer = memory.confidence + (1 - memory.confidence) * _REINFORCED_SHARE * own
    return surer if confidence is None else max(surer, confidence)


def reinforce(
    memory: Memory, confidence: float | None, policy: MemoryPolicy, transition: Transition, cause: EventCause
) -> Memory:
    """Reinforce a memory, emit the event, and return the memory; an archived memory becomes active.

    Its confidence becomes ``confidence`` or, if that is None, rises by a fifth of what is missing to 1.
    """
    editor = transition.open(MEMORIES)
    value = confirmed(memory, None) if confidence is None else confidence
    is_archived = memory.status is MemoryStatus.ARCHIVED
    reinforced = msgspec.structs.replace(
        memory,
        revision=transition.revision,
        confidences=(*memory.confidences, Confidence(transition.now, value))[-CONFIDENCES_KEPT_MAX:],
        reinforce_count=memory.reinforce_count + 1,
        reinforce_time=transition.now,
        status=MemoryStatus.ACTIVE if is_archived else memory.status,
    )
    if is_archived:
        return editor.revise(memory, reinforced, policy, EventType.MEMORY_REINFORCED, cause)
    kept = editor.put(reinforced, policy)
    editor.emit_memory(EventType.MEMORY_REINFORCED, kept, cause, memory)
    return kept
