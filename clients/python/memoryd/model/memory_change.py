"""The results of changing memories."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from memoryd.model.conversation import ConversationInfo, conversation_from
from memoryd.model.enum_word import EnumWords
from memoryd.model.memory import Memory, MentionedTime, memory_from, memory_in, mentioned_times_from
from memoryd.model.memory_link import MemoryLink, link_from
from memoryd.model.memory_proposal import MemoryProposal, proposal_from
from memoryd.model.moment import datetime_in
from memoryd.v1 import long_term_memory_service_pb2 as pb


class CreateMemoryOutcome(StrEnum):
    """The outcome for a draft: a new memory, a reinforcement of the one that it duplicates, or nothing.

    ``BLOCKED`` means that the content was purged before, so that it must not be stored again.
    """

    UNSPECIFIED = "unspecified"
    CREATED = "created"
    REINFORCED = "reinforced"
    BLOCKED = "blocked"


CREATE_MEMORY_OUTCOME = EnumWords(pb.CreateMemoryOutcome, "CREATE_MEMORY_OUTCOME")


@dataclass(frozen=True, slots=True)
class CreatedMemory:
    """The result of creating a memory.

    ``memory`` is the memory that was created or reinforced, and None when the content is blocked; those of
    ``create_many`` have no content. ``contradicted_memory_ids`` are the memories that the new one contradicts and was
    linked with. ``revision`` is the agent's. ``mentioned_times`` are the times that the content names, such as "two
    weeks ago": a query that names one of them prefers the memory. ``create_many`` leaves them out.
    """

    memory: Memory | None
    created: bool
    outcome: CreateMemoryOutcome
    contradicted_memory_ids: tuple[str, ...]
    revision: int
    mentioned_times: tuple[MentionedTime, ...] = ()

    @property
    def memory_id(self) -> str:
        """The id of the memory; empty when the content is blocked."""
        return "" if self.memory is None else self.memory.memory_id


@dataclass(frozen=True, slots=True)
class IngestedConversation:
    """The result of ingesting a conversation: the conversation as it is now, and the result of each statement.

    ``message_count`` messages were read; ``remaining_count`` later ones are read by the next call. ``revision`` is the
    agent's. ``proposals`` are those that were put into the review queue instead of memories.
    """

    conversation: ConversationInfo
    results: tuple[CreatedMemory, ...]
    message_count: int
    remaining_count: int
    revision: int
    proposals: tuple[MemoryProposal, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangedMemory:
    """The memory as an update or a restore left it.

    ``changed`` is false if it was already as requested. ``revision`` is the agent's. ``contradicted_memory_ids`` are
    the memories that an updated content contradicts, and the old one did not.
    """

    memory: Memory
    changed: bool
    revision: int
    contradicted_memory_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForgottenMemory:
    """The result of forgetting a memory.

    ``deleted`` is false if it does not exist, or was forgotten before. ``memory`` is None if it does not exist; it can
    be restored until its ``purge_time``. ``revision`` is the agent's.
    """

    deleted: bool
    memory: Memory | None
    revision: int


@dataclass(frozen=True, slots=True)
class ForgetMemoryResult:
    """The result of forgetting one of many memories.

    ``deleted`` is false if it does not exist, or was forgotten before. ``purge_time`` is the time until which it can be
    restored, and None if it does not exist.
    """

    memory_id: str
    deleted: bool
    purge_time: datetime | None


@dataclass(frozen=True, slots=True)
class LinkedMemories:
    """The link as linking two memories left it.

    ``created`` is true if it did not exist before, ``changed`` if it was created or got another strength. ``revision``
    is the agent's.
    """

    link: MemoryLink
    created: bool
    changed: bool
    revision: int


@dataclass(frozen=True, slots=True)
class Reembedding:
    """The progress of embedding memories.

    ``embedded_count`` is the number of vectors that the call made, ``remaining_count`` that of the memories that still
    need one. ``model`` and ``version`` are those of the server's embedder.
    """

    embedded_count: int = 0
    remaining_count: int = 0
    model: str = ""
    version: str = ""

    def __add__(self, later: "Reembedding") -> "Reembedding":
        """The progress after both calls, of which ``later`` is the last."""
        return replace(later, embedded_count=self.embedded_count + later.embedded_count)


def created_memory_from(message: pb.CreateMemoryResponse | pb.CreateMemoryResult, revision: int) -> CreatedMemory:
    """Return the result of creating a memory."""
    return CreatedMemory(
        memory=memory_in(message),
        created=message.created,
        outcome=CREATE_MEMORY_OUTCOME.word(CreateMemoryOutcome, message.outcome),
        contradicted_memory_ids=tuple(message.contradicted_memory_ids),
        revision=revision,
        mentioned_times=mentioned_times_from(message.mentioned_times)
        if isinstance(message, pb.CreateMemoryResponse)
        else (),
    )


def ingested_conversation_from(message: pb.IngestConversationResponse) -> IngestedConversation:
    """Return the result of ingesting a conversation."""
    return IngestedConversation(
        conversation=conversation_from(message.conversation),
        results=tuple(created_memory_from(each, message.revision) for each in message.results),
        message_count=message.message_count,
        remaining_count=message.remaining_count,
        revision=message.revision,
        proposals=tuple(proposal_from(each) for each in message.memory_proposals),
    )


def changed_memory_from(message: pb.UpdateMemoryResponse | pb.RestoreMemoryResponse) -> ChangedMemory:
    """Return the result of an update or a restore."""
    contradicted = message.contradicted_memory_ids if isinstance(message, pb.UpdateMemoryResponse) else ()
    return ChangedMemory(memory_from(message.memory), message.changed, message.revision, tuple(contradicted))


def forgotten_memory_from(message: pb.ForgetMemoryResponse) -> ForgottenMemory:
    """Return the result of forgetting a memory."""
    return ForgottenMemory(message.deleted, memory_in(message), message.revision)


def forget_results_from(message: pb.BatchForgetMemoriesResponse) -> tuple[ForgetMemoryResult, ...]:
    """Return the results of forgetting many memories."""
    return tuple(
        ForgetMemoryResult(each.memory_id, each.deleted, datetime_in(each, "purge_time")) for each in message.results
    )


def linked_memories_from(message: pb.LinkMemoriesResponse) -> LinkedMemories:
    """Return the result of linking two memories."""
    return LinkedMemories(link_from(message.memory_link), message.created, message.changed, message.revision)


def reembedding_from(message: pb.ReembedMemoriesResponse) -> Reembedding:
    """Return the progress of embedding memories."""
    return Reembedding(message.embedded_count, message.remaining_count, message.model, message.version)
