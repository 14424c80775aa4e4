"""Conversion between the messages of OpenAI's chat API and those of a conversation."""

from collections.abc import Iterable, Mapping
from typing import Any

from memoryd.model.context import ContextMessage
from memoryd.model.conversation import DraftMessage, MessageRole

ChatMessage = dict[str, Any]
ModelOutput = str | Mapping[str, Any] | Iterable[Mapping[str, Any]]

_ROLES = {"developer": "system", "function": "tool"}


class InjectedMessage(ChatMessage):
    """A message that was composed of memory. It is a dict like other messages; its type keeps it from being stored."""


def injected(message: ContextMessage) -> InjectedMessage:
    """Return a message of a composed context as one for a model."""
    chat = InjectedMessage(role=message.role.value, content=message.content)
    if message.name:
        chat["name"] = message.name
    if message.tool_call_id:
        chat["tool_call_id"] = message.tool_call_id
    if "tool_calls" in message.metadata:
        chat["tool_calls"] = message.metadata["tool_calls"]
    return chat


def in_front(context: Iterable[ContextMessage], messages: list[ChatMessage]) -> list[ChatMessage]:
    """Return the messages with those of a context in front, after the ones that were injected before."""
    place = next((at for at, each in enumerate(messages) if not isinstance(each, InjectedMessage)), len(messages))
    return [*messages[:place], *map(injected, context), *messages[place:]]


def messages_of(output: ModelOutput) -> list[ChatMessage]:
    """Return a model's output, which may be plain text, as messages."""
    if isinstance(output, str):
        return [{"role": "assistant", "content": output}]
    return [dict(output)] if isinstance(output, Mapping) else [dict(each) for each in output]


def drafts_of(messages: Iterable[ChatMessage]) -> list[DraftMessage]:
    """Return the messages to append to a conversation, without injected ones and those of the system.

    Raises ValueError for an unknown role.
    """
    drafts = (_draft(each) for each in messages if not isinstance(each, InjectedMessage))
    return [draft for draft in drafts if draft.role != MessageRole.SYSTEM]


def text_of(content: Any) -> str:
    """Return a content as text. Its parts become lines; a part without text becomes its type, such as "[image_url]"."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(str(part.get("text", f"[{part.get('type')}]")) for part in content)


def last_question(messages: Iterable[ChatMessage]) -> str:
    """Return the text of the user's last message; empty when there is none."""
    questions = [text_of(each.get("content")) for each in messages if each.get("role") == "user"]
    return questions[-1] if questions else ""


def _draft(message: ChatMessage) -> DraftMessage:
    role = str(message.get("role"))
    calls = message.get("tool_calls")
    return DraftMessage(
        MessageRole(_ROLES.get(role, role)),
        text_of(message.get("content")),
        name=message.get("name") or "",
        tool_call_id=message.get("tool_call_id") or "",
        metadata={"tool_calls": calls} if calls else {},
    )
