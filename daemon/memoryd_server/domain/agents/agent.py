"""Descriptions of agents: the name, labels, metadata and defaults of an agent as a whole, in one of its records."""

from typing import ClassVar

import msgspec

from memoryd_server.domain.agent.collection import Collected, Collection
from memoryd_server.domain.agent.collection_editor import CollectionEditor
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.agent.event import EventFilter
from memoryd_server.domain.agent.part import Counts, PartStatistics, Records
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.validation import size_bytes

_KEY = "agent"


class AgentDefaults(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Values for requests that lack them; fields are stored in this order. Times to live are in nanoseconds."""

    entry_ttl_ns: int | None = None
    fragment_ttl_ns: int | None = None
    context_tokens_max: int | None = None
    model: str = ""


NO_DEFAULTS = AgentDefaults()


class Agent(Collected, frozen=True, array_like=True, gc=False, tag="agent"):
    """The description of an agent. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    ``create_time`` is that of the agent; ``update_time`` and ``revision`` are those of the description's last change.
    ``metadata_json`` is a JSON object, empty for none. ``tier`` is the name of the agent's tier, empty for none.
    """

    kept_when_erased: ClassVar = ()

    display_name: str = ""
    tags: tuple[str, ...] = ()
    metadata_json: str = ""
    defaults: AgentDefaults = NO_DEFAULTS
    create_time: int = 0
    update_time: int = 0
    revision: int = 0
    size_bytes: int = 0
    tier: str = ""

    @property
    def key(self) -> str:
        """The same key in each agent, since an agent has one description."""
        return _KEY

    def sized(self) -> "Agent":
        """Return the description with the bytes that its texts count against the storage limit."""
        texts = (self.display_name, *self.tags, self.metadata_json, self.defaults.model)
        return msgspec.structs.replace(self, size_bytes=sum(map(size_bytes, texts)))

    def is_within(self, chosen: EventFilter) -> bool:
        """Return True if the filter includes the root scope, without a prefix of keys."""
        return "" in chosen.scope_ids and not chosen.key_prefix


class AgentEditor(CollectionEditor[Agent]):
    """An editor of the description of an agent."""

    def clear(self, cause: EventCause) -> Counts:
        """Remove the description, but for the tier: an agent that is cleared to end can be written to until then."""
        transition, before = self._transition, next(iter(self.records), None)
        cleared = super().clear(cause)
        if before is not None and before.tier:
            left = Agent(tier=before.tier, create_time=before.create_time, update_time=transition.now)
            self.put(left.at_revision(transition.revision), cause, emits=False)
        return cleared

    def restore(self, image: Records) -> None:
        """Replace the description by that of a snapshot, which may be of another agent with another creation time.

        The tier stays: a snapshot of another tier would otherwise be a way around it. An agent that did not exist gets
        the tier of the caller, or else that of the snapshot.
        """
        transition, before = self._transition, next(iter(self.records), None)
        create_time, images = transition.state.create_time or transition.now, image[self.part.name]
        tier = "" if before is None else before.tier
        if not transition.state.exists:
            tier = transition.new_tier or next((each.tier for each in images), "")
        if tier and not images:
            images = (Agent(update_time=transition.now),)
        own = [msgspec.structs.replace(each, create_time=create_time, tier=tier) for each in images]
        super().restore({**image, self.part.name: own})


class AgentPart(CollectionPart[Agent]):
    """The part of the description. It counts as no record of the agent, since it is the agent's own."""

    def edit(self, value: Collection[Agent], transition: Transition) -> AgentEditor:
        """Return an editor of the description within a transition."""
        return AgentEditor(self, value, transition)

    def live_counts(self, value: Collection[Agent], now: int) -> Counts:
        """Return no counts."""
        return {}

    def statistics(self, value: Collection[Agent], now: int) -> PartStatistics:
        """Return the size of the description."""
        return PartStatistics(value.size_bytes)


AGENT = AgentPart("agent", Agent, RecordKind.AGENT, EventType.AGENT_UPDATED, EventType.AGENT_UPDATED)


def description_of(state: AgentState) -> Agent | None:
    """Return the description of an agent, None if it has none."""
    return state.part(AGENT).find("", _KEY)


def defaults_of(state: AgentState) -> AgentDefaults:
    """Return the defaults of an agent, which may not exist."""
    # Nearly no agent has a description, and every entry without an expiry asks for it.
    if AGENT.name not in state.parts:
        return NO_DEFAULTS
    found = description_of(state)
    return NO_DEFAULTS if found is None else found.defaults
