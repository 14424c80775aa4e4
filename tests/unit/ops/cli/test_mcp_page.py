"""The tools and options in docs/mcp.md are those of the command."""

import json
import re
from pathlib import Path

from memoryd.protocol.tool import Tool
from memoryd.protocol.toolkit import TOOLKITS
from memoryd_server.ops.cli.mcp.command import LISTEN_DEFAULT, mcp
from memoryd_server.ops.cli.mcp.prompt import PROMPT
from memoryd_server.ops.cli.mcp.resource import TEMPLATE

PAGE = (Path(__file__).parents[4] / "docs" / "mcp.md").read_text("utf-8")


def _row(toolkit: str, tool: Tool) -> str:
    arguments = [
        f"`{name}`" if name in tool.parameters["required"] else f"`{name}`?" for name in tool.parameters["properties"]
    ]
    effect = "reads" if tool.read_only else "replaces or removes" if tool.destructive else "adds"
    return f"| `{tool.name}` | {toolkit} | {', '.join(arguments)} | {effect} | {tool.description} |"


def test_every_tool_is_listed_as_it_is() -> None:
    rows = [_row(toolkit, tool) for toolkit, tools in TOOLKITS.items() for tool in tools]
    expected = [
        "| tool | toolkit | arguments | it | description |",
        "| --- | --- | --- | --- | --- |",
        *rows,
    ]
    listed = PAGE.partition("<!-- tools -->\n")[2].partition("<!-- end of tools -->")[0]
    assert listed.splitlines() == expected, "\n".join(expected)


def test_the_options_are_those_of_the_command() -> None:
    named = set(re.findall(r"`(--[a-z-]+)", PAGE))
    known = {name for parameter in mcp.params for name in parameter.opts}
    assert named <= known | {"--help"}
    assert {name for parameter in mcp.params[:9] for name in parameter.opts} <= named
    assert LISTEN_DEFAULT in PAGE


def test_the_help_names_every_toolkit() -> None:
    (tools,) = (option for option in mcp.params if option.name == "tools")
    assert f"({', '.join(TOOLKITS)})" in (getattr(tools, "help", None) or "")


def test_the_configuration_names_the_command() -> None:
    (block,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    (server,) = json.loads(block)["mcpServers"].values()
    assert server["command"] == "memoryd"
    assert mcp.make_context("mcp", server["args"][1:]).params["agent_id"] == "assistant-1"


def test_the_resources_and_the_prompt_are_those_of_the_server() -> None:
    assert f"`{TEMPLATE.uri_template}`" in PAGE
    assert f"`{PROMPT.name}`" in PAGE
    assert all(f"`{argument.name}`" in PAGE for argument in PROMPT.arguments or [])
