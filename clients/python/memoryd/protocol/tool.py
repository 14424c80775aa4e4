"""Tools: their declarations for a model, and the execution of a model's calls."""

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
    """The result of a tool call for the model: JSON text, which is ``{"error": …}`` if the call failed.

    ``error`` is the daemon's error, for the program; None if the call succeeded, or if its arguments were invalid.
    """

    text: str
    is_error: bool = False
    error: CallFailed | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call.

    ``parameters`` is the JSON schema of its arguments. ``read_only`` is true if it changes nothing, ``destructive`` if
    it replaces or removes records. ``perform`` takes the conversation and the arguments.
    """

    name: str
    description: str
    parameters: Schema
    read_only: bool
    destructive: bool
    perform: Callable[..., Flow]


def tool(*, read_only: bool = False, destructive: bool = False) -> Callable[[Callable[..., Flow]], Tool]:
    """Return a decorator that makes a tool of a function. Its name, docstring and parameters declare it to a model."""

    def declared(function: Callable[..., Flow]) -> Tool:
        description = " ".join((inspect.getdoc(function) or "").split())
        return Tool(function.__name__, description, schema_of(function), read_only, destructive, function)

    return declared


def run_tool(tool: Tool, here: CurrentConversation, arguments: Arguments) -> Generator[Call[Any], Any, ToolAnswer]:
    """Perform a model's call of a tool. Invalid arguments and a CallFailed are returned to the model as an error."""
    try:
        result = yield from tool.perform(here, **arguments_for(tool.parameters, arguments))
    except BadArguments as error:
        return failed(str(error))
    except CallFailed as error:
        return failed(_described(error), error)
    return ToolAnswer(json.dumps(result, ensure_ascii=False))


def failed(text: str, error: CallFailed | None = None) -> ToolAnswer:
    """Return the answer of a failed call."""
    return ToolAnswer(json.dumps({"error": text}, ensure_ascii=False), is_error=True, error=error)


def first_items(call: Call[Page[Item]], limit: int) -> Generator[Call[Any], Any, list[Item]]:
    """Return the first items of a listing, at most ``limit``."""
    items: list[Item] = []
    following: Call[Page[Item]] | None = call
    call.request.page_size = min(limit, LIST_PAGE_SIZE)
    while following is not None and len(items) < limit:
        page = yield following
        items += page.items
        following = page.following
    return items[:limit]


def changes_of(**given: Any) -> Any:
    """Return the arguments that are not None. Raises BadArguments if there are none."""
    changes = {name: value for name, value in given.items() if value is not None}
    if not changes:
        raise BadArguments(f"nothing to change: give at least one of {', '.join(given)}")
    return changes


def _described(error: CallFailed) -> str:
    # The daemon's own message names the field already.
    fields = [f"{name}: {wrong}" for name, wrong in error.fields.items() if wrong not in error.message]
    return f"{error.message} ({'; '.join(fields)})" if fields else error.message
