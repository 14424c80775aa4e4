"""Commands that create, change and delete conversations."""

from typing import Any

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import RecordPut, Result
from memoryd_server.domain.agent.trace import RecordPath
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.conversations.conversation import CONVERSATION, CONVERSATION_KEY, MESSAGE, Conversation
from memoryd_server.domain.conversations.due_ingestion import DUE_INGESTIONS
from memoryd_server.domain.entities.entity import ENTITY_WINDOW, WINDOW_KEY
from memoryd_server.domain.error import QuotaExceeded, RecordExists
from memoryd_server.domain.plans.plan_part import PLAN


class ConversationDeleted(Result, frozen=True, array_like=True, tag=True):
    """The result of DeleteConversation: whether it existed, and the numbers of records that were deleted with it."""

    deleted: bool
    message_count: int
    plan_count: int
    entity_count: int
    revision: int


class ConversationText(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fields to change of a conversation. A field that is UNSET keeps its value."""

    title: str | msgspec.UnsetType = msgspec.UNSET
    user_id: str | msgspec.UnsetType = msgspec.UNSET
    tags: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    metadata_json: str | msgspec.UnsetType = msgspec.UNSET


class CreateConversation(Command[RecordPut[Conversation]], frozen=True):
    """Create a conversation without messages. ``conversation_id`` must not exist."""

    conversation_id: str
    user_id: str = ""
    title: str = ""
    tags: tuple[str, ...] = ()
    metadata_json: str = ""

    def decide(self, transition: Transition) -> RecordPut[Conversation]:
        """Create a conversation. Raises RecordExists, QuotaExceeded."""
        there = transition.open(CONVERSATION).records.find(self.conversation_id, CONVERSATION_KEY)
        if there is not None:
            raise RecordExists(CONVERSATION.name, self.conversation_id, there.revision)
        described = msgspec.structs.replace(
            new_conversation(self.conversation_id, transition),
            user_id=self.user_id,
            title=self.title,
            tags=self.tags,
            metadata_json=self.metadata_json,
        ).sized()
        transition.open(CONVERSATION).put(described)
        return RecordPut(described, changed=True, revision=transition.revision)


class UpdateConversation(Command[RecordPut[Conversation]], frozen=True):
    """Change the given fields of a conversation."""

    conversation_id: str
    text: ConversationText
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> RecordPut[Conversation]:
        """Change fields of a conversation. Raises RecordNotFound, RecordExists, RevisionMismatch, QuotaExceeded."""
        before = transition.open(CONVERSATION).existing(self.conversation_id, CONVERSATION_KEY, self.precondition)
        fields = {
            name: value for name, value in msgspec.structs.asdict(self.text).items() if value is not msgspec.UNSET
        }
        after = msgspec.structs.replace(before, **fields)
        if after == before:
            return RecordPut(before, changed=False, revision=transition.result_revision)
        after = msgspec.structs.replace(after, update_time=transition.now, revision=transition.revision).sized()
        transition.open(CONVERSATION).put(after)
        return RecordPut(after, changed=True, revision=transition.revision)


class DeleteConversation(Command[ConversationDeleted], frozen=True):
    """Delete a conversation with its messages, if it exists, and optionally the plans and the entities of its id."""

    conversation_id: str
    precondition: Precondition | None = None
    include_plans: bool = False
    include_entities: bool = False

    def removed_paths(self, result: Any) -> tuple[RecordPath, ...]:
        """Return the conversation, its messages, and the window if it is removed, too."""
        paths = (("conversation", self.conversation_id), ("message", self.conversation_id))
        return (*paths, ("entity_window", self.conversation_id)) if self.include_entities else paths

    def decide(self, transition: Transition) -> ConversationDeleted:
        """Delete a conversation. Raises RecordNotFound, RecordExists, RevisionMismatch."""
        conversation_id = self.conversation_id
        there = transition.open(CONVERSATION).found(conversation_id, CONVERSATION_KEY, self.precondition)
        if there is not None:
            transition.open(MESSAGE).drop_group(conversation_id)
            transition.open(DUE_INGESTIONS).drop(conversation_id)
            transition.open(CONVERSATION).remove(there)
        plan_count = _delete_plans(conversation_id, transition) if self.include_plans else 0
        entity_count = _delete_entities(conversation_id, transition) if self.include_entities else 0
        message_count = 0 if there is None else there.message_count
        return ConversationDeleted(
            there is not None, message_count, plan_count, entity_count, transition.result_revision
        )


def new_conversation(conversation_id: str, transition: Transition) -> Conversation:
    """Return a conversation without messages. Raises QuotaExceeded."""
    conversations_max = transition.limits.conversations_per_agent
    if len(transition.open(CONVERSATION).records) >= conversations_max:
        raise QuotaExceeded("conversations_per_agent", conversations_max)
    return Conversation(conversation_id, 1, 0, 0, transition.now, transition.now, transition.revision, 0).sized()


def _delete_plans(conversation_id: str, transition: Transition) -> int:
    plans = sorted(transition.open(PLAN).records.group(conversation_id).values(), key=lambda each: each.plan_id)
    transition.open(PLAN).remove_all(conversation_id, plans)
    return len(plans)


def _delete_entities(conversation_id: str, transition: Transition) -> int:
    window = transition.open(ENTITY_WINDOW).records.find(conversation_id, WINDOW_KEY)
    if window is None:
        return 0
    transition.open(ENTITY_WINDOW).remove(window)
    return len(window.entities)
