"""Commands that append to and delete conversations."""

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.conversations.conversation import (
    CONVERSATION,
    CONVERSATION_KEY,
    MESSAGE,
    Conversation,
    ConversationMessage,
    MessageDraft,
)
from memoryd_server.domain.error import LimitExceeded, RecordExists, RecordNotFound
from memoryd_server.domain.validation import size_bytes


class AppendMessages(Command[RecordPut[Conversation]], frozen=True):
    """Append messages to a conversation. The first message creates the conversation."""

    conversation_id: str
    messages: tuple[MessageDraft, ...]
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> RecordPut[Conversation]:
        """Append messages. Raises RecordExists, RecordNotFound, RevisionMismatch, LimitExceeded."""
        before = _found(self, transition)
        messages_max = transition.limits.messages_per_agent
        if len(transition.open(MESSAGE).records) + len(self.messages) > messages_max:
            raise LimitExceeded("messages_per_agent", messages_max)
        for number, draft in enumerate(self.messages, before.next_number):
            transition.open(MESSAGE).put(_message_of(draft, self.conversation_id, number, transition))
        after = msgspec.structs.replace(
            before,
            next_number=before.next_number + len(self.messages),
            message_count=before.message_count + len(self.messages),
            token_count=before.token_count + sum(draft.token_count for draft in self.messages),
            update_time=transition.now,
            revision=transition.revision,
        )
        transition.open(CONVERSATION).put(after)
        return RecordPut(after, changed=True, revision=transition.revision)


class DeleteConversation(Command[RecordRemoved], frozen=True):
    """Delete a conversation with its messages, if it exists."""

    conversation_id: str
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> RecordRemoved:
        """Delete a conversation, and return the number of its messages. Raises RevisionMismatch."""
        there = transition.open(CONVERSATION).records.find(self.conversation_id, CONVERSATION_KEY)
        if there is None:
            return RecordRemoved(0, transition.result_revision)
        transition.open(CONVERSATION).existing(self.conversation_id, CONVERSATION_KEY, self.precondition)
        transition.open(MESSAGE).drop_group(self.conversation_id)
        transition.open(CONVERSATION).remove(there)
        return RecordRemoved(there.message_count, transition.revision)


def _found(command: AppendMessages, transition: Transition) -> Conversation:
    conversation_id, precondition = command.conversation_id, command.precondition
    there = transition.open(CONVERSATION).records.find(conversation_id, CONVERSATION_KEY)
    if there is not None and precondition is not None and precondition.must_not_exist:
        raise RecordExists(CONVERSATION.name, conversation_id)
    if there is None:
        if precondition is not None and precondition.expected_revision is not None:
            raise RecordNotFound(transition.state.agent_id, CONVERSATION.name, conversation_id)
        size = size_bytes(conversation_id)
        return Conversation(conversation_id, 1, 0, 0, transition.now, transition.now, transition.revision, size)
    return transition.open(CONVERSATION).existing(conversation_id, CONVERSATION_KEY, precondition)


def _message_of(draft: MessageDraft, conversation_id: str, number: int, transition: Transition) -> ConversationMessage:
    return ConversationMessage(
        conversation_id,
        number,
        draft.role,
        draft.content,
        draft.name,
        draft.tool_call_id,
        draft.metadata_json,
        draft.importance,
        draft.token_count,
        transition.now,
        transition.revision,
        draft.size_bytes,
    )
