"""What a model may call: a declaration for it, and what is done when it calls."""

import inspect
import json
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from memoryd.errors import CallFailed
from memoryd.protocol.call import Call, Page
from memoryd.protocol.current_conversation import CurrentConversation
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.tool_schema import BadArguments, Schema, arguments_for, schema_of

Item = TypeVar("Item")
Flow = Generator[Call[Any], Any, Any]
Arguments = str | Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answers a model: JSON text, which is ``{"error": …}`` when the call did not work.

    ``error`` is the daemon's, for the program; None when there is none, or when the arguments were wrong.
    """

    text: str
    is_error: bool = False
    error: CallFailed | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """One thing that a model may call.

    ``parameters`` is the JSON schema of its arguments. ``read_only`` is whether it changes nothing, ``destructive``
    whether it replaces or removes what was there. ``perform`` takes the conversation and the arguments.
    """

    name: str
    description: str
    parameters: Schema
    read_only: bool
    destructive: bool
    perform: Callable[..., Flow]


def tool(*, read_only: bool = False, destructive: bool = False) -> Callable[[Callable[..., Flow]], Tool]:
    """Make a tool of a function: its name, docstring and parameters are those that a model is told."""

    def declared(function: Callable[..., Flow]) -> Tool:
        described = " ".join((inspect.getdoc(function) or "").split())
        return Tool(function.__name__, described, schema_of(function), read_only, destructive, function)

    return declared


def answer(tool: Tool, here: CurrentConversation, arguments: Arguments) -> Generator[Call[Any], Any, ToolAnswer]:
    """Do what a model asks for, and answer it so that it can go on, also when that does not work."""
    try:
        result = yield from tool.perform(here, **arguments_for(tool.parameters, arguments))
    except BadArguments as error:
        return failed(str(error))
    except CallFailed as error:
        return failed(_described(error), error)
    return ToolAnswer(json.dumps(result, ensure_ascii=False))


def failed(text: str, error: CallFailed | None = None) -> ToolAnswer:
    """Answer that a call did not work, and why."""
    return ToolAnswer(json.dumps({"error": text}, ensure_ascii=False), is_error=True, error=error)


def first_items(call: Call[Page[Item]], limit: int) -> Generator[Call[Any], Any, list[Item]]:
    """Answer at most so many items of a listing."""
    items: list[Item] = []
    following: Call[Page[Item]] | None = call
    call.request.page_size = min(limit, LIST_PAGE_SIZE)
    while following is not None and len(items) < limit:
        page = yield following
        items += page.items
        following = page.following
    return items[:limit]


def changes_of(**given: Any) -> Any:
    """Answer what is to be changed, by its names. Raises BadArguments when that is nothing."""
    changes = {name: value for name, value in given.items() if value is not None}
    if not changes:
        raise BadArguments(f"say what is to change: {', '.join(given)}")
    return changes


def _described(error: CallFailed) -> str:
    fields = "; ".join(f"{name}: {wrong}" for name, wrong in error.fields.items())
    return f"{error.message} ({fields})" if fields else error.message
