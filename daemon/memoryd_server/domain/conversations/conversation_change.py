"""What may be done with conversations, and how it is decided."""

import msgspec

from memoryd_server.domain.agent.collection_transition import collection, drop_group, known, put, remove
from memoryd_server.domain.agent.command import CollectionCommand, Precondition
from memoryd_server.domain.agent.kind import CONVERSATION, MESSAGE
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.conversations.conversation import (
    CONVERSATION_KEY,
    Conversation,
    ConversationMessage,
    MessageDraft,
)
from memoryd_server.domain.error import LimitExceeded, RecordExists, RecordNotFound
from memoryd_server.domain.validation import size_bytes


class AppendMessages(CollectionCommand, frozen=True):
    """Add messages to the end of a conversation, which begins with its first."""

    conversation_id: str
    messages: tuple[MessageDraft, ...]
    precondition: Precondition | None = None


class DeleteConversation(CollectionCommand, frozen=True):
    """Remove a conversation with its messages, if it is there."""

    conversation_id: str
    precondition: Precondition | None = None


def append_messages(command: AppendMessages, transition: Transition) -> RecordPut:
    """Add messages; answers the conversation. Raises RecordExists, RecordNotFound, RevisionMismatch, LimitExceeded."""
    before = _found(command, transition)
    messages_max = transition.limits.messages_per_agent
    if len(collection(transition, MESSAGE)) + len(command.messages) > messages_max:
        raise LimitExceeded("messages_per_agent", messages_max)
    for number, draft in enumerate(command.messages, before.next_number):
        put(transition, MESSAGE, _message_of(draft, command.conversation_id, number, transition))
    after = msgspec.structs.replace(
        before,
        next_number=before.next_number + len(command.messages),
        message_count=before.message_count + len(command.messages),
        token_count=before.token_count + sum(draft.token_count for draft in command.messages),
        update_time=transition.now,
        revision=transition.revision,
    )
    put(transition, CONVERSATION, after)
    return RecordPut(after, changed=True, revision=transition.revision)


def delete_conversation(command: DeleteConversation, transition: Transition) -> RecordRemoved:
    """Remove a conversation with its messages; answers how many these were. Raises RevisionMismatch."""
    there = collection(transition, CONVERSATION).find(command.conversation_id, CONVERSATION_KEY)
    if there is None:
        return RecordRemoved(0, transition.result_revision)
    known(transition, CONVERSATION, command.conversation_id, CONVERSATION_KEY, command.precondition)
    drop_group(transition, MESSAGE, command.conversation_id)
    remove(transition, CONVERSATION, there)
    return RecordRemoved(there.message_count, transition.revision)


def _found(command: AppendMessages, transition: Transition) -> Conversation:
    conversation_id, precondition = command.conversation_id, command.precondition
    there = collection(transition, CONVERSATION).find(conversation_id, CONVERSATION_KEY)
    if there is not None and precondition is not None and precondition.must_not_exist:
        raise RecordExists(CONVERSATION.name, conversation_id)
    if there is None:
        if precondition is not None and precondition.expected_revision is not None:
            raise RecordNotFound(transition.state.agent_id, CONVERSATION.name, conversation_id)
        size = size_bytes(conversation_id)
        return Conversation(conversation_id, 1, 0, 0, transition.now, transition.now, transition.revision, size)
    return known(transition, CONVERSATION, conversation_id, CONVERSATION_KEY, precondition)


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
