"""The composed context as a prompt that a host may take."""

from collections.abc import Mapping

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
    description="What is remembered that bears on a question: notes, documents and memories, and of the conversation "
    "its plan, what its tools touched last, and its messages.",
    arguments=[
        types.PromptArgument(name="query", description="The question, which comes last.", required=False),
        types.PromptArgument(name="conversation", description="The conversation that goes on.", required=False),
        types.PromptArgument(name="max_tokens", description="What all may take, in tokens.", required=False),
    ],
)
SECTIONS = (NotesSection(), DocumentsSection(), MemoriesSection(), PlanSection(), EntitiesSection(), MessagesSection())


async def prompt_result(arguments: Mapping[str, str]) -> types.GetPromptResult:
    """The context of the conversation that goes on. Raises CallFailed."""
    query = arguments.get("query", "")
    asked = [ChatMessage(role="user", content=query)] if query else []
    messages = await Pipeline(Compose(*SECTIONS, max_tokens=_tokens(arguments.get("max_tokens"))))(asked)
    # A model that called tools may have said nothing beside it.
    return types.GetPromptResult(
        description=PROMPT.description, messages=[_message(each) for each in messages if each["content"]]
    )


def _tokens(text: str | None) -> int:
    if not text:
        return 0
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and int(text)):
        raise MCPError(types.INVALID_PARAMS, f"max_tokens must be a number of tokens, not {text!r}")
    return int(text)


def _message(message: ChatMessage) -> types.PromptMessage:
    # The protocol has two roles: what the system or a tool says comes from the user's side.
    role: types.Role = "assistant" if message["role"] == "assistant" else "user"
    return types.PromptMessage(role=role, content=types.TextContent(text=message["content"]))
