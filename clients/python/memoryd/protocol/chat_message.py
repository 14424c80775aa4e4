"""The messages that go to a model, as OpenAI's chat API has them, and how a conversation keeps them."""

from collections.abc import Iterable, Mapping
from typing import Any

from memoryd.model.context import ContextMessage
from memoryd.model.conversation import DraftMessage, MessageRole

ChatMessage = dict[str, Any]
Said = str | Mapping[str, Any] | Iterable[Mapping[str, Any]]

_ROLES = {"developer": "system", "function": "tool"}


class InjectedMessage(ChatMessage):
    """A message that came out of memory. It is a dict as any other."""


def injected(message: ContextMessage) -> InjectedMessage:
    """Answer a message of a composed context as one for a model."""
    chat = InjectedMessage(role=message.role.value, content=message.content)
    if message.name:
        chat["name"] = message.name
    if message.tool_call_id:
        chat["tool_call_id"] = message.tool_call_id
    if "tool_calls" in message.metadata:
        chat["tool_calls"] = message.metadata["tool_calls"]
    return chat


def in_front(told: Iterable[ContextMessage], messages: list[ChatMessage]) -> list[ChatMessage]:
    """Put what memory tells in front of the messages, behind what was put there before."""
    place = next((at for at, each in enumerate(messages) if not isinstance(each, InjectedMessage)), len(messages))
    return [*messages[:place], *map(injected, told), *messages[place:]]


def messages_of(said: Said) -> list[ChatMessage]:
    """Answer what a model said, which may be its text alone, as messages."""
    if isinstance(said, str):
        return [{"role": "assistant", "content": said}]
    return [dict(said)] if isinstance(said, Mapping) else [dict(each) for each in said]


def drafts_of(messages: Iterable[ChatMessage]) -> list[DraftMessage]:
    """Answer the messages as a conversation keeps them, without the system's. Raises ValueError for an unknown role."""
    drafts = (_draft(each) for each in messages if not isinstance(each, InjectedMessage))
    return [draft for draft in drafts if draft.role != MessageRole.SYSTEM]


def text_of(content: Any) -> str:
    """Answer the text of a content, which may have parts; one that is no text is told by its type."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(str(part.get("text", f"[{part.get('type')}]")) for part in content)


def last_question(messages: Iterable[ChatMessage]) -> str:
    """Answer the text of the user's last message; empty when there is none."""
    asked = [text_of(each.get("content")) for each in messages if each.get("role") == "user"]
    return asked[-1] if asked else ""


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
