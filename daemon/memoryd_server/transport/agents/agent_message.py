"""Agents, between the domain and the contract."""

from collections.abc import Callable

from google.protobuf import field_mask_pb2

from memoryd.v1 import agent_pb2
from memoryd_server.domain import limit, validation
from memoryd_server.domain.agents.agent import NO_DEFAULTS, AgentDefaults
from memoryd_server.domain.agents.agent_change import AgentPatch
from memoryd_server.engine.upkeep.agents import DescribedAgent
from memoryd_server.transport.fields.json_value import metadata_json_of, write_json
from memoryd_server.transport.fields.timestamp import duration, duration_within, timestamp
from memoryd_server.transport.fields.update_mask import paths_of


def agent_message(agent: DescribedAgent) -> agent_pb2.Agent:
    """Encode an agent, for responses and events."""
    message = agent_pb2.Agent(
        agent_id=agent.agent_id,
        revision=agent.revision,
        create_time=timestamp(agent.create_time),
        update_time=timestamp(agent.update_time),
    )
    description = agent.description
    if description is None:
        return message
    message.display_name = description.display_name
    message.tags.extend(description.tags)
    if description.metadata_json:
        write_json(description.metadata_json, message.metadata)
    if description.defaults != NO_DEFAULTS:
        message.defaults.CopyFrom(_defaults_message(description.defaults))
    message.tier = description.tier
    return message


def patch_of(draft: agent_pb2.AgentDraft, mask: field_mask_pb2.FieldMask) -> AgentPatch:
    """Decode the changes of an agent. Raises InvalidField."""
    fields: dict[str, object] = {}
    for path in paths_of(mask, _FIELDS):
        name, read = _FIELDS[path]
        fields[name] = read(draft)
    return AgentPatch(**fields)  # type: ignore[arg-type]


def _defaults_message(defaults: AgentDefaults) -> agent_pb2.AgentDefaults:
    return agent_pb2.AgentDefaults(
        entry_ttl=None if defaults.entry_ttl_ns is None else duration(defaults.entry_ttl_ns),
        fragment_ttl=None if defaults.fragment_ttl_ns is None else duration(defaults.fragment_ttl_ns),
        context_max_tokens=defaults.context_tokens_max,
        model=defaults.model,
    )


def _defaults_of(draft: agent_pb2.AgentDraft) -> AgentDefaults:
    message, field = draft.defaults, "draft.defaults"
    tokens_max = None
    if message.HasField("context_max_tokens"):
        name = f"{field}.context_max_tokens"
        tokens_max = validation.within(name, message.context_max_tokens, 0, limit.CONTEXT_TOKENS_MAX)
    return AgentDefaults(
        _ttl_of(message, "entry_ttl"),
        _ttl_of(message, "fragment_ttl"),
        tokens_max,
        validation.optional_text(f"{field}.model", message.model, limit.MODEL_BYTES_MAX),
    )


def _ttl_of(message: agent_pb2.AgentDefaults, name: str) -> int | None:
    if not message.HasField(name):
        return None
    return duration_within(f"draft.defaults.{name}", getattr(message, name), 1, limit.EXPIRY_NS_MAX)


_FIELDS: dict[str, tuple[str, Callable[[agent_pb2.AgentDraft], object]]] = {
    "tags": ("tags", lambda draft: validation.tags("draft.tags", draft.tags)),
    "metadata": ("metadata_json", lambda draft: metadata_json_of(draft.metadata, "draft.metadata")),
    "display_name": (
        "display_name",
        lambda draft: validation.optional_text("draft.display_name", draft.display_name, limit.DISPLAY_NAME_BYTES_MAX),
    ),
    "defaults": ("defaults", _defaults_of),
    "tier": ("tier", lambda draft: validation.optional_text("draft.tier", draft.tier, limit.TIER_BYTES_MAX)),
}
"""The fields of a draft that an update mask may name, each with its name in the domain and what decodes it."""
