"""Conversations and their messages."""

from collections import Counter
from collections.abc import Iterator
from operator import attrgetter
from typing import Any, ClassVar

import msgspec

from memoryd_server.domain.agent.collection import Collected, Collection
from memoryd_server.domain.agent.collection_editor import CollectionEditor
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.agent.part import Counts, PartStatistics, Records
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.conversations.due_ingestion import DUE_INGESTIONS
from memoryd_server.domain.entities.entity import ENTITY_WINDOW
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.plans.plan_part import PLAN
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.validation import size_bytes
from memoryd_server.domain.values.message import MessagePart, MessageRole, is_tool_result, rendered
from memoryd_server.domain.values.record_filter import KindCondition, RecordShape, Test, at_least, one_of

CONVERSATION_KEY = "conversation"


class MessageDraft(msgspec.Struct, frozen=True, gc=False):
    """A message as its writer gives it, with either ``content`` or ``parts``.

    ``create_time`` is None for the time of the append. ``size_bytes`` is counted against the storage limit.
    ``token_count`` is estimated before the message is stored.
    """

    message_id: str
    role: MessageRole
    content: str
    parts: tuple[MessagePart, ...]
    name: str
    metadata_json: str
    importance: float
    create_time: int | None
    size_bytes: int
    token_count: int = 0

    @property
    def text(self) -> str:
        """The content or the parts as one text."""
        return rendered(self.content, self.parts)


class MessageCondition(KindCondition, frozen=True):
    """Conditions on messages; see ``MessageCondition`` of the contract."""

    roles: frozenset[MessageRole] = frozenset()
    names: frozenset[str] = frozenset()
    min_importance: float = 0.0

    def tests(self) -> Iterator[Test]:
        """Yield the conditions that are set."""
        yield from one_of("role", self.roles)
        yield from one_of("name", self.names)
        yield from at_least("importance", self.min_importance)


MESSAGE_SHAPE = RecordShape(
    "message",
    attrgetter("message_id"),
    user_of=None,
    tags_of=None,
    conversation_of=attrgetter("conversation_id"),
    condition=MessageCondition,
    content=frozenset({"metadata_json", "name"}),
)
"""The fields of messages that a filter asks for. Their user is that of their conversation."""

CONVERSATION_SHAPE = RecordShape(
    "conversation", attrgetter("conversation_id"), conversation_of=attrgetter("conversation_id")
)
"""The fields of conversations that a filter asks for."""


class ConversationMessage(Collected, frozen=True, array_like=True, gc=False, tag="message"):
    """One message. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    ``number`` is the position in the conversation, from 1, and is never reused. ``message_id`` is unique in the
    conversation. A message that is nothing but a text has ``content``, any other ``parts``. ``name`` is the author's
    name, empty for none. ``metadata_json`` is a JSON object, empty for none.
    """

    shape: ClassVar[RecordShape | None] = MESSAGE_SHAPE
    kept_when_erased: ClassVar = ("conversation_id", "message_id")

    conversation_id: str
    number: int
    message_id: str
    role: MessageRole
    content: str
    parts: tuple[MessagePart, ...]
    name: str
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
    def position(self) -> tuple[str, int]:
        """The message's position: its number counts, whatever its time of creation, which its writer may give."""
        return self.conversation_id, self.number

    @property
    def aliases(self) -> tuple[str]:
        """The message's id within its conversation."""
        return (message_alias(self.conversation_id, self.message_id),)

    @property
    def update_time(self) -> int:
        """The time of creation, since a message never changes."""
        return self.create_time

    @property
    def text(self) -> str:
        """The content or the parts as one text."""
        return rendered(self.content, self.parts)

    @property
    def is_tool_result(self) -> bool:
        """True if the message answers the calls of the one before it, without which no model accepts it."""
        return is_tool_result(self.role, self.parts)

    def without_content(self) -> "ConversationMessage":
        """Return the message without its content, for events to clients that may not read content."""
        return msgspec.structs.replace(self, content="", parts=(), name="", metadata_json="")


class Conversation(Collected, frozen=True, array_like=True, gc=False, tag="conversation"):
    """A conversation without its messages. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    ``next_number`` is the number of the next message. ``token_count`` is the estimated total of all messages and the
    summary; ``summary_token_count`` is the summary's share of it. ``summary`` condenses the removed messages.
    ``metadata_json`` is a JSON object. Texts are empty for none. ``ingested_number`` is that of the last message
    that was read for memories, 0 for none.
    """

    shape: ClassVar[RecordShape | None] = CONVERSATION_SHAPE
    kept_when_erased: ClassVar = ("conversation_id",)

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
    user_id: str = ""
    title: str = ""
    tags: tuple[str, ...] = ()
    metadata_json: str = ""
    ingested_number: int = 0

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

    def sized(self) -> "Conversation":
        """Return the conversation with the size of its texts."""
        texts = (self.conversation_id, self.summary, self.user_id, self.title, self.metadata_json, *self.tags)
        return msgspec.structs.replace(self, size_bytes=sum(map(size_bytes, texts)))

    def without_content(self) -> "Conversation":
        """Return the conversation without its texts, for events to clients that may not read content."""
        return msgspec.structs.replace(self, summary="", title="", tags=(), metadata_json="")


def has_new_messages(conversation: Conversation) -> bool:
    """Return True if the conversation got messages since it was last read for memories; they may be gone since."""
    return conversation.ingested_number + 1 < conversation.next_number


def message_key(number: int) -> str:
    """Return the key of the message with this number."""
    return f"{number:012}"


def message_alias(conversation_id: str, message_id: str) -> str:
    """Return the alias under which the collection finds a message by its id, which has no slash."""
    return f"{conversation_id}/{message_id}"


class _MessageEditor(CollectionEditor[ConversationMessage]):
    def restore(self, image: Records) -> None:
        """Replace all records by those of a snapshot, after the conversations were.

        The event of a conversation that the snapshot does not have covers its messages.
        """
        conversations = self._transition.open(CONVERSATION).records
        for conversation_id in self.records.groups:
            if conversations.find(conversation_id, CONVERSATION_KEY) is None:
                self.drop_group(conversation_id)
        super().restore(image)


class _MessagePart(CollectionPart[ConversationMessage]):
    def edit(
        self, value: Collection[ConversationMessage], transition: Transition
    ) -> CollectionEditor[ConversationMessage]:
        """Return an editor of the collection within a transition."""
        return _MessageEditor(self, value, transition)

    def record_id(self, group: str, key: str) -> str:
        """Return the number of the message with this key."""
        return str(int(key))


class _ConversationEditor(CollectionEditor[Conversation]):
    def owned_count(self, record: Conversation) -> int:
        """Return the number of the messages and the conversation."""
        return 1 + record.message_count

    def forget_owned(self, record: Conversation) -> Counts:
        """Remove the messages, and the plans and the entities of the conversation that have no user of their own."""
        conversation_id = record.conversation_id
        self._transition.open(MESSAGE).drop_group(conversation_id)
        self._transition.open(DUE_INGESTIONS).drop(conversation_id)
        counts = Counter({RecordKind.MESSAGE: record.message_count})
        parts: tuple[CollectionPart[Any], ...] = (PLAN, ENTITY_WINDOW)
        for part in parts:
            editor = self._transition.open(part)
            for owned in list(editor.records.group(conversation_id).values()):
                if not owned.user_id:
                    counts.update(editor.forget(owned))
        return counts


class _ConversationPart(CollectionPart[Conversation]):
    def edit(self, value: Collection[Conversation], transition: Transition) -> CollectionEditor[Conversation]:
        """Return an editor of the collection within a transition."""
        return _ConversationEditor(self, value, transition)

    def statistics(self, value: Collection[Conversation], now: int) -> PartStatistics:
        """Return the collection's figures, and the tokens of the conversation that changed last."""
        latest = max(value, key=lambda each: each.revision, default=None)
        tokens = 0 if latest is None else latest.token_count
        return msgspec.structs.replace(super().statistics(value, now), counts={"context_tokens": tokens})


MESSAGE = _MessagePart(
    "message",
    ConversationMessage,
    RecordKind.MESSAGE,
    EventType.MESSAGE_APPENDED,
    EventType.MESSAGE_APPENDED,
    EventType.MESSAGE_REMOVED,
    cleared_with=RecordKind.CONVERSATION,
    grouped_by="conversation_id",
)
CONVERSATION = _ConversationPart(
    "conversation",
    Conversation,
    RecordKind.CONVERSATION,
    EventType.CONVERSATION_CREATED,
    EventType.CONVERSATION_UPDATED,
    EventType.CONVERSATION_DELETED,
    is_one_per_group=True,
)
