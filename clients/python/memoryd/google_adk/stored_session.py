"""A session as it is stored: a conversation, whose metadata has the session's own state."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from google.adk.events.event import Event
from google.adk.sessions.base_session_service import GetSessionConfig

from memoryd.adapter.listing import Flow
from memoryd.adapter.transcript import Item, Stored, Transcript, pieces_of
from memoryd.errors import RecordNotFound
from memoryd.model.conversation import ConversationInfo
from memoryd.model.message import MessageRole
from memoryd.protocol.conversation import get_conversation
from memoryd.transaction.transaction import Transaction

FORMAT = "google_adk"
STATE = "google_adk_session"
# The name of the pieces of a state that is too large for metadata. Messages' ids are longer.
PIECES = "state"
MESSAGE_ID_CHARS_MAX = 100
NAME_BYTES_MAX = 256


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session's own state, its id, and the time of its last event, at a revision of its conversation."""

    session_id: str
    user_id: str
    state: dict[str, Any]
    update_time: float
    revision: int
    piece_count: int


def transcript_of(agent_id: str, user_id: str, session_id: str) -> Transcript:
    """Return the history of a session."""
    return Transcript(agent_id, session_id, user_id, FORMAT)


def read(transcript: Transcript) -> Flow[StoredSession | None]:
    """Return a session without its events; None if there is none."""
    try:
        info: ConversationInfo = yield get_conversation(transcript.agent_id, transcript.conversation_id)
    except RecordNotFound:
        return None
    return (yield from session_in(info, transcript))


def session_in(info: ConversationInfo, transcript: Transcript) -> Flow[StoredSession | None]:
    """Return the session of a conversation; None if it is not one of a session."""
    written = info.metadata.get(STATE)
    if written is None:
        return None
    data = yield from transcript.json_of(written, PIECES)
    if data is None:
        return None
    count = 0 if isinstance(written, str) else int(written)
    return StoredSession(data["id"], info.user_id, data["state"], data["time"], info.revision, count)


def write(
    transcript: Transcript,
    session_id: str,
    state: Mapping[str, Any],
    update_time: float,
    old: StoredSession | None,
    transaction: Transaction,
) -> None:
    """Add the writes of a session without its events to a transaction, which fails if it has changed meanwhile."""
    text = json.dumps({"id": session_id, "time": update_time, "state": state}, separators=(",", ":"))
    pieces = pieces_of(text)
    metadata = {STATE: len(pieces) or text}
    if old is None:
        transaction.conversations.create(transcript.conversation_id, user_id=transcript.user_id, metadata=metadata)
    else:
        transaction.conversations.update(transcript.conversation_id, metadata=metadata, expected_revision=old.revision)
        for key in transcript.piece_keys(PIECES, old.piece_count)[len(pieces) :]:
            transaction.remove(key)
    transcript.write_pieces(PIECES, pieces, transaction)


def read_events(transcript: Transcript, config: GetSessionConfig | None) -> Flow[list[Event]]:
    """Return the events of a session that a configuration selects; by default all."""
    found = yield from transcript.read(config.num_recent_events if config else None)
    events = [Event.model_validate(data) for data in found]
    after = config.after_timestamp if config else None
    if after is None:
        return events
    first = max((number for number, event in enumerate(events, 1) if event.timestamp < after), default=0)
    return events[first:]


def event_data(event: Event) -> dict[str, Any]:
    """Return the JSON of an event, without temporary state."""
    data: dict[str, Any] = json.loads(event.model_dump_json(exclude_none=True))
    delta = data.get("actions", {}).get("state_delta", {})
    for key in [key for key in delta if key.startswith("temp:")]:
        del delta[key]
    return data


def stored_event(event: Event, data: dict[str, Any], *, keeps_id: bool) -> Stored:
    """Return an event as it is stored; under its own id, unless another event of the session has it."""
    has_name = len(event.author.encode()) <= NAME_BYTES_MAX
    role = MessageRole.USER if event.author == "user" else MessageRole.ASSISTANT
    own_id = event.id if keeps_id and len(event.id) <= MESSAGE_ID_CHARS_MAX and event.id.isascii() else ""
    item = Item(data, role, text_of(event), event.author if has_name else "", own_id)
    return Stored.of(item, FORMAT)


def text_of(event: Event) -> str:
    """Return the words of an event."""
    parts = event.content.parts if event.content and event.content.parts else []
    return "\n".join(part.text for part in parts if part.text and not part.thought)
