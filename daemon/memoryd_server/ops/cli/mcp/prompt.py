"""The composed context, as an MCP prompt."""

import reprlib
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from memoryd import (
    ChatMessage,
    DocumentsSection,
    EntitiesSection,
    MemoriesSection,
    MessagesSection,
    NotesSection,
    PlanSection,
)
from memoryd.aio import Compose, Pipeline

PROMPT = types.Prompt(
    name="context",
    description="The memory that is relevant to a question: notes, documents and memories, and the plan, entities and "
    "messages of the conversation.",
    arguments=[
        types.PromptArgument(name="query", description="The question. It becomes the last message.", required=False),
        types.PromptArgument(name="conversation", description="The conversation to continue.", required=False),
        types.PromptArgument(name="max_tokens", description="The maximum size, in tokens.", required=False),
    ],
)
SECTIONS = (NotesSection(), DocumentsSection(), MemoriesSection(), PlanSection(), EntitiesSection(), MessagesSection())


async def prompt_result(arguments: Mapping[str, str]) -> types.GetPromptResult:
    """Return the context of a conversation. Raises CallFailed."""
    query = arguments.get("query", "")
    asked = [ChatMessage(role="user", content=query)] if query else []
    messages = await Pipeline(Compose(*SECTIONS, max_tokens=_tokens(arguments.get("max_tokens"))))(asked)
    # A message that only calls tools has no text.
    return types.GetPromptResult(
        description=PROMPT.description, messages=[_message(each) for each in messages if each["content"]]
    )


def _tokens(text: str | None) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and int(text)):
        raise MCPError(types.INVALID_PARAMS, f"max_tokens must be a number of tokens, not {reprlib.repr(text)}")
    return int(text)


def _message(message: ChatMessage) -> types.PromptMessage:
    # The protocol has two roles: messages of the system and of tools become messages of the user.
    role: types.Role = "assistant" if message["role"] == "assistant" else "user"
    return types.PromptMessage(role=role, content=types.TextContent(text=_text_of(message["content"])))


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text") or part["image_url"]["url"] for part in content)
