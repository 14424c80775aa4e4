"""The tiers in force: replaced while calls are in progress, when the policy that defines them changes."""

from collections.abc import Iterable

from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agents.tier import NO_FEATURES, Tier, tier_name_of
from memoryd_server.domain.limit import Limits


class Tiers:
    """The tiers that a policy defines, and the limits of agents without one.

    ``is_enforced`` is false without a policy: then the tiers of agents are kept, and refuse nothing. ``defined`` has
    the tiers by name.
    """

    def __init__(self, limits: Limits, defined: Iterable[Tier] | None = None) -> None:
        self.limits = limits
        self.enforce(defined)

    def enforce(self, defined: Iterable[Tier] | None) -> None:
        """Let these tiers take effect; None for no policy."""
        self.is_enforced = defined is not None
        self.defined = {tier.name: tier for tier in defined or ()}

    def of(self, state: AgentState, new_tier: str = "") -> Tier | None:
        """Return the tier of an agent, None for none. One that does not exist would be of ``new_tier``.

        A tier that is not defined has what every tier has, and the limits of agents without a tier: a definition that
        is lost refuses too much, never too little.
        """
        if not self.is_enforced:
            return None
        name = tier_name_of(state) if state.exists else new_tier
        if not name:
            return None
        return self.defined.get(name) or Tier.of(name, NO_FEATURES, {}, self.limits)

    def limits_of(self, state: AgentState) -> Limits:
        """Return the limits of an agent."""
        tier = self.of(state)
        return self.limits if tier is None else tier.limits
