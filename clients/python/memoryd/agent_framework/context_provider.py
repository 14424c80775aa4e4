"""A provider of context from long-term memory."""

from typing import Any

from agent_framework import ContextProvider

from memoryd.adapter.connected import Connected
from memoryd.adapter.connection import Connection
from memoryd.aio.client import Client as AioClient
from memoryd.model.memory import Provenance
from memoryd.sync.client import Client

QUERY_BYTES_MAX = 4_096
PROMPT = "What is remembered, which may help to answer:"


class MemorydContextProvider(Connected, ContextProvider):
    """A provider that adds the memories which match what the user says, and remembers it.

    ``client`` is a ``memoryd.Client``, a ``memoryd.aio.Client`` of the running event loop, or an address as for
    ``memoryd.connect``. ``agent_id`` is the agent that owns the memories, ``user_id`` the user whom they are about.
    ``limit`` is the maximum number of memories that a run gets, at most 100. If ``remembers`` is false, nothing is
    stored: the program does it, or a tool.

    A text that states what a memory states reinforces it. Every method raises CallFailed when the daemon refuses or
    cannot be reached. Close the provider, or use it as an asynchronous context manager; a given client stays open.
    """

    def __init__(
        self,
        client: Client | AioClient | str | None = None,
        *,
        agent_id: str = "agent-framework",
        user_id: str = "",
        limit: int = 10,
        remembers: bool = True,
        prompt: str = PROMPT,
        source_id: str = "memoryd_memory",
    ) -> None:
        super().__init__(source_id)
        self._connection = Connection(client)
        self._agent_id = agent_id
        self._user_id = user_id
        self._limit = limit
        self._remembers = remembers
        self._prompt = prompt

    async def before_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:
        """Add the memories that match the user's input to the instructions."""
        query = "\n".join(_said(context)).encode()[:QUERY_BYTES_MAX].decode(errors="ignore")
        if not query.strip():
            return
        memories = self._connection.agent_in_task(self._agent_id).memories
        found = await memories.recall(query, user_id=self._user_id, limit=self._limit)
        if found.memories:
            lines = [f"- {match.memory.content}" for match in found.memories]
            context.extend_instructions(self.source_id, "\n".join([self._prompt, *lines]))

    async def after_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:
        """Remember what the user said."""
        if not self._remembers:
            return
        origin = Provenance(conversation_id=str(context.session_id or "")[:256].encode()[:256].decode(errors="ignore"))
        memories = self._connection.agent_in_task(self._agent_id).memories
        for text in _said(context):
            await memories.remember(text, user_id=self._user_id, provenance=origin)


def _said(context: Any) -> list[str]:
    return [message.text for message in context.input_messages if message.role == "user" and message.text.strip()]
