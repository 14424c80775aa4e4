"""A provider of the history of sessions, which are conversations."""

from collections.abc import Sequence
from typing import Any

from agent_framework import HistoryProvider, Message

from memoryd.adapter.connected import Connected
from memoryd.adapter.connection import Connection
from memoryd.adapter.transcript import Item, Transcript
from memoryd.aio.client import Client as AioClient
from memoryd.model.message import MessageRole
from memoryd.sync.client import Client

NAME_BYTES_MAX = 256
_ROLES = {role.value: role for role in MessageRole}


class MemorydHistoryProvider(Connected, HistoryProvider):
    """A provider that loads and stores the messages of sessions.

    ``client`` is a ``memoryd.Client``, a ``memoryd.aio.Client`` of the running event loop, or an address as for
    ``memoryd.connect``. ``agent_id`` is the agent that owns the conversations. Sessions of the same id are apart if
    their ``user_id`` differs. ``limit`` is the maximum number of messages that a run loads, the newest; by default all.
    The other options are those of HistoryProvider.

    The messages of a run are stored as one change. What the framework replays of the history is not stored again. A
    message has at most about 8 MB as JSON, else TooLarge is raised. Every method raises CallFailed when the daemon
    refuses or cannot be reached. Close the provider, or use it as an asynchronous context manager; a given client stays
    open.
    """

    def __init__(
        self,
        client: Client | AioClient | str | None = None,
        *,
        agent_id: str = "agent-framework",
        user_id: str = "",
        limit: int | None = None,
        source_id: str = "memoryd_history",
        **options: Any,
    ) -> None:
        super().__init__(source_id, **options)
        self._connection = Connection(client)
        self._agent_id = agent_id
        self._user_id = user_id
        self._limit = limit

    async def get_messages(
        self, session_id: str | None, *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Message]:
        """Return the messages of a session, the newest up to the limit, in their order."""
        return await self._messages(session_id, self._limit)

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Append messages to a session, without those at their beginning that are the end of its history."""
        if messages:
            existing = await self._messages(session_id, len(messages))
            await self._connection.run_in_task(
                self._transcript(session_id).append(map(_item, _without_replay(existing, messages)))
            )

    async def delete_messages(self, session_id: str) -> None:
        """Delete the history of a session."""
        await self._connection.run_in_task(self._transcript(session_id).clear())

    async def _messages(self, session_id: str | None, limit: int | None) -> list[Message]:
        found = await self._connection.run_in_task(self._transcript(session_id).read(limit))
        return [Message.from_dict(data) for data in found]

    def _transcript(self, session_id: str | None) -> Transcript:
        if session_id is None:
            raise ValueError("the session has no id: create it by agent.create_session()")
        return Transcript(self._agent_id, session_id, self._user_id, "agent_framework")


def _without_replay(existing: Sequence[Message], messages: Sequence[Message]) -> Sequence[Message]:
    """Return the messages without those at their beginning that are the end of what exists.

    One message alone is a replay only if it has an id: a user may say the same again.
    """
    stored, given = [message.to_dict() for message in existing], [message.to_dict() for message in messages]
    for count in range(min(len(stored), len(given)), 0, -1):
        if stored[-count:] == given[:count] and (count > 1 or messages[0].message_id):
            return messages[count:]
    return messages


def _item(message: Message) -> Item:
    name = message.author_name or ""
    role = _ROLES.get(str(message.role), MessageRole.UNSPECIFIED)
    return Item(message.to_dict(), role, message.text, name if len(name.encode()) <= NAME_BYTES_MAX else "")
