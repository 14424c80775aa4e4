"""A connection that several commands use one after another."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import memoryd


@dataclass
class Session:
    """The client of `memoryd shell`, and the agent that its commands are about; empty for none."""

    client: "memoryd.Client"
    agent_id: str = ""
