"""Conversion between the messages of OpenAI's chat API and those of a conversation."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from memoryd.model.context import ContextMessage
from memoryd.model.message import (
    MESSAGE_ROLE,
    FilePart,
    MessageDraft,
    MessagePart,
    MessageRole,
    TextPart,
    ToolCall,
    ToolResult,
)
from memoryd.model.value import Json

ChatMessage = dict[str, Any]
ModelOutput = str | Mapping[str, Any] | Iterable[Mapping[str, Any]]

_ROLES = {"developer": "system", "function": "tool"}


class InjectedMessage(ChatMessage):
    """A message that was composed of memory. It is a dict like other messages; its type keeps it from being stored."""


def injected(message: ContextMessage) -> Iterator[InjectedMessage]:
    """Yield a message of a composed context as messages for a model: the results of tools are one each."""
    for result in message.parts:
        if isinstance(result, ToolResult):
            yield InjectedMessage(
                role=MessageRole.TOOL.value, content=result.content, tool_call_id=result.tool_call_id, **_named(result)
            )
    others = [part for part in message.parts if not isinstance(part, ToolResult)]
    if message.parts and not others:
        return
    chat = InjectedMessage(role=message.role.value, content=_content_of(message.content, others), **_named(message))
    calls = [_call_of(part) for part in others if isinstance(part, ToolCall)]
    if calls:
        chat["tool_calls"] = calls
    yield chat


def in_front(context: Iterable[ContextMessage], messages: list[ChatMessage]) -> list[ChatMessage]:
    """Return the messages with those of a context in front, after the ones that were injected before."""
    place = next((at for at, each in enumerate(messages) if not isinstance(each, InjectedMessage)), len(messages))
    return [*messages[:place], *(chat for each in context for chat in injected(each)), *messages[place:]]


def messages_of(output: ModelOutput) -> list[ChatMessage]:
    """Return a model's output, which may be plain text, as messages."""
    if isinstance(output, str):
        return [{"role": "assistant", "content": output}]
    return [dict(output)] if isinstance(output, Mapping) else [dict(each) for each in output]


def drafts_of(messages: Iterable[ChatMessage]) -> list[MessageDraft]:
    """Return the messages to append to a conversation, without injected ones and those of the system.

    Raises UnknownWord for an unknown role.
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


def tool_results(messages: Sequence[ChatMessage]) -> Iterator[tuple[str, Any]]:
    """Yield the name of the tool and the result, decoded if it is JSON, of each message of a tool.

    One whose tool is unknown is left out: its message has no name, and its call is not among the messages.
    """
    calls = [call for each in messages for call in each.get("tool_calls") or ()]
    names = {call["id"]: (call.get("function") or call.get("custom") or {}).get("name", "") for call in calls}
    for each in messages:
        if _ROLES.get(str(each.get("role")), each.get("role")) == MessageRole.TOOL:
            name = each.get("name") or names.get(each.get("tool_call_id"), "")
            if name:
                yield name, _decoded(text_of(each.get("content")))


def _decoded(text: str) -> Any:
    try:
        json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text
    return Json(text)


def _draft(message: ChatMessage) -> MessageDraft:
    said = str(message.get("role"))
    role, name, content = _role_of(_ROLES.get(said, said)), message.get("name") or "", message.get("content")
    if role is MessageRole.TOOL and message.get("tool_call_id"):
        return MessageDraft(role, parts=(ToolResult(message["tool_call_id"], text_of(content), name),))
    parts = _parts_of(content)
    parts += [_tool_call(each) for each in message.get("tool_calls") or ()]
    if len(parts) == 1 and isinstance(parts[0], TextPart):
        return MessageDraft(role, parts[0].text, name=name)
    return MessageDraft(role, parts=parts, name=name)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _role_of(word: str) -> MessageRole:
    MESSAGE_ROLE.number(word)
    return MessageRole(word.lower())


def _tool_call(call: Mapping[str, Any]) -> ToolCall:
    # Custom tools have an input of any text in place of a function's arguments.
    called = call.get("function") or call.get("custom") or {}
    return ToolCall(call["id"], called["name"], called.get("arguments") or called.get("input") or "")


def _parts_of(content: Any) -> list[MessagePart]:
    if content is None or isinstance(content, str):
        return [TextPart(content)] if content else []
    return [part for each in content if (part := _part_of(each)) is not None]


def _part_of(part: Mapping[str, Any]) -> MessagePart | None:
    uri = (part.get("image_url") or {}).get("url", "")
    # The content of a file itself is not stored, only that there was one.
    if uri and not uri.startswith("data:"):
        return FilePart(uri)
    text = text_of([part])
    return TextPart(text) if text else None


def _content_of(content: str, parts: Sequence[MessagePart]) -> Any:
    """Return a content for a model: a text, or a list if there are files among the parts."""
    if not any(isinstance(part, FilePart) for part in parts):
        return content or "\n".join(part.text for part in parts if isinstance(part, TextPart))
    return [_content_part(part) for part in parts if isinstance(part, TextPart | FilePart)]


def _content_part(part: TextPart | FilePart) -> dict[str, Any]:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    is_image = part.media_type.startswith("image/") or not part.media_type
    if part.uri and is_image:
        return {"type": "image_url", "image_url": {"url": part.uri}}
    return {"type": "text", "text": f"[file {part.name or part.uri or part.document_id}]"}


def _call_of(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments_json}
    return {"id": call.tool_call_id, "type": "function", "function": function}


def _named(named: ContextMessage | ToolResult) -> dict[str, str]:
    return {"name": named.name} if named.name else {}
