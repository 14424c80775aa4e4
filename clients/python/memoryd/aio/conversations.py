"""The conversations of an agent."""

from collections.abc import AsyncIterator, Iterable
from typing import Unpack

from memoryd.aio.channel import Channel
from memoryd.model.conversation import (
    Appended,
    Compacted,
    CompactionStrategy,
    ConversationInfo,
    DeletedConversation,
    Truncated,
)
from memoryd.model.message import Message, MessageDraft
from memoryd.protocol import conversation as calls
from memoryd.protocol.consistency import ReadOptions, reading
from memoryd.protocol.conversation import ConversationListOptions, ConversationOptions, MessageListOptions
from memoryd.protocol.keyword import checks_keywords


@checks_keywords
class Conversations:
    """The messages between an agent and others, conversation by conversation.

    Every method raises CallFailed when the daemon refuses or cannot be reached.
    """

    def __init__(self, channel: Channel, agent_id: str) -> None:
        self._channel = channel
        self._agent_id = agent_id

    async def create(self, conversation_id: str = "", **options: Unpack[ConversationOptions]) -> ConversationInfo:
        """Create a conversation without messages, which ``append`` does not need. Without an id the server chooses one.

        Raises RecordExists, QuotaExceeded.
        """
        return await self._channel.run(calls.create_conversation(self._agent_id, conversation_id, options))

    async def get(self, conversation_id: str, **options: Unpack[ReadOptions]) -> ConversationInfo:
        """Return a conversation without its messages. Raises RecordNotFound."""
        return await self._channel.run(reading(calls.get_conversation(self._agent_id, conversation_id), options))

    async def update(
        self, conversation_id: str, *, expected_revision: int | None = None, **options: Unpack[ConversationOptions]
    ) -> ConversationInfo:
        """Change the given fields of a conversation. Raises RecordNotFound, RevisionMismatch, QuotaExceeded."""
        return await self._channel.run(
            calls.update_conversation(self._agent_id, conversation_id, options, expected_revision)
        )

    def list(self, **options: Unpack[ConversationListOptions]) -> AsyncIterator[ConversationInfo]:
        """Yield the conversations, all at one revision."""
        return self._channel.pages(reading(calls.list_conversations(self._agent_id, options), options))

    async def delete(
        self,
        conversation_id: str,
        *,
        include_plans: bool = False,
        include_entities: bool = False,
        expected_revision: int | None = None,
        erase: bool = False,
    ) -> DeletedConversation:
        """Delete a conversation with its messages, if it exists.

        The plans and the entities of the same conversation id stay, unless they are included. ``erase`` erases what
        is removed, also from past events; the result has the receipt. Raises RevisionMismatch.
        """
        return await self._channel.run(
            calls.delete_conversation(
                self._agent_id,
                conversation_id,
                include_plans=include_plans,
                include_entities=include_entities,
                expected_revision=expected_revision,
                erase=erase,
            )
        )

    async def append(
        self,
        conversation_id: str,
        drafts: Iterable[MessageDraft],
        *,
        expected_revision: int | None = None,
        must_not_exist: bool = False,
    ) -> Appended:
        """Append 1 to 1,000 messages to a conversation as one change. The first append creates the conversation.

        ``must_not_exist`` requires a new conversation, ``expected_revision`` the revision of its last change. Raises
        RecordExists, also for a message id that the conversation has, RevisionMismatch, TooLarge, QuotaExceeded.
        """
        return await self._channel.run(
            calls.append_messages(
                self._agent_id,
                conversation_id,
                drafts,
                expected_revision=expected_revision,
                must_not_exist=must_not_exist,
            )
        )

    async def message(self, conversation_id: str, which: int | str, **options: Unpack[ReadOptions]) -> Message:
        """Return a message by its number or its id. Raises RecordNotFound."""
        return await self._channel.run(reading(calls.get_message(self._agent_id, conversation_id, which), options))

    def messages(self, conversation_id: str, **options: Unpack[MessageListOptions]) -> AsyncIterator[Message]:
        """Yield the messages of a conversation, all at one revision. Raises RecordNotFound."""
        return self._channel.pages(reading(calls.list_messages(self._agent_id, conversation_id, options), options))

    async def truncate(
        self, conversation_id: str, first: int | str, *, expected_revision: int | None = None, erase: bool = False
    ) -> Truncated:
        """Delete the message with this number or id and all after it, such as before an edited question is sent again.

        ``erase`` erases these messages, also from past events; the result has the receipt. Raises RecordNotFound,
        RevisionMismatch.
        """
        return await self._channel.run(
            calls.truncate_messages(self._agent_id, conversation_id, first, expected_revision, erase=erase)
        )

    async def compact(
        self,
        conversation_id: str,
        max_tokens: int,
        strategy: CompactionStrategy | None = None,
        *,
        keep_last: int | None = None,
        expected_revision: int | None = None,
    ) -> Compacted:
        """Delete messages of a conversation until the others have at most ``max_tokens``.

        By default the oldest are deleted. The last ``keep_last`` messages always remain (default 4). Summarize waits
        for a model: raises SummarizerMissing when the server has none, SummarizerUnavailable when the model does not
        respond. Raises RecordNotFound, RevisionMismatch, TooLarge, QuotaExceeded.
        """
        return await self._channel.run(
            calls.compact_messages(
                self._agent_id,
                conversation_id,
                max_tokens,
                strategy,
                keep_last=keep_last,
                expected_revision=expected_revision,
            )
        )
