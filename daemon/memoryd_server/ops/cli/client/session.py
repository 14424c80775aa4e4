"""A connection that several commands use one after another."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import memoryd


class Session:
    """The client of `memoryd shell`, and the agent that its commands are about; empty for none."""

    def __init__(self, client: "memoryd.Client", agent_id: str = "") -> None:
        self.client = client
        self.agent_id = agent_id
