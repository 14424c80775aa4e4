"""Roles of messages, and the parts of a message that is more than a text."""

import enum
from collections.abc import Callable, Iterable, Sequence

import msgspec


class MessageRole(enum.IntEnum):
    """The role of a message's author. The numbers are those of the contract and are stored: never renumber."""

    SYSTEM = 1
    USER = 2
    ASSISTANT = 3
    TOOL = 4


class TextPart(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="text"):
    """A text."""

    text: str

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts of the part, which a model reads and which count against limits."""
        return (self.text,)

    @property
    def rendered(self) -> str:
        """The part as text for people, notes and summaries."""
        return self.text

    def with_text(self, change: Callable[[str], str]) -> "TextPart":
        """Return the part with its text changed."""
        return TextPart(change(self.text))


class FilePart(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="file"):
    """A reference to an image or another file. ``uri`` or ``document_id`` is set; other fields may be empty."""

    uri: str = ""
    document_id: str = ""
    media_type: str = ""
    name: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts of the part, which a model reads and which count against limits."""
        return (self.uri, self.document_id, self.media_type, self.name)

    @property
    def rendered(self) -> str:
        """The part as text for people, notes and summaries."""
        return f"[file {self.name or self.uri or self.document_id}]"

    def with_text(self, _change: Callable[[str], str]) -> "FilePart":
        """Return the part, which has no text."""
        return self


class ToolCall(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="tool_call"):
    """A call of a tool. ``arguments_json`` is what a model wrote, and may not be JSON."""

    tool_call_id: str
    name: str
    arguments_json: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts of the part, which a model reads and which count against limits."""
        return (self.tool_call_id, self.name, self.arguments_json)

    @property
    def rendered(self) -> str:
        """The part as text for people, notes and summaries."""
        return f"{self.name}({self.arguments_json})"

    def with_text(self, _change: Callable[[str], str]) -> "ToolCall":
        """Return the part, whose arguments a model must get back as it wrote them."""
        return self


class ToolResult(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="tool_result"):
    """The result of a tool call. ``name`` may be empty. If ``failed`` is true, ``content`` is the tool's error."""

    tool_call_id: str
    name: str = ""
    content: str = ""
    failed: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts of the part, which a model reads and which count against limits."""
        return (self.tool_call_id, self.name, self.content)

    @property
    def rendered(self) -> str:
        """The part as text for people, notes and summaries."""
        return self.content

    def with_text(self, change: Callable[[str], str]) -> "ToolResult":
        """Return the part with its content changed."""
        return msgspec.structs.replace(self, content=change(self.content))


MessagePart = TextPart | FilePart | ToolCall | ToolResult


def rendered(content: str, parts: Sequence[MessagePart]) -> str:
    """Return a message, which has either content or parts, as text for people, notes and summaries."""
    return "\n".join(part.rendered for part in parts) if parts else content


def words(content: str, parts: Iterable[MessagePart]) -> str:
    """Return what the author of a message wrote in words: its content or the texts among its parts."""
    return content or "\n".join(part.text for part in parts if isinstance(part, TextPart))


def is_tool_result(role: MessageRole, parts: Iterable[MessagePart]) -> bool:
    """Return True if a message answers the calls of the one before it, without which no model accepts it."""
    return role is MessageRole.TOOL or any(isinstance(part, ToolResult) for part in parts)
