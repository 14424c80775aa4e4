"""Tiers: what the agents of one tier may use, and how much they may store."""

import enum
from collections.abc import Iterable, Mapping

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.agents.agent import AGENT, Agent, description_of
from memoryd_server.domain.error import FeatureNotInTier
from memoryd_server.domain.limit import Limits


class Feature(enum.Enum):
    """The features that a tier has or lacks, by the keys that protos, policies and errors name them by."""

    WORKING = "working"
    FRAGMENTS = "fragments"
    LONG_TERM = "long_term"
    NOTES = "notes"
    PLANS = "plans"
    DOCUMENTS = "documents"
    CONVERSATIONS = "conversations"
    ENTITIES = "entities"
    CONTEXT = "context"
    CONTEXT_COMPACTION = "context.compaction"


Features = frozenset[Feature]

NO_FEATURES: Features = frozenset()
ALL_FEATURES: Features = frozenset(Feature)
FEATURES_OF_EVERY_TIER: Features = frozenset({Feature.WORKING})

TIER_LIMITS = frozenset(
    name for name in Limits.__struct_fields__ if name.endswith("_per_agent") and not name.startswith("queued_")
)
"""The limits that a tier may lower: of what an agent stores."""


class Tier(msgspec.Struct, frozen=True):
    """The features of a tier, those of every tier included, and all limits for its agents."""

    name: str
    features: Features
    limits: Limits

    @classmethod
    def of(cls, name: str, features: Iterable[Feature], lowered: Mapping[str, int], limits: Limits) -> "Tier":
        """Return a tier. A limit in ``lowered`` that is higher than the daemon's own in ``limits`` has no effect."""
        lower = {limit: min(value, getattr(limits, limit)) for limit, value in lowered.items()}
        return cls(name, FEATURES_OF_EVERY_TIER.union(features), msgspec.structs.replace(limits, **lower))

    def require(self, features: Features) -> None:
        """Raise FeatureNotInTier, with the first by its key, unless the tier has these features."""
        if not features <= self.features:
            raise FeatureNotInTier(min(each.value for each in features - self.features), self.name)


def tier_name_of(state: AgentState) -> str:
    """Return the name of the tier of an agent, which may not exist; empty for none."""
    # Nearly no agent has a description.
    if AGENT.name not in state.parts:
        return ""
    found = description_of(state)
    return "" if found is None else found.tier


class CreateInTier(Command[Result], frozen=True):
    """Execute a command on an agent that does not exist. If the command creates it, the agent is of the tier."""

    command: Command
    tier: str

    def decide(self, transition: Transition) -> Result:
        """Decide the command, and put a description with the tier unless the command puts one."""
        transition.new_tier = self.tier
        result: Result = self.command.decide(transition)
        if transition.changed and not transition.ends:
            descriptions = transition.open(AGENT)
            if not len(descriptions.records):
                now = transition.now
                created = Agent(tier=self.tier, create_time=now, update_time=now, revision=transition.revision)
                # What created the agent has events, or changed too little for one.
                descriptions.put(created.sized(), emits=bool(transition.events))
        return result
