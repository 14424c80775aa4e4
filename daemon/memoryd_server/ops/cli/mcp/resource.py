"""Memories as MCP resources."""

import json
import reprlib
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.shared.exceptions import MCPError

PREFIX = "memoryd://memories/"
TITLE_CHARACTERS_MAX = 80

TEMPLATE = types.ResourceTemplate(
    uri_template=f"{PREFIX}{{id}}",
    name="memory",
    description="One memory, with its provenance, confidence and links.",
    mime_type="application/json",
)


def resources_of(listed: str) -> list[types.Resource]:
    """Return the newest memories as resources, from the result of the tool list_memories."""
    return [
        types.Resource(
            uri=PREFIX + quote(memory["memory_id"], safe=""),
            name=memory["memory_id"],
            title=_title(memory["content"]),
            description=f"{memory['type']}, {memory['occur_time']}",
            mime_type="application/json",
        )
        for memory in json.loads(listed)["memories"]
    ]


def memory_id_of(uri: str) -> str:
    """Return the id of the memory that a URI names."""
    memory_id = unquote(uri.removeprefix(PREFIX))
    if not uri.startswith(PREFIX) or not memory_id:
        raise MCPError(types.INVALID_PARAMS, f"there is no resource {reprlib.repr(uri)}: memories are {PREFIX}ID")
    return memory_id


def _title(content: str) -> str:
    line = " ".join(content.split())
    return line if len(line) <= TITLE_CHARACTERS_MAX else f"{line[: TITLE_CHARACTERS_MAX - 1]}…"
