"""A conversation of Pydantic AI as it is stored: its record in the metadata of a conversation, its log as messages."""

import json
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai.conversation_store import ConversationEntry, ConversationRecord
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter

from memoryd.adapter.listing import Flow
from memoryd.adapter.transcript import Item, Stored, Transcript, pieces_of
from memoryd.errors import RecordNotFound
from memoryd.model.conversation import ConversationInfo
from memoryd.model.message import MessageRole
from memoryd.protocol.conversation import get_conversation, get_message
from memoryd.transaction.transaction import Transaction

FORMAT = "pydantic_ai"
RECORD = "pydantic_ai_record"
# The name of the pieces of a record that is too large for metadata.
PIECES = "record"
FORKED = "pydantic-ai-forked"

_RECORD: TypeAdapter[ConversationRecord] = TypeAdapter(ConversationRecord)


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record, and the conversation that has it. The record is None if it was deleted, and its log is still used."""

    record: ConversationRecord | None
    info: ConversationInfo
    piece_count: int


def transcript_of(agent_id: str, conversation_id: str, scope: str | None) -> Transcript:
    """Return the log of a conversation. Its id does not depend on its scope."""
    transcript = Transcript(agent_id, conversation_id, "", FORMAT)
    transcript.user_id = scope or ""
    return transcript


def read(transcript: Transcript) -> Flow[StoredRecord | None]:
    """Return what is stored of a conversation; None if nothing is."""
    try:
        info: ConversationInfo = yield get_conversation(transcript.agent_id, transcript.conversation_id)
    except RecordNotFound:
        return None
    return (yield from record_in(info, transcript))


def record_in(info: ConversationInfo, transcript: Transcript) -> Flow[StoredRecord]:
    """Return the record of a conversation."""
    written = info.metadata.get(RECORD)
    if written is None:
        return StoredRecord(None, info, 0)
    data = yield from transcript.json_of(written, PIECES)
    count = 0 if isinstance(written, str) else int(written)
    return StoredRecord(None if data is None else _RECORD.validate_python(data), info, count)


def write(transcript: Transcript, record: ConversationRecord | None, old: StoredRecord | None, to: Transaction) -> None:
    """Add the writes of a record, or of none, to a transaction, which fails if the conversation changed meanwhile."""
    text = "" if record is None else json.dumps(_RECORD.dump_python(record, mode="json"), separators=(",", ":"))
    pieces = pieces_of(text)
    metadata: dict[str, Any] = {RECORD: len(pieces) or text} if text else {}
    if old is None:
        to.conversations.create(transcript.conversation_id, user_id=transcript.user_id, metadata=metadata)
    else:
        to.conversations.update(
            transcript.conversation_id,
            user_id=transcript.user_id,
            metadata=metadata,
            expected_revision=old.info.revision,
        )
        for key in transcript.piece_keys(PIECES, old.piece_count)[len(pieces) :]:
            to.remove(key)
    transcript.write_pieces(PIECES, pieces, to)


def stored_entry(entry: ConversationEntry) -> Stored:
    """Return an entry of the log as it is stored."""
    (message,) = ModelMessagesTypeAdapter.dump_python([entry.message], mode="json")
    data = {"id": entry.id, "parent_id": entry.parent_id, "message": message}
    role = MessageRole.ASSISTANT if entry.message.kind == "response" else MessageRole.USER
    return Stored.of(Item(data, role, _text(entry.message), item_id=entry.id), FORMAT)


def entry_of(data: dict[str, Any]) -> ConversationEntry:
    """Return the entry of its JSON."""
    (message,) = ModelMessagesTypeAdapter.validate_python([data["message"]])
    return ConversationEntry(id=data["id"], parent_id=data["parent_id"], message=message)


def has_entry(transcript: Transcript, entry_id: str) -> Flow[bool]:
    """Return whether the log has an entry itself."""
    try:
        yield get_message(transcript.agent_id, transcript.conversation_id, entry_id)
    except RecordNotFound:
        return False
    return True


def _text(message: ModelMessage) -> str:
    parts = [getattr(part, "content", "") for part in message.parts if part.part_kind in ("user-prompt", "text")]
    flat = [each for part in parts for each in (part if isinstance(part, list | tuple) else [part])]
    return "\n".join(each for each in flat if isinstance(each, str))
