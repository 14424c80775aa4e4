"""Compacting conversations, between the domain and the contract."""

from memoryd.v1 import context_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.conversations.compaction import CompactionStrategy
from memoryd_server.domain.conversations.compaction_change import MessagesCompacted
from memoryd_server.engine.context.compactor import CompactionRequest
from memoryd_server.transport.context.conversation_message import conversation_id_of, conversation_message
from memoryd_server.transport.entries.entry_message import precondition_of
from memoryd_server.transport.notes.note_message import storage_key_of


def compaction_request_of(message: pb.CompactMessagesRequest) -> CompactionRequest:
    """Decode a request to compact a conversation. Raises InvalidField."""
    keep_last = message.keep_last if message.HasField("keep_last") else limit.MESSAGES_KEPT_DEFAULT
    importance = message.min_importance if message.HasField("min_importance") else limit.IMPORTANCE_DEFAULT
    return CompactionRequest(
        conversation_id_of(message.conversation_id),
        validation.within("max_tokens", message.max_tokens, 1, 2**63 - 1),
        validation.within("keep_last", keep_last, 0, limit.MESSAGES_KEPT_MAX),
        validation.known("strategy", message.strategy or CompactionStrategy.DROP_OLDEST, CompactionStrategy),
        storage_key_of("note_storage_key", message.note_storage_key),
        validation.importance("min_importance", importance),
        precondition_of(message),
    )


def compaction_message(agent_id: str, done: MessagesCompacted) -> pb.CompactMessagesResponse:
    """Encode the result of a compaction."""
    return pb.CompactMessagesResponse(
        conversation=conversation_message(agent_id, done.conversation),
        messages_removed=done.messages_removed,
        tokens_removed=done.tokens_removed,
        note_ids=done.note_ids,
        revision=done.revision,
    )
