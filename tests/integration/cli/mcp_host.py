"""A host of the Model Context Protocol: the official client, over a real process or over HTTP."""

import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import TextContent
from tests.wait import WAIT_S_MAX

PATIENT = ("--timeout", f"{WAIT_S_MAX:.0f}s")
"""Of options that are given twice, the last one counts."""
MEMORYD = str(Path(sys.executable).with_name("memoryd"))


@contextlib.asynccontextmanager
async def over_stdio(directory: Path, address: str, *options: str) -> AsyncIterator[Client]:
    """A host that starts ``memoryd mcp`` itself; the process's id and what it says on standard error are in files."""
    command = f'echo $$ > "{directory}/pid"; exec "{MEMORYD}" mcp "$@"'
    server = StdioServerParameters(
        command="sh",
        args=["-c", command, "sh", *PATIENT, *options],
        env={**os.environ, "MEMORYD_ADDRESS": address},
    )
    with (directory / "err").open("a") as err:
        async with Client(stdio_client(server, errlog=err), read_timeout_seconds=WAIT_S_MAX) as client:
            yield client


async def use(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool, and return its result. Raises AssertionError with the text of an error."""
    text, is_error = await used(client, name, **arguments)
    assert not is_error, text
    answer: dict[str, Any] = json.loads(text)
    return answer


async def used(client: Client, name: str, **arguments: Any) -> tuple[str, bool]:
    """Call a tool, and return its text, and whether it is an error."""
    result = await client.call_tool(name, arguments)
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text, result.is_error
