"""The command that stores the memories that were made of a conversation's messages, with the position reached."""

import enum

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import RESULT_BYTES, Result
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.conversations.conversation import (
    CONVERSATION,
    CONVERSATION_KEY,
    MESSAGE,
    Conversation,
    has_new_messages,
    message_key,
)
from memoryd_server.domain.conversations.due_ingestion import DUE_INGESTIONS
from memoryd_server.domain.memories.changes.memory_creation import CreateMemories, MemoryCreated, create_memories
from memoryd_server.domain.memories.changes.proposal_change import ProposeMemories, propose_memories


class IngestMode(enum.IntEnum):
    """The outcome of a statement. The numbers are those of the contract."""

    STORE = 1
    PROPOSE = 2


class MessagesIngested(Result, frozen=True, array_like=True, tag=True):
    """The result of IngestMessages: the conversation as it is now, and the outcome of each draft.

    ``message_count`` messages were read, and ``remaining_count`` later ones were not. If ``overtaken`` is true, nothing
    was changed, since another command had ingested or removed some of them: the drafts must be made again.
    ``proposal_ids`` are those of the proposals that were created instead of memories.
    """

    conversation: Conversation
    created: tuple[MemoryCreated, ...]
    message_count: int
    remaining_count: int
    revision: int
    overtaken: bool = False
    proposal_ids: tuple[str, ...] = ()

    @property
    def is_provisional(self) -> bool:
        """True if the drafts must be made again."""
        return self.overtaken

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, which includes the conversation and the outcomes."""
        created = sum(each.memory_bytes for each in self.created)
        return RESULT_BYTES * (1 + len(self.proposal_ids)) + self.conversation.size_bytes + created


class IngestMessages(Command[MessagesIngested], frozen=True):
    """Store the memories of the messages with ``numbers``, which follow ``after_number``, as one change.

    The messages are those of the agent's ``planned_revision``. ``creates`` is None if they state nothing to remember,
    or ``proposes`` has what they state. ``remaining_count`` is the number of later messages that were there.
    """

    conversation_id: str
    after_number: int = 0
    numbers: tuple[int, ...] = ()
    planned_revision: int = 0
    remaining_count: int = 0
    creates: CreateMemories | None = None
    precondition: Precondition | None = None
    proposes: ProposeMemories | None = None

    def decide(self, transition: Transition) -> MessagesIngested:
        """Create the memories or the proposals, and advance the conversation's position.

        Raises RecordNotFound, RecordExists, RevisionMismatch, and what creating memories raises.
        """
        before = transition.open(CONVERSATION).existing(self.conversation_id, CONVERSATION_KEY, self.precondition)
        if not self.numbers:
            return MessagesIngested(before, (), 0, 0, transition.result_revision)
        # No memory may be made of a message that was deleted meanwhile, or that another call has ingested.
        if before.ingested_number != self.after_number or not self._are_there(transition):
            return MessagesIngested(before, (), 0, 0, transition.result_revision, overtaken=True)
        created = () if self.creates is None else create_memories(self.creates, transition).created
        proposed = () if self.proposes is None else propose_memories(self.proposes, transition).proposed
        after = msgspec.structs.replace(
            before, ingested_number=self.numbers[-1], update_time=transition.now, revision=transition.revision
        )
        transition.open(CONVERSATION).put(after)
        if not has_new_messages(after):
            transition.open(DUE_INGESTIONS).drop(self.conversation_id)
        return MessagesIngested(
            after,
            created,
            len(self.numbers),
            self.remaining_count,
            transition.revision,
            proposal_ids=tuple(each.memory_proposal_id for each in proposed if each.created),
        )

    def _are_there(self, transition: Transition) -> bool:
        messages = transition.open(MESSAGE).records.group(self.conversation_id)
        found = (messages.get(message_key(number)) for number in self.numbers)
        # A newer one is of another conversation, which was created when the one of its id was deleted.
        return all(each is not None and each.revision <= self.planned_revision for each in found)
