"""The tools that a model can call."""

from collections.abc import Awaitable, Callable
from typing import Any

from memoryd.aio.conversation import perform
from memoryd.protocol.tool import Arguments, Tool, ToolAnswer
from memoryd.protocol.tool_function import described, langchain_text, langchain_tool, signature_of
from memoryd.protocol.toolkit import ToolChoice


class Toolkit(ToolChoice):
    """The tools that a model can call.

    ``chosen`` names toolkits ("notes", "plans", "documents", "memories") or single tools (default: all). ``read_only``
    leaves out tools that change anything. Tools act on the current conversation, and raise NoConversation outside of
    ``memoryd.conversation``. Raises ValueError for an unknown name.
    """

    async def run(self, name: str, arguments: Arguments = None) -> ToolAnswer:
        """Run a tool that a model calls. ``arguments`` is JSON text or its decoded value.

        Errors are returned, not raised, so that the model can act on them.
        """
        return await perform(lambda here: self._run(here, name, arguments))

    async def dispatch(self, name: str, arguments: Arguments = None) -> str:
        """Run a tool that a model calls, and return the JSON text for the model: see run."""
        answer = await self.run(name, arguments)
        return answer.text

    def functions(self) -> list[Callable[..., Awaitable[str]]]:
        """Return the tools as plain async functions with docstrings and annotations, which return JSON text."""
        return [self._function(tool) for tool in self.tools]

    def to_langchain(self) -> list[Any]:
        """Return the tools as those of LangChain and LangGraph. Raises ImportError without ``langchain_core``."""
        return [self._langchain_tool(tool) for tool in self.tools]

    def _function(self, tool: Tool) -> Callable[..., Awaitable[str]]:
        signature = signature_of(tool)

        async def function(*positional: Any, **named: Any) -> str:
            return await self.dispatch(tool.name, signature.bind(*positional, **named).arguments)

        return described(function, tool)

    def _langchain_tool(self, tool: Tool) -> Any:
        async def function(**arguments: Any) -> str:
            return langchain_text(await self.run(tool.name, arguments))

        return langchain_tool(tool, function)
