"""A chat store of LlamaIndex, whose keys are conversations."""

from typing import Any

from llama_index.core.llms import ChatMessage
from llama_index.core.storage.chat_store.base import BaseChatStore
from pydantic import PrivateAttr

from memoryd.adapter.connection import Connection
from memoryd.adapter.listing import Flow, collected
from memoryd.adapter.transcript import Item, Transcript
from memoryd.aio.client import Client as AioClient
from memoryd.model.message import MessageRole
from memoryd.protocol.conversation import list_conversations
from memoryd.sync.client import Client

FORMAT = "llama_index"
_ROLES = {role.value: role for role in MessageRole} | {
    "chatbot": MessageRole.ASSISTANT,
    "model": MessageRole.ASSISTANT,
    "developer": MessageRole.SYSTEM,
    "function": MessageRole.TOOL,
}


class MemorydChatStore(BaseChatStore):
    """A chat store whose keys are conversations of an agent.

    ``client`` is a ``memoryd.Client``, a ``memoryd.aio.Client`` of the running event loop, or an address as for
    ``memoryd.connect``. ``agent_id`` is the agent that owns the conversations. Equal keys are apart if their
    ``user_id`` differs.

    A message has at most about 8 MB as JSON, else TooLarge is raised. A change of up to 400 messages is one change.
    Every method raises CallFailed when the daemon refuses or cannot be reached. Close the store with ``close`` or
    ``aclose``; a given client stays open.
    """

    agent_id: str = "llama-index"
    user_id: str = ""
    _connection: Connection = PrivateAttr()

    def __init__(self, client: Client | AioClient | str | None = None, **fields: Any) -> None:
        super().__init__(**fields)
        self._connection = Connection(client)

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class, by which LlamaIndex serializes it."""
        return "MemorydChatStore"

    def set_messages(self, key: str, messages: list[ChatMessage]) -> None:
        """Replace the messages of a key."""
        self._connection.run(self._transcript(key).replace([_item(key, each) for each in messages]))

    def get_messages(self, key: str) -> list[ChatMessage]:
        """Return the messages of a key, in their order; none for a key that is not there."""
        return list(map(_message, self._connection.run(self._transcript(key).read())))

    def add_message(self, key: str, message: ChatMessage) -> None:
        """Append a message to those of a key."""
        self._connection.run(self._transcript(key).append([_item(key, message)]))

    def delete_messages(self, key: str) -> list[ChatMessage] | None:
        """Delete the messages of a key, and return them; None if there are none."""
        return self._connection.run(self._delete(key))

    def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Delete a message by its position, and return it; None if there is none."""
        return _optional(self._connection.run(self._transcript(key).remove_at(idx)))

    def delete_last_message(self, key: str) -> ChatMessage | None:
        """Delete the newest message, and return it; None if there is none."""
        return _optional(self._connection.run(self._transcript(key).pop()))

    def get_keys(self) -> list[str]:
        """Return the keys that have messages, the oldest first."""
        return self._connection.run(self._keys())

    async def aset_messages(self, key: str, messages: list[ChatMessage]) -> None:
        """Replace the messages of a key."""
        await self._connection.run_in_task(self._transcript(key).replace([_item(key, each) for each in messages]))

    async def aget_messages(self, key: str) -> list[ChatMessage]:
        """Return the messages of a key, in their order; none for a key that is not there."""
        return list(map(_message, await self._connection.run_in_task(self._transcript(key).read())))

    async def async_add_message(self, key: str, message: ChatMessage) -> None:
        """Append a message to those of a key."""
        await self._connection.run_in_task(self._transcript(key).append([_item(key, message)]))

    async def adelete_messages(self, key: str) -> list[ChatMessage] | None:
        """Delete the messages of a key, and return them; None if there are none."""
        return await self._connection.run_in_task(self._delete(key))

    async def adelete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Delete a message by its position, and return it; None if there is none."""
        return _optional(await self._connection.run_in_task(self._transcript(key).remove_at(idx)))

    async def adelete_last_message(self, key: str) -> ChatMessage | None:
        """Delete the newest message, and return it; None if there is none."""
        return _optional(await self._connection.run_in_task(self._transcript(key).pop()))

    async def aget_keys(self) -> list[str]:
        """Return the keys that have messages, the oldest first."""
        return await self._connection.run_in_task(self._keys())

    def close(self) -> None:
        """Close the connection of the sync methods."""
        self._connection.close()

    async def aclose(self) -> None:
        """Close the connections of this event loop and of the sync methods."""
        await self._connection.aclose()

    def _transcript(self, key: str) -> Transcript:
        return Transcript(self.agent_id, key, self.user_id, FORMAT)

    def _delete(self, key: str) -> Flow[list[ChatMessage] | None]:
        transcript = self._transcript(key)
        found = yield from transcript.read()
        yield from transcript.clear()
        return list(map(_message, found)) or None

    def _keys(self) -> Flow[list[str]]:
        conversations = yield from collected(lambda: list_conversations(self.agent_id, {"user_id": self.user_id}))
        keys: list[str] = []
        for info in conversations:
            transcript = self._transcript("")
            transcript.conversation_id = info.conversation_id
            newest = yield from transcript.read(1)
            keys += [data["key"] for data in newest]
        return keys


def _item(key: str, message: ChatMessage) -> Item:
    data = {"key": key, "message": message.model_dump(mode="json")}
    return Item(data, _ROLES.get(message.role.value, MessageRole.UNSPECIFIED), message.content or "")


def _message(data: dict[str, Any]) -> ChatMessage:
    return ChatMessage.model_validate(data["message"])


def _optional(data: dict[str, Any] | None) -> ChatMessage | None:
    return None if data is None else _message(data)
