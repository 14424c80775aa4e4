"""The author, request id and precondition that a command is submitted with."""

import msgspec

from memoryd_server.domain.agent.author import NOBODY, Author
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agents.tier import NO_FEATURES, Features
from memoryd_server.engine.agents.request_window import RequestKey


class Write(msgspec.Struct, frozen=True):
    """The circumstances of a command: its author, its request id, a condition, and what tiers are asked about.

    With ``request``, repeating the command returns its first result. ``precondition`` must hold for the agent.
    ``new_tier`` is the tier of an agent that the command creates, empty for none. The tier of the agent must have
    ``features``.
    """

    author: Author = NOBODY
    request: RequestKey | None = None
    precondition: Precondition | None = None
    new_tier: str = ""
    features: Features = NO_FEATURES


UNCONDITIONAL = Write()
"""A change of the daemon itself."""
