"""Commands that append messages to conversations, and delete the last ones."""

from collections.abc import Sequence

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
    ConversationMessage,
    MessageDraft,
    message_alias,
    message_key,
)
from memoryd_server.domain.conversations.conversation_change import new_conversation
from memoryd_server.domain.conversations.due_ingestion import note_due
from memoryd_server.domain.error import QuotaExceeded, RecordExists, RecordNotFound


class MessagesAppended(Result, frozen=True, array_like=True, tag=True):
    """The result of AppendMessages: the conversation as it is now, and the ids of the messages in their order."""

    conversation: Conversation
    message_ids: tuple[str, ...]
    revision: int

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, which includes the conversation and the ids."""
        return RESULT_BYTES + self.conversation.size_bytes + sum(map(len, self.message_ids))


class MessagesTruncated(Result, frozen=True, array_like=True, tag=True):
    """The result of TruncateMessages: the conversation as it is now, and the number of messages deleted."""

    conversation: Conversation
    deleted_count: int
    revision: int

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, which includes the conversation."""
        return RESULT_BYTES + self.conversation.size_bytes


class AppendMessages(Command[MessagesAppended], frozen=True):
    """Append messages to a conversation, which is created if it does not exist.

    ``ingest_ns`` is the time after which the conversation is to be ingested, unless further messages come; None for
    never.
    """

    conversation_id: str
    drafts: tuple[MessageDraft, ...]
    precondition: Precondition | None = None
    ingest_ns: int | None = None

    def decide(self, transition: Transition) -> MessagesAppended:
        """Append messages. Raises RecordExists, RecordNotFound, RevisionMismatch, QuotaExceeded."""
        conversations, messages = transition.open(CONVERSATION), transition.open(MESSAGE)
        there = conversations.found(self.conversation_id, CONVERSATION_KEY, self.precondition)
        before = new_conversation(self.conversation_id, transition) if there is None else there
        messages_max = transition.limits.messages_per_agent
        if len(messages.records) + len(self.drafts) > messages_max:
            raise QuotaExceeded("messages_per_agent", messages_max)
        after = msgspec.structs.replace(
            before,
            next_number=before.next_number + len(self.drafts),
            message_count=before.message_count + len(self.drafts),
            token_count=before.token_count + sum(draft.token_count for draft in self.drafts),
            update_time=transition.now,
            revision=transition.revision,
        )
        # A watcher learns of a conversation before its messages. Later ones imply how they change its counts, whose
        # event would repeat the summary and the metadata with each message.
        conversations.put(after, emits=there is None)
        for number, draft in enumerate(self.drafts, before.next_number):
            same = messages.records.aliased(message_alias(self.conversation_id, draft.message_id))
            if same is not None:
                place = MESSAGE.place(self.conversation_id)
                raise RecordExists(MESSAGE.name, draft.message_id, same.revision, **place)
            messages.put(_message_of(draft, self.conversation_id, number, transition))
        if self.ingest_ns is not None:
            note_due(self.conversation_id, self.ingest_ns, transition)
        return MessagesAppended(after, tuple(draft.message_id for draft in self.drafts), transition.revision)


class TruncateMessages(Command[MessagesTruncated], frozen=True):
    """Delete a message and all after it: the one with ``from_message_id``, or if that is empty, ``from_number``."""

    conversation_id: str
    from_number: int = 0
    from_message_id: str = ""
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> MessagesTruncated:
        """Delete the last messages. Raises RecordNotFound, RecordExists, RevisionMismatch."""
        before = transition.open(CONVERSATION).existing(self.conversation_id, CONVERSATION_KEY, self.precondition)
        deleted = _from(before, self._first_number(transition), transition)
        if not deleted:
            return MessagesTruncated(before, 0, transition.result_revision)
        transition.open(MESSAGE).remove_all(self.conversation_id, deleted)
        after = msgspec.structs.replace(
            before,
            message_count=before.message_count - len(deleted),
            token_count=before.token_count - sum(message.token_count for message in deleted),
            update_time=transition.now,
            revision=transition.revision,
        )
        transition.open(CONVERSATION).put(after)
        return MessagesTruncated(after, len(deleted), transition.revision)

    def _first_number(self, transition: Transition) -> int:
        if not self.from_message_id:
            return self.from_number
        first = transition.open(MESSAGE).records.aliased(message_alias(self.conversation_id, self.from_message_id))
        if first is None:
            agent_id, place = transition.state.agent_id, MESSAGE.place(self.conversation_id)
            raise RecordNotFound(agent_id, MESSAGE.name, self.from_message_id, **place)
        return first.number


def _from(conversation: Conversation, number: int, transition: Transition) -> Sequence[ConversationMessage]:
    """Return the messages with this number or a greater one, in their order."""
    there = transition.open(MESSAGE).records.group(conversation.conversation_id)
    # Look at as few as possible: at the last numbers, or at all messages if there are more numbers without one.
    if conversation.next_number - number <= len(there):
        found = (there.get(message_key(each)) for each in range(number, conversation.next_number))
        return [message for message in found if message is not None]
    return sorted((each for each in there.values() if each.number >= number), key=lambda each: each.number)


def _message_of(draft: MessageDraft, conversation_id: str, number: int, transition: Transition) -> ConversationMessage:
    return ConversationMessage(
        conversation_id,
        number,
        draft.message_id,
        draft.role,
        draft.content,
        draft.parts,
        draft.name,
        draft.metadata_json,
        draft.importance,
        draft.token_count,
        transition.now if draft.create_time is None else draft.create_time,
        transition.revision,
        draft.size_bytes,
    )
