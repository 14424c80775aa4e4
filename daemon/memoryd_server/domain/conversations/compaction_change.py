"""The command that compacts a conversation by a plan made beforehand."""

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
    message_key,
)
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.notes.note_change import CreateNote, create_note


class MessagesCompacted(Result, frozen=True, array_like=True, tag=True):
    """The result of CompactMessages: the conversation as it is now, and the number of messages removed.

    If ``overtaken`` is true, nothing was changed, since another command had removed some of the messages or answered
    the last one: the compaction must be planned again.
    """

    conversation: Conversation
    messages_removed: int
    tokens_removed: int
    note_ids: tuple[str, ...]
    revision: int
    overtaken: bool = False

    @property
    def is_provisional(self) -> bool:
        """True if the compaction must be planned again."""
        return self.overtaken

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, which includes the conversation and the note ids."""
        return RESULT_BYTES + self.conversation.size_bytes + sum(map(len, self.note_ids))


class Summary(msgspec.Struct, frozen=True):
    """A summary of removed messages. ``earlier`` is the summary that it replaces, as the summarizer saw it."""

    earlier: str
    text: str
    token_count: int


class CompactMessages(Command[MessagesCompacted], frozen=True):
    """Remove the messages with these numbers, if they are still those of the agent's ``planned_revision``.

    ``answer_number`` is the number that a tool result following the last removed message would have; 0 if a message
    after it stays. Messages that were appended since the plan stay, and do not invalidate it unless one of them is that
    tool result.
    """

    conversation_id: str
    numbers: tuple[int, ...] = ()
    planned_revision: int = 0
    answer_number: int = 0
    notes: tuple[CreateNote, ...] = ()
    summary: Summary | None = None
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> MessagesCompacted:
        """Remove the messages, and store the notes and the summary that condense them.

        Raises RecordNotFound, RevisionMismatch, RecordExists, QuotaExceeded.
        """
        before = transition.open(CONVERSATION).existing(self.conversation_id, CONVERSATION_KEY, self.precondition)
        messages = _planned(self, transition)
        if messages is None or (self.summary is not None and self.summary.earlier != before.summary):
            return MessagesCompacted(before, 0, 0, (), transition.result_revision, overtaken=True)
        if not messages:
            return MessagesCompacted(before, 0, 0, (), transition.result_revision)
        # Remove the messages first: their space may be what the notes and the summary need to stay within the limits.
        transition.open(MESSAGE).remove_all(self.conversation_id, messages, EventCause.COMPACTION)
        for note in self.notes:
            create_note(note, transition, EventCause.COMPACTION)
        tokens_removed = sum(message.token_count for message in messages)
        after = msgspec.structs.replace(
            before,
            message_count=before.message_count - len(messages),
            token_count=before.token_count - tokens_removed,
            update_time=transition.now,
            revision=transition.revision,
        )
        if self.summary is not None:
            after = _with_summary(after, self.summary)
        transition.open(CONVERSATION).put(after, EventCause.COMPACTION, emits=False)
        transition.emit(EventType.CONVERSATION_COMPACTED, EventCause.COMPACTION, after, before)
        note_ids = tuple(note.note_id for note in self.notes)
        return MessagesCompacted(after, len(messages), tokens_removed, note_ids, transition.revision)


def _planned(command: CompactMessages, transition: Transition) -> list[ConversationMessage] | None:
    """Return the messages to remove; None if the plan no longer applies."""
    there = transition.open(MESSAGE).records.group(command.conversation_id)
    found = [there.get(message_key(number)) for number in command.numbers]
    messages = [each for each in found if each is not None and each.revision <= command.planned_revision]
    answer = there.get(message_key(command.answer_number))
    is_answered = answer is not None and answer.is_tool_result
    return None if len(messages) < len(found) or is_answered else messages


def _with_summary(conversation: Conversation, summary: Summary) -> Conversation:
    return msgspec.structs.replace(
        conversation,
        token_count=conversation.message_token_count + summary.token_count,
        summary=summary.text,
        summary_token_count=summary.token_count,
    ).sized()
