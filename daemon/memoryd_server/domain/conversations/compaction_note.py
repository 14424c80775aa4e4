"""Notes that preserve the messages removed by a compaction."""

import itertools
from collections.abc import Iterable

from memoryd_server.domain.conversations.conversation import Conversation, ConversationMessage
from memoryd_server.domain.conversations.passage import Passage, passages_of
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.notes.note_change import CreateNote


def notes_of(
    messages: Iterable[ConversationMessage], conversation: Conversation, notebook: str, new_id: str, limits: Limits
) -> tuple[CreateNote, ...]:
    """Return commands that create notes of the messages, of the conversation's user. Their ids begin with ``new_id``.

    They belong to the user of the conversation: nothing of one user becomes a note of all.

    If the messages need more notes than the limit allows, one more than the limit is returned, so that creating them
    raises QuotaExceeded.
    """
    passages = itertools.islice(passages_of(messages, limits.note_bytes), limits.notes_per_agent + 1)
    return tuple(
        CreateNote(
            f"{new_id}{index:03x}",
            f"Conversation {conversation.conversation_id}, {_numbers(passage)}",
            passage.text,
            notebook,
            passage.importance,
            conversation.user_id,
        )
        for index, passage in enumerate(passages)
    )


def _numbers(passage: Passage) -> str:
    if passage.first_number == passage.last_number:
        return f"message {passage.first_number}"
    return f"messages {passage.first_number} to {passage.last_number}"
