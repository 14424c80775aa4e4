"""The tools of a model, for asyncio."""

from collections.abc import Awaitable, Callable
from typing import Any

from memoryd.aio.conversation import perform
from memoryd.protocol.tool import Arguments, Tool, ToolAnswer
from memoryd.protocol.tool_function import described, langchain_text, langchain_tool, signature_of
from memoryd.protocol.toolkit import ToolChoice


class Toolkit(ToolChoice):
    """The tools that a model is given.

    Those of the ``chosen`` toolkits ("notes", "plans", "documents", "memories"), or single ones by name; all without
    any. ``read_only`` leaves out what changes anything. What they do is done for the conversation that goes on: outside
    of ``memoryd.conversation`` they raise NoConversation. Raises ValueError for a name that there is not.
    """

    async def run(self, name: str, arguments: Arguments = None) -> ToolAnswer:
        """Do what a model asks for. ``arguments`` is JSON text, or what it tells.

        What does not work is answered, not raised, so that the model can act on it.
        """
        return await perform(lambda here: self._answer(here, name, arguments))

    async def dispatch(self, name: str, arguments: Arguments = None) -> str:
        """Do what a model asks for, and answer the JSON text for it: see run."""
        return (await self.run(name, arguments)).text

    def functions(self) -> list[Callable[..., Awaitable[str]]]:
        """Answer the tools as plain async functions with docstrings and annotations, which answer JSON text."""
        return [self._function(tool) for tool in self.tools]

    def to_langchain(self) -> list[Any]:
        """Answer the tools for LangChain and LangGraph. Raises ImportError without ``langchain_core``."""
        return [self._langchain_tool(tool) for tool in self.tools]

    def _function(self, tool: Tool) -> Callable[..., Awaitable[str]]:
        signature = signature_of(tool)

        async def function(*positional: Any, **named: Any) -> str:
            return await self.dispatch(tool.name, signature.bind(*positional, **named).arguments)

        return described(function, tool)

    def _langchain_tool(self, tool: Tool) -> Any:
        async def function(**arguments: Any) -> str:
            return langchain_text(await self.run(tool.name, arguments))

        return langchain_tool(tool, coroutine=function)
