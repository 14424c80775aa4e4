"""Encoding of the records of collections in events."""

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

from memoryd.v1 import event_pb2
from memoryd_server.domain.conversations.conversation import CONVERSATION, MESSAGE
from memoryd_server.domain.documents.document import DOCUMENT
from memoryd_server.domain.entities.entity import ENTITY_WINDOW
from memoryd_server.domain.kinds import PARTS, CollectedRecord
from memoryd_server.domain.notes.note import NOTE
from memoryd_server.domain.plans.plan import PLAN
from memoryd_server.transport.context.conversation_message import conversation_message, message_message
from memoryd_server.transport.documents.document_message import document_message
from memoryd_server.transport.entities.entity_message import window_message
from memoryd_server.transport.entries.entry_message import METADATA_ONLY
from memoryd_server.transport.notes.note_message import note_message
from memoryd_server.transport.plans.plan_message import plan_message

_MESSAGES: dict[str, Callable[[str, Any], Message]] = {
    NOTE.name: note_message,
    PLAN.name: plan_message,
    MESSAGE.name: message_message,
    CONVERSATION.name: conversation_message,
    ENTITY_WINDOW.name: window_message,
    DOCUMENT.name: document_message,
}

_NAMES: dict[type[Any], str] = {record_type: name for part in PARTS for name, record_type in part.records.items()}


def write_record(message: event_pb2.Event, agent_id: str, record: CollectedRecord, payload_mode: int) -> None:
    """Encode a record into the event's field that has the name of the record's kind."""
    name = _NAMES[type(record)]
    shown = record.without_content() if payload_mode == METADATA_ONLY else record
    getattr(message, name).CopyFrom(_MESSAGES[name](agent_id, shown))
