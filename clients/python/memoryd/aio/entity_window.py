"""The window of entities that a session used last."""

from typing import Any

from memoryd.aio.channel import Channel
from memoryd.model.entity import Entity, EntityWindowInfo, RecentEntities, json_of
from memoryd.protocol import entity as calls
from memoryd.protocol.entity import DEFAULT_LIMIT, ENTITIES_MAX, Session


class EntityWindow:
    """The entities that an agent's tools used last in one session: 10 unless another size is set.

    Every method raises CallFailed when the daemon refuses or cannot be reached.
    """

    def __init__(self, channel: Channel, agent_id: str, session_id: str) -> None:
        self._channel = channel
        self._session = Session(agent_id, session_id)

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self._session.session_id

    async def add(
        self,
        *entities: Entity,
        window_size: int = 0,
        replace: bool = False,
        expected_revision: int | None = None,
    ) -> EntityWindowInfo:
        """Add entities to the front one by one, so that the last is the newest. Returns the window.

        An entity whose id is in the window moves to the front. ``window_size`` sets the size of the window, past which
        the oldest entities are dropped; 0 keeps the current size. ``replace`` empties the window first. Raises
        RevisionMismatch, LimitExceeded.
        """
        return await self._channel.run(
            calls.add_entities(
                self._session,
                entities,
                window_size=window_size,
                replace=replace,
                expected_revision=expected_revision,
            )
        )

    async def extract(
        self, tool_name: str, result: Any, *, tool_prefix: str = "", dry_run: bool = False
    ) -> list[Entity]:
        """Find the entities in a tool's result, add them to the front, and return them.

        ``result`` is a JSON value, or JSON text as ``memoryd.Json``. ``tool_prefix`` is the prefix of tools whose names
        contain an entity type, as ``cms_getPage`` does (default "cms"). ``dry_run`` leaves the window unchanged.
        """
        return await self._channel.run(
            calls.extract_entities(self._session, tool_name, result, tool_prefix=tool_prefix, dry_run=dry_run)
        )

    async def recent(self, limit: int = DEFAULT_LIMIT) -> list[Entity]:
        """Return the newest entities, newest first."""
        window = await self._recent(limit)
        return window.entities

    async def size(self) -> int:
        """Return the number of entities."""
        window = await self._recent(1)
        return window.total_count

    async def prompt_text(self) -> str:
        """Return the window as text for a prompt, grouped by type; empty without entities."""
        window = await self._recent(1)
        return window.prompt_text

    async def clear(self, *, expected_revision: int | None = None) -> int:
        """Remove the window and its size, and return the number of entities it had."""
        return await self._channel.run(calls.clear_entities(self._session, expected_revision))

    async def to_json(self) -> str:
        """Return the window as JSON: ``{"entities": [{"type", "id", "name", "slug", "timestamp"}]}``, newest first."""
        window = await self._recent(ENTITIES_MAX)
        return json_of(window.entities)

    async def load_json(self, text: str, *, expected_revision: int | None = None) -> EntityWindowInfo:
        """Replace the window by the result of ``to_json``, as far as the window's size allows. Returns the window.

        Raises ValueError for any other text.
        """
        return await self._channel.run(calls.load_entities(self._session, text, expected_revision=expected_revision))

    async def _recent(self, limit: int) -> RecentEntities:
        return await self._channel.run(calls.list_recent_entities(self._session, limit))
