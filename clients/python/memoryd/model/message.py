"""Messages of conversations, and their parts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from google.protobuf.json_format import MessageToDict

from memoryd.model.entry import write_metadata
from memoryd.model.enum_word import EnumWords
from memoryd.model.moment import datetime_from, timestamp_of
from memoryd.v1 import conversation_pb2 as pb


class MessageRole(StrEnum):
    """The role of a message's author."""

    UNSPECIFIED = "unspecified"
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


MESSAGE_ROLE = EnumWords(pb.MessageRole, "MESSAGE_ROLE")


@dataclass(frozen=True, slots=True)
class TextPart:
    """A text among the parts of a message."""

    text: str


@dataclass(frozen=True, slots=True)
class FilePart:
    """An image or another file, which is not stored itself: ``uri`` or ``document_id`` says where it is."""

    uri: str = ""
    document_id: str = ""
    media_type: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool that a model requests. ``arguments_json`` is what the model wrote, which may not be JSON."""

    tool_call_id: str
    name: str
    arguments_json: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool call. If ``failed`` is true, ``content`` is the tool's error."""

    tool_call_id: str
    content: str
    name: str = ""
    failed: bool = False


MessagePart = TextPart | FilePart | ToolCall | ToolResult


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. ``number`` is its position there, from 1. ``token_count`` is an estimate.

    A message that is nothing but a text has ``content``, any other has ``parts``. ``text`` is the words of either.
    """

    message_id: str
    conversation_id: str
    agent_id: str
    number: int
    role: MessageRole
    content: str
    parts: tuple[MessagePart, ...]
    name: str
    metadata: Mapping[str, Any]
    importance: float
    token_count: int
    create_time: datetime
    revision: int

    @property
    def text(self) -> str:
        """The words of the author or the results of tools, without files and calls, one part a line."""
        return text_of(self.content, self.parts)


@dataclass(frozen=True, slots=True)
class MessageDraft:
    """A message to append, with either ``content`` or ``parts``. Both may be empty only with ``metadata``.

    ``message_id`` is unique in the conversation; without one the server chooses it. ``create_time`` is that of history
    from elsewhere; by default it is the time of the append.
    """

    role: MessageRole | str
    content: str = ""
    parts: Sequence[MessagePart] = ()
    name: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    importance: float | None = None
    message_id: str = ""
    create_time: datetime | None = None


def text_of(content: str, parts: Sequence[MessagePart]) -> str:
    """Return the words of a message: its content, or the texts and results among its parts, one a line."""
    texts = (
        part.text if isinstance(part, TextPart) else part.content
        for part in parts
        if isinstance(part, TextPart | ToolResult)
    )
    return content or "\n".join(texts)


def message_from(message: pb.Message) -> Message:
    """Return the conversation's message of a protobuf message."""
    return Message(
        message_id=message.message_id,
        conversation_id=message.conversation_id,
        agent_id=message.agent_id,
        number=message.number,
        role=MESSAGE_ROLE.word(MessageRole, message.role),
        content=message.content,
        parts=parts_from(message.parts),
        name=message.name,
        metadata=MessageToDict(message.metadata),
        importance=message.importance,
        token_count=message.token_count,
        create_time=datetime_from(message.create_time),
        revision=message.revision,
    )


def parts_from(messages: Sequence[pb.MessagePart]) -> tuple[MessagePart, ...]:
    """Return the parts of a message. Those that a newer server sent and this client does not know are left out."""
    return tuple(part for each in messages if (part := _part_from(each)) is not None)


def draft_message(draft: MessageDraft) -> pb.MessageDraft:
    """Return the draft as a protobuf message."""
    message = pb.MessageDraft(
        message_id=draft.message_id,
        create_time=None if draft.create_time is None else timestamp_of(draft.create_time),
        role=MESSAGE_ROLE.number(draft.role),
        content=draft.content,
        parts=[_part_message(each) for each in draft.parts],
        name=draft.name,
        importance=draft.importance,
    )
    if draft.metadata:
        write_metadata(message.metadata, draft.metadata)
    return message


def _part_from(message: pb.MessagePart) -> MessagePart | None:
    match message.WhichOneof("part"):
        case "text":
            return TextPart(message.text)
        case "file":
            file = message.file
            return FilePart(file.uri, file.document_id, file.media_type, file.name)
        case "tool_call":
            call = message.tool_call
            return ToolCall(call.tool_call_id, call.name, call.arguments_json)
        case "tool_result":
            result = message.tool_result
            return ToolResult(result.tool_call_id, result.content, result.name, result.failed)
        case _:
            return None


def _part_message(part: MessagePart) -> pb.MessagePart:
    match part:
        case TextPart(text):
            return pb.MessagePart(text=text)
        case FilePart(uri, document_id, media_type, name):
            return pb.MessagePart(
                file=pb.MessageFile(uri=uri, document_id=document_id, media_type=media_type, name=name)
            )
        case ToolCall(tool_call_id, name, arguments_json):
            call = pb.MessageToolCall(tool_call_id=tool_call_id, name=name, arguments_json=arguments_json)
            return pb.MessagePart(tool_call=call)
        case ToolResult(tool_call_id, content, name, failed):
            result = pb.MessageToolResult(tool_call_id=tool_call_id, name=name, content=content, failed=failed)
            return pb.MessagePart(tool_result=result)
        case _:
            raise TypeError(
                f"{type(part).__name__} is not a part of a message: use TextPart, FilePart, ToolCall or ToolResult"
            )
