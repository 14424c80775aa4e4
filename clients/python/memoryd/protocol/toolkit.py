"""The choice of the tools that a model gets, and their declarations for model APIs."""

import copy
import reprlib
from collections.abc import Generator, Iterable, Iterator
from typing import Any

from memoryd.protocol.call import Call
from memoryd.protocol.current_conversation import CurrentConversation
from memoryd.protocol.document_tool import DOCUMENT_TOOLS
from memoryd.protocol.memory_tool import MEMORY_TOOLS
from memoryd.protocol.note_tool import NOTE_TOOLS
from memoryd.protocol.plan_tool import PLAN_TOOLS
from memoryd.protocol.tool import Arguments, Tool, ToolAnswer, failed, run_tool

TOOLKITS: dict[str, tuple[Tool, ...]] = {
    "notes": NOTE_TOOLS,
    "plans": PLAN_TOOLS,
    "documents": DOCUMENT_TOOLS,
    "memories": MEMORY_TOOLS,
}


class ToolChoice:
    """The tools that a model gets.

    ``chosen`` are names of tools, or of toolkits, which stand for all of their tools; none means all. If ``read_only``
    is true, tools that change anything are left out. Raises ValueError for an unknown name.
    """

    def __init__(self, *chosen: str, read_only: bool = False) -> None:
        self._tools = {tool.name: tool for tool in _tools(chosen or TOOLKITS) if tool.read_only or not read_only}

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools, each once."""
        return tuple(self._tools.values())

    def to_openai(self) -> list[dict[str, Any]]:
        """Return the ``tools`` for OpenAI's chat API, and for compatible ones."""
        return [{"type": "function", "function": _declaration(tool, "parameters")} for tool in self.tools]

    def to_anthropic(self) -> list[dict[str, Any]]:
        """Return the ``tools`` for Anthropic's messages API."""
        return [_declaration(tool, "input_schema") for tool in self.tools]

    def _run(self, here: CurrentConversation, name: str, arguments: Arguments) -> Generator[Call[Any], Any, ToolAnswer]:
        tool = self._tools.get(name)
        if tool is None:
            return failed(f"there is no tool {reprlib.repr(name)}: use one of {', '.join(self._tools)}")
        return (yield from run_tool(tool, here, arguments))


def _declaration(tool: Tool, parameters: str) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, parameters: copy.deepcopy(tool.parameters)}


def _tools(names: Iterable[str]) -> Iterator[Tool]:
    by_name = {tool.name: tool for tools in TOOLKITS.values() for tool in tools}
    for name in names:
        if name not in TOOLKITS and name not in by_name:
            raise ValueError(f"there is no tool or toolkit {name!r}: use one of {', '.join([*TOOLKITS, *by_name])}")
        yield from TOOLKITS.get(name) or (by_name[name],)
