"""Compacting conversations, between the domain and the contract."""

from typing import Any

from memoryd.v1 import conversation_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.conversations.compaction import (
    CompactionStrategy,
    DropOldest,
    ExtractToNotes,
    KeepImportant,
    Summarize,
)
from memoryd_server.domain.conversations.compaction_change import MessagesCompacted
from memoryd_server.engine.conversations.compactor import CompactionRequest
from memoryd_server.transport.conversations.conversation_message import conversation_id_of, conversation_message
from memoryd_server.transport.fields.request_fields import precondition_of
from memoryd_server.transport.notes.note_message import notebook_of


def compaction_request_of(message: pb.CompactMessagesRequest) -> CompactionRequest:
    """Decode a request to compact a conversation. Raises InvalidField."""
    keep_last = message.keep_last if message.HasField("keep_last") else limit.MESSAGES_KEPT_DEFAULT
    return CompactionRequest(
        conversation_id_of(message.conversation_id),
        validation.within("max_tokens", message.max_tokens, 1, 2**63 - 1),
        validation.within("keep_last", keep_last, 0, limit.MESSAGES_KEPT_MAX),
        _strategy_of(message),
        precondition_of(message),
    )


def compaction_message(agent_id: str, done: MessagesCompacted) -> pb.CompactMessagesResponse:
    """Encode the result of a compaction."""
    return pb.CompactMessagesResponse(
        revision=done.revision,
        conversation=conversation_message(agent_id, done.conversation),
        deleted_message_count=done.messages_removed,
        deleted_token_count=done.tokens_removed,
        note_ids=done.note_ids,
    )


def _strategy_of(message: pb.CompactMessagesRequest) -> CompactionStrategy:
    match message.WhichOneof("strategy"):
        case "keep_important":
            return KeepImportant(_min_importance_of(message.keep_important, "keep_important"))
        case "extract_to_notes":
            notes = message.extract_to_notes
            notebook = notebook_of("extract_to_notes.notebook", notes.notebook)
            importance = _min_importance_of(notes, "extract_to_notes")
            return ExtractToNotes(notebook) if importance is None else ExtractToNotes(notebook, importance)
        case "summarize":
            return Summarize()
        case _:
            return DropOldest()


def _min_importance_of(message: Any, field: str) -> float | None:
    if not message.HasField("min_importance"):
        return None
    return validation.importance(f"{field}.min_importance", message.min_importance)
