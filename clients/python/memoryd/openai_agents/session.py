"""A session of the OpenAI Agents SDK as a conversation."""

from collections.abc import Mapping, Sequence
from typing import Any

from agents.items import TResponseInputItem
from agents.memory import SessionABC

from memoryd.adapter.connected import Connected
from memoryd.adapter.connection import Connection
from memoryd.adapter.transcript import Item, Transcript
from memoryd.aio.client import Client as AioClient
from memoryd.model.message import MessageRole
from memoryd.sync.client import Client

_ROLES = {
    "user": MessageRole.USER,
    "assistant": MessageRole.ASSISTANT,
    "system": MessageRole.SYSTEM,
    "developer": MessageRole.SYSTEM,
}


class MemorydSession(Connected, SessionABC):
    """A session whose items are messages of a conversation.

    ``client`` is a ``memoryd.Client``, a ``memoryd.aio.Client`` of the running event loop, or an address as for
    ``memoryd.connect``. ``agent_id`` is the agent that owns the conversation. Sessions of the same id are apart if
    their ``user_id`` differs. ``session_settings`` are the SDK's SessionSettings, or None: its ``limit`` is the default
    of ``get_items``.

    An item has at most about 8 MB as JSON, else TooLarge is raised. Several sessions, processes and event loops may use
    one conversation at once. Every method raises CallFailed when the daemon refuses or cannot be reached. Close the
    session, or use it as an asynchronous context manager; a given client stays open.
    """

    def __init__(
        self,
        session_id: str,
        client: Client | AioClient | str | None = None,
        *,
        agent_id: str = "openai-agents",
        user_id: str = "",
        session_settings: Any = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._connection = Connection(client)
        self._transcript = Transcript(agent_id, session_id, user_id, "openai_agents")

    @property
    def conversation_id(self) -> str:
        """The id of the conversation, by which other clients read it."""
        return self._transcript.conversation_id

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the newest items, at most ``limit``, in the order in which they were added; by default all."""
        wanted = getattr(self.session_settings, "limit", None) if limit is None else limit
        found: list[Any] = await self._connection.run_in_task(self._transcript.read(wanted))
        return found

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items at the end, as one change."""
        if items:
            await self._connection.run_in_task(self._transcript.append(map(_item, items)))

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the newest item, and return it; None without any. Of concurrent callers, each gets another item."""
        popped: Any = await self._connection.run_in_task(self._transcript.pop())
        item: TResponseInputItem | None = popped
        return item

    async def clear_session(self) -> None:
        """Remove all items, with the conversation."""
        await self._connection.run_in_task(self._transcript.clear())


def _item(item: Any) -> Item:
    data: Mapping[str, Any] = item
    kind = data.get("type", "message")
    if kind == "message":
        return Item(data, _ROLES.get(str(data.get("role")), MessageRole.UNSPECIFIED), _text(data.get("content")))
    if kind.endswith("_output"):
        return Item(data, MessageRole.TOOL, _text(data.get("output")))
    # Calls of tools and reasoning have words for the model, and none for people.
    return Item(data, MessageRole.ASSISTANT)


def _text(content: object) -> str:
    """Return the words of a content: a text, or a list of parts of which some have a text."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, Mapping) and "text" in part)
