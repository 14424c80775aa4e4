"""The MCP server: tools, memories as resources, and the composed context as a prompt."""

import contextlib
import reprlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

import memoryd
from memoryd_server import __version__
from memoryd_server.ops.cli.client.connection import Connection
from memoryd_server.ops.cli.client.failure import failed
from memoryd_server.ops.cli.mcp.prompt import PROMPT, prompt_result
from memoryd_server.ops.cli.mcp.resource import TEMPLATE, memory_id_of, resources_of

Context = ServerRequestContext[Any]

INSTRUCTIONS = (
    "This is your memory beyond the conversation. Recall before you answer a question about earlier conversations, and "
    "remember facts that will be useful later. Notes apply to every conversation: list them when one begins."
)


@dataclass(frozen=True, slots=True)
class Served:
    """The agent, conversation, user and tools that are served, and the connection to the daemon."""

    connection: Connection
    agent_id: str
    conversation_id: str
    user_id: str
    toolkit: memoryd.aio.Toolkit


@contextlib.asynccontextmanager
async def server_of(served: Served) -> AsyncIterator[Server]:
    """Connect to the daemon for a with block, and return the server."""
    connection = served.connection
    async with memoryd.aio.connect(connection.address, origin="mcp", **connection.settings) as client:
        yield _Handlers(served, client.agent(served.agent_id)).server()


class _Handlers:
    """The handlers of MCP requests. Each request calls the daemon, so that a lost daemon fails one request only."""

    def __init__(self, served: Served, agent: memoryd.aio.Agent) -> None:
        self._served = served
        self._agent = agent
        self._reading = memoryd.aio.Toolkit("list_memories", "get_memory")

    def server(self) -> Server:
        """Return a server with these handlers."""
        return Server(
            "memoryd",
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_templates,
            on_read_resource=self.read_resource,
            on_list_prompts=self.list_prompts,
            on_get_prompt=self.get_prompt,
        )

    async def list_tools(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(tool) for tool in self._served.toolkit.tools])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in {tool.name for tool in self._served.toolkit.tools}:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {reprlib.repr(params.name)}")
        with self._conversation():
            answer = await self._served.toolkit.run(params.name, params.arguments)
        text = _explained(answer.error) or answer.text
        return types.CallToolResult(content=[types.TextContent(text=text)], is_error=answer.is_error)

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        listed = await self._read("list_memories")
        return types.ListResourcesResult(resources=resources_of(listed))

    async def list_templates(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[TEMPLATE])

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        text = await self._read("get_memory", memory_id=memory_id_of(params.uri))
        contents = types.TextResourceContents(uri=params.uri, mime_type="application/json", text=text)
        return types.ReadResourceResult(contents=[contents])

    async def list_prompts(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[PROMPT])

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name != PROMPT.name:
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {reprlib.repr(params.name)}")
        arguments = params.arguments or {}
        try:
            with self._conversation(arguments.get("conversation")):
                return await prompt_result(arguments)
        except memoryd.errors.CallFailed as error:
            raise _refused(error) from None

    async def _read(self, name: str, **arguments: Any) -> str:
        with self._conversation():
            answer = await self._reading.run(name, arguments)
        if answer.error is not None:
            raise _refused(answer.error)
        if answer.is_error:
            raise MCPError(types.INVALID_PARAMS, answer.text)
        return answer.text

    def _conversation(self, conversation_id: str | None = None) -> contextlib.AbstractContextManager[Any]:
        chosen = conversation_id or self._served.conversation_id
        return memoryd.conversation(self._agent, chosen, user_id=self._served.user_id)


def _tool(tool: memoryd.Tool) -> types.Tool:
    hints = types.ToolAnnotations(
        read_only_hint=tool.read_only, destructive_hint=tool.destructive, open_world_hint=False
    )
    return types.Tool(name=tool.name, description=tool.description, input_schema=tool.parameters, annotations=hints)


def _refused(error: memoryd.errors.CallFailed) -> MCPError:
    is_callers_fault = isinstance(error, memoryd.errors.InvalidArgument | memoryd.errors.NotFound)
    return MCPError(
        types.INVALID_PARAMS if is_callers_fault else types.INTERNAL_ERROR, _explained(error) or error.message
    )


def _explained(error: memoryd.errors.CallFailed | None) -> str:
    """Return a remedy for a daemon that is unreachable or rejects the credentials; empty for other errors."""
    unable = memoryd.errors.Unavailable, memoryd.errors.DeadlineExceeded, memoryd.errors.Unauthenticated
    return failed(error).format_message() if isinstance(error, unable) else ""
