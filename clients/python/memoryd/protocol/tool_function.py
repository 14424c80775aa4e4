"""Conversion of a tool to a Python function, and to a LangChain tool."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, get_type_hints

from memoryd.protocol.tool import Tool, ToolAnswer

Function = TypeVar("Function", bound=Callable[..., Any])


def signature_of(tool: Tool) -> inspect.Signature:
    """Return the signature that the tool has for a model."""
    hints = get_type_hints(tool.perform, include_extras=True)
    _, *parameters = inspect.signature(tool.perform).parameters.values()
    return inspect.Signature([each.replace(annotation=hints[each.name]) for each in parameters], return_annotation=str)


def described(function: Function, tool: Tool) -> Function:
    """Give a function the name, docstring and signature of a tool."""
    signature = signature_of(tool)
    function.__name__ = function.__qualname__ = tool.name
    function.__doc__ = tool.description
    function.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()} | {"return": str}
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def langchain_tool(tool: Tool, function: Callable[..., Any]) -> Any:
    """Return a StructuredTool that runs a function, async or not. Its ToolException becomes the model's result."""
    from langchain_core.tools import StructuredTool

    is_async = inspect.iscoroutinefunction(function)
    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.parameters,
        func=None if is_async else function,
        coroutine=function if is_async else None,
        handle_tool_error=True,
    )


def langchain_text(answer: ToolAnswer) -> str:
    """Return the text for the model. Raises LangChain's ToolException with it if the call failed."""
    from langchain_core.tools import ToolException

    if answer.is_error:
        raise ToolException(answer.text)
    return answer.text
