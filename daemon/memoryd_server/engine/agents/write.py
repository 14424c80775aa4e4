"""The author, request id and precondition that a command is submitted with."""

import msgspec

from memoryd_server.domain.agent.author import NOBODY, Author
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.engine.agents.request_window import RequestKey


class Write(msgspec.Struct, frozen=True):
    """The circumstances of a command: its author, its request id and a condition.

    With ``request``, repeating the command returns its first result. ``precondition`` must hold for the agent.
    """

    author: Author = NOBODY
    request: RequestKey | None = None
    precondition: Precondition | None = None


UNCONDITIONAL = Write()
"""A change of the daemon itself."""
