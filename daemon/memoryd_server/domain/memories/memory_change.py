"""Commands that change, reinforce, forget, restore and purge memories."""

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import InvalidField, MemoryNotFound
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.memories.embedding import Embedding, EmbeddingIdentity
from memoryd_server.domain.memories.memory import (
    Memory,
    MemoryStatus,
    MemoryType,
    Provenance,
    Purge,
    purge_digest_of,
    size_of,
)
from memoryd_server.domain.memories.memory_check import check_memory, known_memory
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.reinforcement import reinforce


class MemoryChanged(Result, frozen=True, array_like=True, tag=True):
    """The result of UpdateMemory and ForgetMemory.

    If ``changed`` is false, the memory was already as requested. ``purge_time`` is when a forgotten memory is removed,
    in ns since the Unix epoch.
    """

    changed: bool
    revision: int
    purge_time: int | None = None


class MemoryReinforced(Result, frozen=True, array_like=True, tag=True):
    """The result of ReinforceMemory: the confidence and the number of reinforcements after it."""

    confidence: float
    reinforce_count: int
    revision: int


class MemoryPurged(Result, frozen=True, array_like=True, tag=True):
    """The result of PurgeMemory."""

    revision: int


class PurgesFinished(Result, frozen=True, array_like=True, tag=True):
    """The result of FinishPurges."""

    revision: int


class EmbeddingsKept(Result, frozen=True, array_like=True, tag=True):
    """The result of KeepEmbeddings: the number of vectors that were stored."""

    count: int
    revision: int


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


class UpdateMemory(Command[MemoryChanged], frozen=True):
    """Change a memory. ``vector`` is the embedding of its content after the change, empty for none."""

    memory_id: str
    patch: MemoryPatch
    policy: MemoryPolicy
    identity: EmbeddingIdentity | None = None
    vector: bytes = b""
    is_vector_given: bool = False
    precondition: Precondition | None = None

    def with_vector(self, identity: EmbeddingIdentity, vector: bytes, *, is_given: bool) -> "UpdateMemory":
        """Return the command with the embedding of the content."""
        return msgspec.structs.replace(self, identity=identity, vector=vector, is_vector_given=is_given)

    def decide(self, transition: Transition) -> MemoryChanged:
        """Change the memory.

        Raises MemoryNotFound, RevisionMismatch, LimitExceeded, and InvalidField for a content that is kept out.
        """
        editor = transition.open(MEMORIES)
        before = known_memory(self.memory_id, transition)
        check_memory(self.precondition, before)
        after = _patched(before, self.patch, transition)
        if after != before:
            if after.content != before.content:
                if purge_digest_of(after) in editor.memories.kept_out:
                    raise InvalidField("memory.content", "must not be content that was purged with keep_out")
                editor.drop_embedding(before.memory_id)
            editor.revise(before, after, self.policy, EventType.MEMORY_UPDATED, EventCause.REQUEST)
        has_other_vector = False
        if self.identity is not None:
            given = Embedding(before.memory_id, self.identity, self.vector, self.is_vector_given)
            has_other_vector = editor.memories.embeddings.get(before.memory_id) != given
            editor.put_embedding(given)
            if after == before:
                transition.keep_revision()
        transition.check_size()
        return MemoryChanged(after != before or has_other_vector, transition.result_revision)


class ReinforceMemory(Command[MemoryReinforced], frozen=True):
    """Raise the confidence of a memory: to ``confidence``, or by a fifth of what is missing to 1."""

    memory_id: str
    policy: MemoryPolicy
    confidence: float | None = None
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> MemoryReinforced:
        """Reinforce the memory. Raises MemoryNotFound, RevisionMismatch."""
        memory = known_memory(self.memory_id, transition)
        check_memory(self.precondition, memory)
        reinforced = reinforce(memory, self.confidence, self.policy, transition, EventCause.REQUEST)
        return MemoryReinforced(reinforced.confidence, reinforced.reinforce_count, transition.revision)


class ForgetMemory(Command[MemoryChanged], frozen=True):
    """Forget a memory, or restore a forgotten one if ``restores`` is true."""

    memory_id: str
    policy: MemoryPolicy
    restores: bool = False
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> MemoryChanged:
        """Forget or restore the memory. Raises MemoryNotFound, RevisionMismatch."""
        editor = transition.open(MEMORIES)
        memory = editor.memories.find(self.memory_id, transition.now)
        if memory is None:
            raise MemoryNotFound(transition.state.agent_id, self.memory_id)
        check_memory(self.precondition, memory)
        if memory.is_forgotten is not self.restores:
            return MemoryChanged(False, transition.state.revision, memory.purge_time)
        if self.restores:
            restored = msgspec.structs.replace(
                memory, forget_time=None, purge_time=None, last_access_time=transition.now
            )
            editor.revise(memory, restored, self.policy, EventType.MEMORY_RESTORED, EventCause.REQUEST)
            return MemoryChanged(True, transition.revision)
        purge_time = transition.now + self.policy.forgotten_ns
        forgotten = msgspec.structs.replace(memory, forget_time=transition.now, purge_time=purge_time)
        editor.revise(memory, forgotten, self.policy, EventType.MEMORY_FORGOTTEN, EventCause.REQUEST)
        return MemoryChanged(True, transition.revision, purge_time)


class PurgeMemory(Command[MemoryPurged], frozen=True):
    """Remove a memory irrevocably. If ``keeps_out`` is true, its content is refused from then on."""

    memory_id: str
    keeps_out: bool = False
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> MemoryPurged:
        """Purge the memory, forgotten or not. Raises MemoryNotFound, RevisionMismatch."""
        editor = transition.open(MEMORIES)
        memory = editor.memories.find(self.memory_id, transition.now)
        if memory is None:
            raise MemoryNotFound(transition.state.agent_id, self.memory_id)
        check_memory(self.precondition, memory)
        editor.remove(memory, EventCause.REQUEST)
        earlier = editor.memories.purges.get(memory.memory_id)
        digests = () if earlier is None else earlier.digests
        if self.keeps_out:
            digests = tuple(dict.fromkeys((*digests, purge_digest_of(memory))))
        editor.put_purge(Purge(memory.memory_id, transition.now, digests, revision=transition.revision))
        return MemoryPurged(transition.revision)


class FinishPurges(Command[PurgesFinished], frozen=True):
    """Record that the journal no longer has the contents of these memories, purged up to ``revision``."""

    memory_ids: tuple[str, ...]
    revision: int

    def decide(self, transition: Transition) -> PurgesFinished:
        """Record that the purges are complete. Those that keep no content out are dropped."""
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


class EmbeddedContent(msgspec.Struct, frozen=True):
    """A vector with the content that it was computed from."""

    content: str
    embedding: Embedding


class KeepEmbeddings(Command[EmbeddingsKept], frozen=True):
    """Store embeddings that were computed after their memories were committed. The revision stays.

    If ``replaces_given`` is true, they also replace embeddings that writers supplied.
    """

    embedded: tuple[EmbeddedContent, ...]
    replaces_given: bool = False

    def decide(self, transition: Transition) -> EmbeddingsKept:
        """Store the embeddings of memories whose content is still the embedded one."""
        editor = transition.open(MEMORIES)
        kept = 0
        for embedded in self.embedded:
            memory_id = embedded.embedding.memory_id
            memory, before = (
                editor.memories.memories.get(memory_id),
                editor.memories.embeddings.get(memory_id),
            )
            is_free = before is None or not before.is_given or self.replaces_given
            if memory is not None and memory.content == embedded.content and is_free:
                editor.put_embedding(embedded.embedding)
                kept += 1
        transition.keep_revision()
        return EmbeddingsKept(kept, transition.state.revision)


def _patched(before: Memory, patch: MemoryPatch, transition: Transition) -> Memory:
    fields = {name: value for name, value in msgspec.structs.asdict(patch).items() if value is not msgspec.UNSET}
    after: Memory = msgspec.structs.replace(before, **fields)
    if after.status is MemoryStatus.ACTIVE and before.status is not MemoryStatus.ACTIVE:
        # Restart the decay: the memory would be archived again at once.
        after = msgspec.structs.replace(after, last_access_time=transition.now)
    return msgspec.structs.replace(after, size_bytes=size_of(after))
