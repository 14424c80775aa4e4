"""Conversations and their messages."""

import enum

import msgspec

from memoryd_server.domain.agent.collection import Collected, Collection
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.agent.part import PartStatistics
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.record_kind import RecordKind

CONVERSATION_KEY = "conversation"


class MessageRole(enum.IntEnum):
    """The role of a message's author. The numbers are those of the contract and are stored: never renumber."""

    SYSTEM = 1
    USER = 2
    ASSISTANT = 3
    TOOL = 4


class MessageDraft(msgspec.Struct, frozen=True, gc=False):
    """A message as its writer gives it.

    ``size_bytes`` is counted against the storage limit. ``token_count`` is estimated before the message is stored.
    """

    role: MessageRole
    content: str
    name: str
    tool_call_id: str
    metadata_json: str
    importance: float
    size_bytes: int
    token_count: int = 0


class ConversationMessage(Collected, frozen=True, array_like=True, gc=False, tag="message"):
    """One message. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    ``number`` is the position in the conversation, from 1, and is never reused. ``name`` is the author's name, and
    ``tool_call_id`` the tool call that the message is the result of; both are empty for none. ``metadata_json`` is a
    JSON object, empty for none.
    """

    conversation_id: str
    number: int
    role: MessageRole
    content: str
    name: str
    tool_call_id: str
    metadata_json: str
    importance: float
    token_count: int
    create_time: int
    revision: int
    size_bytes: int

    @property
    def group(self) -> str:
        """The conversation's id."""
        return self.conversation_id

    @property
    def key(self) -> str:
        """The message's number as text of fixed width, so that keys sort in the order of the messages."""
        return message_key(self.number)

    @property
    def update_time(self) -> int:
        """The time of creation, since a message never changes."""
        return self.create_time

    def without_content(self) -> "ConversationMessage":
        """Return the message without its content, for events to clients that may not read content."""
        return msgspec.structs.replace(self, content="", metadata_json="")


class Conversation(Collected, frozen=True, array_like=True, gc=False, tag="conversation"):
    """A conversation without its messages. Times are nanoseconds since the Unix epoch.

    ``next_number`` is the number of the next message. ``token_count`` is the estimated total of all messages and the
    summary; ``summary_token_count`` is the summary's share of it. ``summary`` condenses the removed messages; it is
    empty for none.
    """

    conversation_id: str
    next_number: int
    message_count: int
    token_count: int
    create_time: int
    update_time: int
    revision: int
    size_bytes: int
    summary: str = ""
    summary_token_count: int = 0

    @property
    def message_token_count(self) -> int:
        """The estimated tokens of all messages, without the summary."""
        return self.token_count - self.summary_token_count

    @property
    def group(self) -> str:
        """The conversation's id, so that the record has the same group as its messages."""
        return self.conversation_id

    @property
    def key(self) -> str:
        """A constant, since each group has one conversation."""
        return CONVERSATION_KEY

    def without_content(self) -> "Conversation":
        """Return the conversation without its summary, for events to clients that may not read content."""
        return msgspec.structs.replace(self, summary="") if self.summary else self


def message_key(number: int) -> str:
    """Return the key of the message with this number."""
    return f"{number:012}"


class _ConversationPart(CollectionPart[Conversation]):
    def statistics(self, value: Collection[Conversation], now: int) -> PartStatistics:
        """Return the collection's figures, and the tokens of the conversation that changed last."""
        latest = max(value, key=lambda each: each.revision, default=None)
        tokens = 0 if latest is None else latest.token_count
        return msgspec.structs.replace(super().statistics(value, now), counts={"context_tokens": tokens})


MESSAGE = CollectionPart(
    "message",
    ConversationMessage,
    RecordKind.CONTEXT,
    EventType.MESSAGE_APPENDED,
    EventType.MESSAGE_APPENDED,
    EventType.MESSAGE_REMOVED,
)
CONVERSATION = _ConversationPart(
    "conversation", Conversation, RecordKind.CONTEXT, deleted=EventType.CONVERSATION_DELETED
)
