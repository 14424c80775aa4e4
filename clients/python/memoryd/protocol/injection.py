"""Injection of memory into a model's messages, and recording of messages in the conversation."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memoryd.model.context import ComposedContext
from memoryd.model.message import MessageDraft
from memoryd.protocol.call import Call
from memoryd.protocol.chat_message import ChatMessage, in_front, last_question, tool_results
from memoryd.protocol.context import ContextSection, DocumentsSection, compose_context
from memoryd.protocol.conversation import append_messages
from memoryd.protocol.current_conversation import CurrentConversation, shared_with
from memoryd.protocol.entity import WindowName, extract_entities
from memoryd.protocol.record_filter import UserOptions

QUERY_BYTES_MAX = 4096
"""Maximum size of a query. Of a longer question only the beginning is used."""

OnCompose = Callable[[ComposedContext], object]


@dataclass(frozen=True, slots=True)
class Injection:
    """The sections to put in front of the messages, and the options of the context: see Compose."""

    sections: Sequence[ContextSection]
    max_tokens: int | None = None
    model: str = ""
    on_compose: OnCompose | None = None

    def flow(
        self, here: CurrentConversation, messages: list[ChatMessage]
    ) -> Generator[Call[Any], Any, list[ChatMessage]]:
        """Compose the sections for the conversation, and return the messages with them in front."""
        context: ComposedContext = yield compose_context(
            here.agent_id,
            here.conversation_id,
            [_with_shared(section, here.user_id) for section in self.sections],
            max_tokens=self.max_tokens,
            model=self.model,
            query=_query(messages),
            include_manifest=self.on_compose is not None,
            options=UserOptions(user_id=here.user_id),
        )
        if self.on_compose is not None:
            self.on_compose(context)
        return in_front(context.messages, messages)


def record(here: CurrentConversation, drafts: list[MessageDraft]) -> Generator[Call[Any], Any, None]:
    """Append messages to the conversation as one change."""
    if drafts:
        yield append_messages(here.agent_id, here.conversation_id, drafts, expected_revision=None, must_not_exist=False)


def extract(here: CurrentConversation, messages: list[ChatMessage]) -> Generator[Call[Any], Any, None]:
    """Add the entities in the results of tools to the conversation's window, in the order of the messages."""
    window = WindowName(here.agent_id, here.conversation_id)
    for tool_name, result in tool_results(messages):
        yield extract_entities(window, tool_name, result, tool_prefix="", dry_run=False, expected_revision=None)


def _with_shared(section: ContextSection, user_id: str) -> ContextSection:
    """Return a section of documents with those of no user, too, which all users share, unless it names users itself."""
    match section:
        case DocumentsSection(filter=chosen) if not {"user_ids", "all_users"} & chosen.keys():
            return replace(section, filter={**chosen, "user_ids": shared_with(user_id)})
    return section


def _query(messages: list[ChatMessage]) -> str:
    return last_question(messages).encode(errors="replace")[:QUERY_BYTES_MAX].decode(errors="ignore")
