"""A connection that several commands use one after another."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import memoryd


class Session:
    """The client of `memoryd shell`, and the agent that its commands are about; empty for none.

    ``options`` are the connection options of the client by name, for a command that opens a connection of its own.
    """

    def __init__(
        self, client: "memoryd.Client", agent_id: str = "", options: "Mapping[str, Any] | None" = None
    ) -> None:
        self.client = client
        self.agent_id = agent_id
        self.options = options or {}
