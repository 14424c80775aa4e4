"""Commands that change, reinforce and restore memories."""

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import RESULT_BYTES, Result
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import InvalidField, RecordNotFound
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.memories.changes.kin_link import link_kin, unlink_kin
from memoryd_server.domain.memories.changes.memory_check import check_memory, known_memory, stored_memory
from memoryd_server.domain.memories.changes.reinforcement import reinforce
from memoryd_server.domain.memories.embedding import Embedding, EmbeddingIdentity
from memoryd_server.domain.memories.memory import (
    Memory,
    MemoryStatus,
    MemoryType,
    Provenance,
    purge_digest_of,
    size_of,
)
from memoryd_server.domain.memories.memory_link import LinkType
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.superseding import restore_memory


class MemoryChanged(Result, frozen=True, array_like=True, tag=True):
    """The result of UpdateMemory, ReinforceMemory and RestoreMemory: the memory after it.

    If ``changed`` is false, the memory was already as requested. ``contradicts`` are the memories that a new content
    was linked with.
    """

    memory: Memory
    changed: bool
    revision: int
    contradicts: tuple[str, ...] = ()

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, which includes the record."""
        return RESULT_BYTES + self.memory.size_bytes


class MemoryPatch(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fields to change of a memory. A field that is UNSET keeps its value. Times are ns since the Unix epoch."""

    content: str | msgspec.UnsetType = msgspec.UNSET
    type: MemoryType | msgspec.UnsetType = msgspec.UNSET
    status: MemoryStatus | msgspec.UnsetType = msgspec.UNSET
    provenance: Provenance | msgspec.UnsetType = msgspec.UNSET
    tags: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    metadata_json: str | msgspec.UnsetType = msgspec.UNSET
    importance: float | msgspec.UnsetType = msgspec.UNSET
    occur_time: int | msgspec.UnsetType = msgspec.UNSET
    expire_time: int | msgspec.UnsetType | None = msgspec.UNSET
    aliases: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET


class UpdateMemory(Command[MemoryChanged], frozen=True):
    """Change a memory. ``vector`` is the embedding of its content after the change, empty for none.

    The engine finds beforehand what a new content ``contradicts``, with strengths, and what it ``agrees_with`` although
    the old one contradicted it: the memory is linked with the former, and no longer with the latter.
    """

    memory_id: str
    patch: MemoryPatch
    policy: MemoryPolicy
    identity: EmbeddingIdentity | None = None
    vector: bytes = b""
    is_vector_given: bool = False
    precondition: Precondition | None = None
    contradicts: tuple[tuple[str, float], ...] = ()
    agrees_with: tuple[str, ...] = ()

    def with_vector(self, identity: EmbeddingIdentity, vector: bytes, *, is_given: bool) -> "UpdateMemory":
        """Return the command with the embedding of the content."""
        return msgspec.structs.replace(self, identity=identity, vector=vector, is_vector_given=is_given)

    def decide(self, transition: Transition) -> MemoryChanged:
        """Change the memory.

        Raises RecordNotFound, RevisionMismatch, QuotaExceeded, and InvalidField for a content that is blocked.
        """
        editor = transition.open(MEMORIES)
        before = known_memory(self.memory_id, transition)
        check_memory(self.precondition, transition, before)
        after = _patched(before, self.patch, transition)
        if after != before:
            if after.content != before.content:
                if purge_digest_of(after) in editor.memories.blocked:
                    raise InvalidField("draft.content", "must not be content that was purged with block_reimport")
                editor.drop_embedding(before.memory_id)
            after = editor.revise(before, after, self.policy, EventType.MEMORY_UPDATED, EventCause.REQUEST)
        contradicts: tuple[str, ...] = ()
        if after.content != before.content:
            unlink_kin(self.memory_id, self.agrees_with, transition)
            cause = EventCause.CONTRADICTION
            contradicts = link_kin(after, LinkType.CONTRADICTS, self.contradicts, cause, transition)
        has_other_vector = False
        if self.identity is not None:
            given = Embedding(before.memory_id, self.identity, self.vector, self.is_vector_given)
            has_other_vector = editor.memories.embeddings.get(before.memory_id) != given
            editor.put_embedding(given)
            if after == before:
                transition.keep_revision()
        transition.check_size()
        return MemoryChanged(after, after != before or has_other_vector, transition.result_revision, contradicts)


class ReinforceMemory(Command[MemoryChanged], frozen=True):
    """Raise the confidence of a memory: to ``confidence``, or by a fifth of what is missing to 1."""

    memory_id: str
    policy: MemoryPolicy
    confidence: float | None = None
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> MemoryChanged:
        """Reinforce the memory. Raises RecordNotFound, RevisionMismatch."""
        memory = known_memory(self.memory_id, transition)
        check_memory(self.precondition, transition, memory)
        reinforced = reinforce(memory, self.confidence, self.policy, transition, EventCause.REQUEST)
        return MemoryChanged(reinforced, True, transition.revision)


class RestoreMemory(Command[MemoryChanged], frozen=True):
    """Restore a forgotten memory."""

    memory_id: str
    policy: MemoryPolicy
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> MemoryChanged:
        """Restore the memory. Raises RecordNotFound, RecordExists, RevisionMismatch."""
        memory = stored_memory(self.memory_id, transition)
        if memory is None:
            raise RecordNotFound(transition.state.agent_id, MEMORIES.name, self.memory_id)
        check_memory(self.precondition, transition, memory)
        if not memory.is_forgotten:
            return MemoryChanged(memory, False, transition.result_revision)
        kept = restore_memory(memory, transition.open(MEMORIES), self.policy)
        return MemoryChanged(kept, True, transition.revision)


def _patched(before: Memory, patch: MemoryPatch, transition: Transition) -> Memory:
    fields = {name: value for name, value in msgspec.structs.asdict(patch).items() if value is not msgspec.UNSET}
    after: Memory = msgspec.structs.replace(before, **fields)
    if after.status is MemoryStatus.ACTIVE and before.status is not MemoryStatus.ACTIVE:
        # Restart the decay: the memory would be archived again at once.
        after = msgspec.structs.replace(after, last_access_time=transition.now)
    return msgspec.structs.replace(after, size_bytes=size_of(after))
