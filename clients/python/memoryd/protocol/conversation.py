"""The calls about conversations and tokens."""

from collections.abc import Iterable

from memoryd.model.conversation import (
    COMPACTION_STRATEGY,
    Compacted,
    CompactionStrategy,
    ConversationInfo,
    DraftMessage,
    Message,
    TokenCount,
    compacted_from,
    conversation_from,
    draft_message,
    message_from,
    token_count_from,
)
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.option import precondition_of, strings_of
from memoryd.v1 import context_service_pb2 as pb

SUMMARY_PATIENCE = 300.0
"""Seconds that a model may take to summarize a conversation, in addition to the usual timeout."""


def append_messages(
    agent_id: str,
    conversation_id: str,
    messages: Iterable[DraftMessage],
    *,
    expected_revision: int | None,
    must_not_exist: bool,
) -> Call[ConversationInfo]:
    """Append messages to a conversation."""
    request = pb.AppendMessagesRequest(
        agent_id=agent_id,
        conversation_id=conversation_id,
        messages=[draft_message(each) for each in messages],
        precondition=precondition_of(expected_revision=expected_revision, must_not_exist=must_not_exist),
        request_id=new_request_id(),
    )
    return call(method.APPEND_MESSAGES, request, lambda answer: conversation_from(answer.conversation))


def list_messages(agent_id: str, conversation_id: str, after_number: int, *, newest_first: bool) -> Call[Page[Message]]:
    """List the messages of a conversation, page by page."""
    request = pb.ListMessagesRequest(
        agent_id=agent_id,
        conversation_id=conversation_id,
        after_number=after_number,
        newest_first=newest_first,
        page_size=LIST_PAGE_SIZE,
    )
    return page_call(method.LIST_MESSAGES, request, lambda answer: [message_from(each) for each in answer.messages])


def list_conversations(agent_id: str) -> Call[Page[ConversationInfo]]:
    """List conversations, page by page."""
    request = pb.ListConversationsRequest(agent_id=agent_id, page_size=LIST_PAGE_SIZE)
    return page_call(
        method.LIST_CONVERSATIONS, request, lambda answer: [conversation_from(each) for each in answer.conversations]
    )


def delete_conversation(agent_id: str, conversation_id: str, expected_revision: int | None) -> Call[int]:
    """Remove a conversation with its messages."""
    request = pb.DeleteConversationRequest(
        agent_id=agent_id,
        conversation_id=conversation_id,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.DELETE_CONVERSATION, request, lambda answer: answer.messages_deleted)


def compact_messages(
    agent_id: str,
    conversation_id: str,
    max_tokens: int,
    *,
    strategy: CompactionStrategy | str,
    keep_last: int | None,
    note_storage_key: str,
    min_importance: float | None,
    expected_revision: int | None,
) -> Call[Compacted]:
    """Remove messages of a conversation until the others have at most ``max_tokens``."""
    request = pb.CompactMessagesRequest(
        agent_id=agent_id,
        conversation_id=conversation_id,
        max_tokens=max_tokens,
        keep_last=keep_last,
        strategy=COMPACTION_STRATEGY.number(strategy),
        note_storage_key=note_storage_key,
        min_importance=min_importance,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    patience = SUMMARY_PATIENCE if strategy == CompactionStrategy.SUMMARIZE else 0.0
    return call(method.COMPACT_MESSAGES, request, compacted_from, patience=patience)


def count_tokens(agent_id: str, texts: Iterable[str], model: str) -> Call[TokenCount]:
    """Count the tokens of texts."""
    request = pb.CountTokensRequest(agent_id=agent_id, texts=strings_of("texts", texts), model=model)
    return call(method.COUNT_TOKENS, request, token_count_from)
