"""The conversations of an agent."""

from collections.abc import AsyncIterator, Iterable

from memoryd.aio.channel import Channel
from memoryd.model.conversation import (
    Compacted,
    CompactionStrategy,
    ConversationInfo,
    DraftMessage,
    Message,
    TokenCount,
)
from memoryd.protocol import conversation as calls


class Conversations:
    """The messages between an agent and others, conversation by conversation.

    Every method raises CallFailed when the daemon refuses or cannot be reached.
    """

    def __init__(self, channel: Channel, agent_id: str) -> None:
        self._channel = channel
        self._agent_id = agent_id

    async def append(
        self,
        conversation_id: str,
        messages: Iterable[DraftMessage],
        *,
        expected_revision: int | None = None,
        must_not_exist: bool = False,
    ) -> ConversationInfo:
        """Append 1 to 1,000 messages to a conversation as one change. The first append creates the conversation.

        ``must_not_exist`` requires a new conversation, ``expected_revision`` the revision of its last change. Raises
        RecordExists, RevisionMismatch, LimitExceeded.
        """
        return await self._channel.run(
            calls.append_messages(
                self._agent_id,
                conversation_id,
                messages,
                expected_revision=expected_revision,
                must_not_exist=must_not_exist,
            )
        )

    def messages(
        self, conversation_id: str, *, after_number: int = 0, newest_first: bool = False
    ) -> AsyncIterator[Message]:
        """Yield the messages of a conversation, all or those after a number, all at one revision."""
        return self._channel.pages(
            calls.list_messages(self._agent_id, conversation_id, after_number, newest_first=newest_first)
        )

    def list(self) -> AsyncIterator[ConversationInfo]:
        """Yield the conversations in the order of their creation, all at one revision."""
        return self._channel.pages(calls.list_conversations(self._agent_id))

    async def delete(self, conversation_id: str, *, expected_revision: int | None = None) -> int:
        """Remove a conversation, and return its number of messages; 0 if there was none."""
        return await self._channel.run(calls.delete_conversation(self._agent_id, conversation_id, expected_revision))

    async def compact(
        self,
        conversation_id: str,
        max_tokens: int,
        *,
        strategy: CompactionStrategy | str = CompactionStrategy.DROP_OLDEST,
        keep_last: int | None = None,
        note_storage_key: str = "",
        min_importance: float | None = None,
        expected_revision: int | None = None,
    ) -> Compacted:
        """Remove messages of a conversation until the others have at most ``max_tokens``.

        The last ``keep_last`` messages always remain (default 4). ``note_storage_key`` and ``min_importance`` (default
        0.5) apply to "extract_to_notes". "summarize" waits for a model: raises SummarizerMissing when the server has
        none, SummarizerUnavailable when the model does not respond. Raises RecordNotFound,
        RevisionMismatch, LimitExceeded.
        """
        return await self._channel.run(
            calls.compact_messages(
                self._agent_id,
                conversation_id,
                max_tokens,
                strategy=strategy,
                keep_last=keep_last,
                note_storage_key=note_storage_key,
                min_importance=min_importance,
                expected_revision=expected_revision,
            )
        )

    async def count_tokens(self, texts: Iterable[str], *, model: str = "") -> TokenCount:
        """Count the tokens that texts have for a model, such as "gpt-5"; without one, estimate them."""
        return await self._channel.run(calls.count_tokens(self._agent_id, texts, model))
