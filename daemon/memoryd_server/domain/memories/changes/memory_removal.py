"""Commands that forget and purge memories."""

from typing import Any

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import RESULT_BYTES, Result
from memoryd_server.domain.agent.trace import RecordPath
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import TooLarge
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.limit import EVENTS_PER_COMMIT_MAX, MEMORIES_PER_BATCH_MAX
from memoryd_server.domain.memories.changes.memory_check import stored_memory
from memoryd_server.domain.memories.memory import MEMORY_SHAPE, Memory, Purge, purge_digest_of
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.superseding import release_superseded, remove_memory
from memoryd_server.domain.values.record_filter import Matcher, RecordFilter


class MemoryForgotten(Result, frozen=True, array_like=True, tag=True):
    """The result of ForgetMemory: the forgotten memory, None if it does not exist.

    If ``deleted`` is false, it does not exist, or was forgotten before.
    """

    memory: Memory | None
    deleted: bool
    revision: int

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, which includes the record."""
        return RESULT_BYTES + (0 if self.memory is None else self.memory.size_bytes)


class ForgottenId(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The result of ForgetMemories for one id. ``purge_time`` is None if the memory does not exist."""

    memory_id: str
    deleted: bool
    purge_time: int | None


class MemoriesForgotten(Result, frozen=True, array_like=True, tag=True):
    """The result of ForgetMemories, in the order of the ids. ``remaining`` is that of the command."""

    forgotten: tuple[ForgottenId, ...]
    revision: int
    remaining: int = 0

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, where each id counts as a result."""
        return RESULT_BYTES * (1 + len(self.forgotten))


class MemoryPurged(Result, frozen=True, array_like=True, tag=True):
    """The result of PurgeMemory. If ``deleted`` is false, the memory does not exist."""

    deleted: bool
    revision: int


class PurgesFinished(Result, frozen=True, array_like=True, tag=True):
    """The result of FinishPurges."""

    revision: int


class ForgetMemory(Command[MemoryForgotten], frozen=True):
    """Forget a memory, if it exists."""

    memory_id: str
    policy: MemoryPolicy
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> MemoryForgotten:
        """Forget the memory. If the precondition does not hold, raises what ``stored_memory`` raises."""
        memory = stored_memory(self.memory_id, transition, self.precondition)
        if memory is None or memory.is_forgotten:
            return MemoryForgotten(memory, False, transition.result_revision)
        return MemoryForgotten(_forget(memory, self.policy, transition), True, transition.revision)


class ForgetMemories(Command[MemoriesForgotten], frozen=True):
    """Forget those of the memories that exist. No id is repeated.

    If ``chosen`` is set, the memories were selected by it, and ``remaining`` more than these: those that it does not
    keep any more are left out.
    """

    memory_ids: tuple[str, ...]
    policy: MemoryPolicy
    chosen: RecordFilter | None = None
    remaining: int = 0

    def decide(self, transition: Transition) -> MemoriesForgotten:
        """Forget the memories.

        What they superseded may have become active, and counts as an event in any case. If there are too many before
        the last memory, raises TooLarge; with ``chosen``, leaves the others to a further command.
        """
        editor, superseded_count = transition.open(MEMORIES), 0
        events_max = EVENTS_PER_COMMIT_MAX if self.chosen is None else MEMORIES_PER_BATCH_MAX
        forgotten: list[ForgottenId] = []
        matcher = None if self.chosen is None else Matcher(self.chosen, MEMORY_SHAPE)
        for index, memory_id in enumerate(self.memory_ids):
            if len(transition.events) + superseded_count > events_max:
                if matcher is None:
                    raise TooLarge("events_per_commit", events_max)
                remaining = self.remaining + len(self.memory_ids) - index
                return MemoriesForgotten(tuple(forgotten), transition.result_revision, remaining)
            memory = stored_memory(memory_id, transition)
            if matcher is not None and (memory is None or memory.is_forgotten or not matcher.keeps(memory)):
                continue
            is_there = memory is not None and not memory.is_forgotten
            if memory is not None and is_there:
                superseded_count += len(editor.memories.succession_of(memory_id).superseded)
                memory = _forget(memory, self.policy, transition)
            forgotten.append(ForgottenId(memory_id, is_there, None if memory is None else memory.purge_time))
        return MemoriesForgotten(tuple(forgotten), transition.result_revision, self.remaining)


class PurgeMemory(Command[MemoryPurged], frozen=True):
    """Remove a memory irrevocably, if it exists. If ``blocks_reimport`` is true, its content is refused afterwards."""

    memory_id: str
    blocks_reimport: bool = False
    precondition: Precondition | None = None
    policy: MemoryPolicy = MemoryPolicy()

    def removed_paths(self, result: Any) -> tuple[RecordPath, ...]:
        """Return the memory, with its vector and its versions."""
        return tuple((name, self.memory_id) for name in ("memory", "embedding", "version"))

    def decide(self, transition: Transition) -> MemoryPurged:
        """Purge the memory, forgotten or not. If the precondition fails, raises what ``stored_memory`` raises."""
        memory = stored_memory(self.memory_id, transition, self.precondition)
        if memory is None:
            return MemoryPurged(False, transition.result_revision)
        editor = transition.open(MEMORIES)
        remove_memory(memory, EventCause.REQUEST, editor, self.policy)
        earlier = editor.memories.purges.get(memory.memory_id)
        digests = () if earlier is None else earlier.digests
        if self.blocks_reimport:
            digests = tuple(dict.fromkeys((*digests, purge_digest_of(memory))))
        editor.put_purge(Purge(memory.memory_id, transition.now, digests, revision=transition.revision))
        return MemoryPurged(True, transition.revision)


class FinishPurges(Command[PurgesFinished], frozen=True):
    """Record that the journal no longer has the contents of these memories, purged up to ``revision``."""

    memory_ids: tuple[str, ...]
    revision: int

    def decide(self, transition: Transition) -> PurgesFinished:
        """Record that the purges are complete. Those that block no content are dropped."""
        editor = transition.open(MEMORIES)
        for memory_id in self.memory_ids:
            purge = editor.memories.purges.get(memory_id)
            if purge is not None and not purge.is_erased and purge.revision <= self.revision:
                if purge.digests:
                    editor.put_purge(msgspec.structs.replace(purge, is_erased=True))
                else:
                    editor.drop_purge(memory_id)
        transition.find_next_deadline()
        transition.keep_revision()
        return PurgesFinished(transition.state.revision)


def _forget(memory: Memory, policy: MemoryPolicy, transition: Transition) -> Memory:
    purge_time = transition.now + policy.forgotten_ns
    forgotten = msgspec.structs.replace(memory, forget_time=transition.now, purge_time=purge_time)
    editor = transition.open(MEMORIES)
    kept = editor.revise(memory, forgotten, policy, EventType.MEMORY_FORGOTTEN, EventCause.REQUEST)
    release_superseded(memory.memory_id, editor, policy)
    return kept
