"""Conversations, and the messages that they consist of."""

import enum

import msgspec

from memoryd_server.domain.agent.collection import Collected, Collection
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.agent.part import PartStatistics
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.record_kind import RecordKind

CONVERSATION_KEY = "conversation"


class MessageRole(enum.IntEnum):
    """Who speaks. The numbers are those of the contract and are stored: never renumber."""

    SYSTEM = 1
    USER = 2
    ASSISTANT = 3
    TOOL = 4


class MessageDraft(msgspec.Struct, frozen=True, gc=False):
    """What a writer gives of a message.

    ``size_bytes`` is what it counts against the storage limit. ``token_count`` is estimated before it is stored.
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

    ``number`` is its place in the conversation, from 1, and is never given again. ``name`` is that of who speaks,
    ``tool_call_id`` the call that a tool answers; empty for none. ``metadata_json`` is a JSON object, empty for none.
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
        """The conversation."""
        return self.conversation_id

    @property
    def key(self) -> str:
        """What names it in its conversation; keys are in the order of the messages."""
        return message_key(self.number)

    @property
    def update_time(self) -> int:
        """A message never changes."""
        return self.create_time

    def without_content(self) -> "ConversationMessage":
        """The message as those are told of it who may not read it."""
        return msgspec.structs.replace(self, content="", metadata_json="")


class Conversation(Collected, frozen=True, array_like=True, gc=False, tag="conversation"):
    """What is known of a conversation beside its messages. Times are nanoseconds since the Unix epoch.

    ``next_number`` is that of its next message. ``token_count`` is estimated, of all messages and the summary.
    ``summary`` is what was said in messages that are gone; empty for none. ``summary_token_count`` is its part of
    ``token_count``.
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
        """How many tokens the messages have."""
        return self.token_count - self.summary_token_count

    @property
    def group(self) -> str:
        """The conversation, so that it is found with its messages."""
        return self.conversation_id

    @property
    def key(self) -> str:
        """There is one a conversation."""
        return CONVERSATION_KEY

    def without_content(self) -> "Conversation":
        """The conversation as those are told of it who may not read it."""
        return msgspec.structs.replace(self, summary="") if self.summary else self


def message_key(number: int) -> str:
    """The key of the message with this number."""
    return f"{number:012}"


class _ConversationPart(CollectionPart[Conversation]):
    def statistics(self, value: Collection[Conversation], now: int) -> PartStatistics:
        """Return the figures of a collection, and the tokens of the conversation that changed last."""
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
