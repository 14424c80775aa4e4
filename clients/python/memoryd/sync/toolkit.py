"""The tools of a model, for ordinary code."""

from collections.abc import Callable
from typing import Any

from memoryd.protocol.tool import Arguments, Tool, ToolAnswer
from memoryd.protocol.tool_function import described, langchain_text, langchain_tool, signature_of
from memoryd.protocol.toolkit import ToolChoice
from memoryd.sync.conversation import perform


class Toolkit(ToolChoice):
    """The tools that a model is given.

    Those of the ``chosen`` toolkits ("notes", "plans", "documents", "memories"), or single ones by name; all without
    any. ``read_only`` leaves out what changes anything. What they do is done for the conversation that goes on: outside
    of ``memoryd.conversation`` they raise NoConversation. Raises ValueError for a name that there is not.
    """

    def run(self, name: str, arguments: Arguments = None) -> ToolAnswer:
        """Do what a model asks for. ``arguments`` is JSON text, or what it tells.

        What does not work is answered, not raised, so that the model can act on it.
        """
        return perform(lambda here: self._answer(here, name, arguments))

    def dispatch(self, name: str, arguments: Arguments = None) -> str:
        """Do what a model asks for, and answer the JSON text for it: see run."""
        return self.run(name, arguments).text

    def functions(self) -> list[Callable[..., str]]:
        """Answer the tools as plain functions with docstrings and annotations, which answer JSON text."""
        return [self._function(tool) for tool in self.tools]

    def to_langchain(self) -> list[Any]:
        """Answer the tools for LangChain and LangGraph. Raises ImportError without ``langchain_core``."""
        return [self._langchain_tool(tool) for tool in self.tools]

    def _function(self, tool: Tool) -> Callable[..., str]:
        signature = signature_of(tool)

        def function(*positional: Any, **named: Any) -> str:
            return self.dispatch(tool.name, signature.bind(*positional, **named).arguments)

        return described(function, tool)

    def _langchain_tool(self, tool: Tool) -> Any:
        def function(**arguments: Any) -> str:
            return langchain_text(self.run(tool.name, arguments))

        return langchain_tool(tool, function=function)
