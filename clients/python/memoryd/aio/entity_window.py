"""The window of entities that a conversation used last."""

from typing import Any, Literal, Unpack, overload

from memoryd.aio.channel import Channel
from memoryd.model.entity import Entity, EntityWindowInfo, json_of
from memoryd.model.erasure import ErasureReceipt
from memoryd.protocol import entity as calls
from memoryd.protocol.consistency import ReadOptions, reading
from memoryd.protocol.entity import WindowName, WindowOptions
from memoryd.protocol.keyword import checks_keywords


@checks_keywords
class EntityWindow:
    """The entities that an agent's tools used last in one conversation: 10 unless another size is set.

    A conversation has an empty window until something is added. Every method raises CallFailed when the daemon refuses
    or cannot be reached.
    """

    def __init__(self, channel: Channel, agent_id: str, conversation_id: str) -> None:
        self._channel = channel
        self._name = WindowName(agent_id, conversation_id)

    @property
    def conversation_id(self) -> str:
        """The conversation's id."""
        return self._name.conversation_id

    async def get(self, **options: Unpack[ReadOptions]) -> EntityWindowInfo:
        """Return the window with its entities, newest first; an empty one at revision 0 if there is none."""
        return await self._channel.run(reading(calls.get_entity_window(self._name), options))

    async def add(self, *entities: Entity, **options: Unpack[WindowOptions]) -> EntityWindowInfo:
        """Add entities to the front one by one, so that the last is the newest. Returns the window.

        An entity whose id is in the window moves to the front; past the window's size, the oldest entities are dropped.
        Raises RevisionMismatch, QuotaExceeded.
        """
        return await self._channel.run(calls.add_entities(self._name, entities, options))

    async def set(self, *entities: Entity, **options: Unpack[WindowOptions]) -> EntityWindowInfo:
        """Replace the entities by these, newest first, as far as the window's size allows. Returns the window.

        Raises RevisionMismatch, QuotaExceeded.
        """
        return await self._channel.run(calls.set_entities(self._name, entities, options))

    async def extract(
        self,
        tool_name: str,
        result: Any,
        *,
        tool_prefix: str = "",
        dry_run: bool = False,
        expected_revision: int | None = None,
    ) -> list[Entity]:
        """Find the entities in a tool's result, add them to the front, and return them.

        ``result`` is a JSON value, or JSON text as ``memoryd.Json``. ``tool_prefix`` is the prefix of tools whose names
        contain an entity type, as ``cms_getPage`` does (default "cms"). ``dry_run`` leaves the window unchanged. Raises
        RevisionMismatch, QuotaExceeded.
        """
        return await self._channel.run(
            calls.extract_entities(
                self._name,
                tool_name,
                result,
                tool_prefix=tool_prefix,
                dry_run=dry_run,
                expected_revision=expected_revision,
            )
        )

    async def prompt_text(self, **options: Unpack[ReadOptions]) -> str:
        """Return the window as text for a prompt, grouped by type; empty without entities."""
        return await self._channel.run(reading(calls.get_prompt_text(self._name), options))

    @overload
    async def clear(self, *, expected_revision: int | None = None, erase: Literal[True]) -> ErasureReceipt: ...

    @overload
    async def clear(self, *, expected_revision: int | None = None, erase: Literal[False] = False) -> int: ...

    async def clear(self, *, expected_revision: int | None = None, erase: bool = False) -> int | ErasureReceipt:
        """Remove the window, its size and its user, and return the number of entities it had.

        ``erase`` erases what is removed, also from past events, and returns the receipt.
        """
        return await self._channel.run(calls.clear_entities(self._name, expected_revision, erase=erase))

    async def to_json(self, **options: Unpack[ReadOptions]) -> str:
        """Return the window as JSON: ``{"entities": [{"type", "id", "name", "slug", "timestamp"}]}``, newest first."""
        window = await self.get(**options)
        return json_of(window.entities)

    async def load_json(self, text: str, *, expected_revision: int | None = None) -> EntityWindowInfo:
        """Replace the window by the result of ``to_json``, as far as the window's size allows. Returns the window.

        Raises ValueError for any other text.
        """
        return await self._channel.run(calls.load_entities(self._name, text, expected_revision=expected_revision))
