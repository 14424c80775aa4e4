"""A session's window of the entities that were touched last."""

from typing import Any

from memoryd.model.entity import Entity, EntityWindowInfo, RecentEntities, json_of
from memoryd.protocol import entity as calls
from memoryd.protocol.entity import DEFAULT_LIMIT, ENTITIES_MAX, Session
from memoryd.sync.channel import Channel


class EntityWindow:
    """The entities that an agent's tools touched last in one session; 10 of them, unless another size is chosen.

    Every method raises CallFailed when the daemon refuses or cannot be reached.
    """

    def __init__(self, channel: Channel, agent_id: str, session_id: str) -> None:
        self._channel = channel
        self._session = Session(agent_id, session_id)

    @property
    def session_id(self) -> str:
        """The session."""
        return self._session.session_id

    def add(
        self,
        *entities: Entity,
        window_size: int = 0,
        replace: bool = False,
        expected_revision: int | None = None,
    ) -> EntityWindowInfo:
        """Put entities at the front, one after the other: the last is the newest. Answers the window.

        One whose id is there moves to the front. Past ``window_size``, which stays as it is when it is left out, the
        oldest fall off. ``replace`` empties the window first. Raises RevisionMismatch, LimitExceeded.
        """
        return self._channel.run(
            calls.add_entities(
                self._session,
                entities,
                window_size=window_size,
                replace=replace,
                expected_revision=expected_revision,
            )
        )

    def extract(self, tool_name: str, result: Any, *, tool_prefix: str = "", dry_run: bool = False) -> list[Entity]:
        """Find the entities in what a tool answered, put them at the front, and answer them.

        ``result`` is what JSON can hold; ``memoryd.Json`` is JSON text. ``tool_prefix`` begins the names of tools that
        say a type, as ``cms_getPage`` does; "cms" when left out. ``dry_run`` leaves the window as it is.
        """
        return self._channel.run(
            calls.extract_entities(self._session, tool_name, result, tool_prefix=tool_prefix, dry_run=dry_run)
        )

    def recent(self, limit: int = DEFAULT_LIMIT) -> list[Entity]:
        """Answer the newest entities, newest first."""
        return self._recent(limit).entities

    def size(self) -> int:
        """Answer how many entities there are."""
        return self._recent(1).total_count

    def prompt_text(self) -> str:
        """Answer the whole window for a prompt, grouped by type; empty when there are no entities."""
        return self._recent(1).prompt_text

    def clear(self, *, expected_revision: int | None = None) -> int:
        """Remove the window with its size, and answer how many entities it had."""
        return self._channel.run(calls.clear_entities(self._session, expected_revision))

    def to_json(self) -> str:
        """Answer the window as JSON: ``{"entities": [{"type", "id", "name", "slug", "timestamp"}]}``, newest first."""
        return json_of(self._recent(ENTITIES_MAX).entities)

    def load_json(self, text: str, *, expected_revision: int | None = None) -> EntityWindowInfo:
        """Replace the window by what ``to_json`` answered, as far as its size allows; answers the window.

        Raises ValueError when the text is something else.
        """
        return self._channel.run(calls.load_entities(self._session, text, expected_revision=expected_revision))

    def _recent(self, limit: int) -> RecentEntities:
        return self._channel.run(calls.list_recent_entities(self._session, limit))
