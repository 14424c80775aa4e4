"""The calls about agents as a whole, and about the server."""

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from typing import Any, TypedDict

from google.protobuf.field_mask_pb2 import FieldMask

from memoryd.model.agent import (
    AgentDefaults,
    AgentInfo,
    AgentStats,
    Cleared,
    Ended,
    ForgottenUser,
    agent_from,
    cleared_from,
    ended_from,
    forgotten_user_from,
    stats_from,
)
from memoryd.model.entry import write_metadata
from memoryd.model.listing import LIST_ORDER, RECORD_VIEW, ListOrder, RecordView
from memoryd.model.moment import duration_of
from memoryd.model.record import RECORD_KIND, RecordKind
from memoryd.model.server import ServerInfo, server_from
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.consistency import consistency_of
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.erasure import erasing
from memoryd.protocol.option import any_of, precondition_of, strings_of
from memoryd.protocol.record_filter import RecordFilter, filter_of
from memoryd.v1 import agent_pb2
from memoryd.v1 import agent_service_pb2 as pb
from memoryd.v1.server_service_pb2 import GetServerInfoRequest


class AgentChanges(TypedDict, total=False):
    """The fields of an agent to change; the others stay unchanged.

    ``display_name``: its name for people; empty for none.
    ``tags``: labels, at most 64.
    ``metadata``: JSON values of the writer; integers beyond 2**53 lose their last digits.
    ``defaults``: all defaults together; one that is None in them, or all of them if this is None, are removed.
    ``tier``: the name of a tier that the server's policy defines; empty for none. It needs the verb "admin".
    """

    display_name: str
    tags: Collection[str]
    metadata: Mapping[str, Any]
    defaults: AgentDefaults | None
    tier: str


class AgentListOptions(TypedDict, total=False):
    """The options of a list of agents.

    ``filter``: conditions on the agents, which have no users and no conversations. ``all_tags``: those that have all of
    these tags. ``any_tags``: those that have at least one of these tags.
    ``order``: by default that of the ids.
    ``view``: by default the agents are in full.
    ``max_staleness``: as in ReadOptions.
    """

    filter: RecordFilter
    all_tags: Collection[str]
    any_tags: Collection[str]
    order: ListOrder | str
    view: RecordView | str
    max_staleness: timedelta | float | None


def get_agent(agent_id: str) -> Call[AgentInfo]:
    """Read an agent."""
    return call(method.GET_AGENT, pb.GetAgentRequest(agent_id=agent_id), lambda answer: agent_from(answer.agent))


def update_agent(
    agent_id: str, changes: AgentChanges, *, must_exist: bool, expected_revision: int | None
) -> Call[AgentInfo]:
    """Change the description of an agent, which is created by it. Raises ValueError if there are no changes."""
    if not changes:
        raise ValueError("the update has no changes: name at least one field")
    draft = agent_pb2.AgentDraft(
        tags=strings_of("tags", changes.get("tags", ())),
        display_name=changes.get("display_name", ""),
        tier=changes.get("tier", ""),
    )
    write_metadata(draft.metadata, changes.get("metadata", {}))
    if (defaults := changes.get("defaults")) is not None:
        draft.defaults.CopyFrom(_defaults_of(defaults))
    request = pb.UpdateAgentRequest(
        agent_id=agent_id,
        draft=draft,
        update_mask=FieldMask(paths=list(changes)),
        agent_precondition=precondition_of(must_exist=must_exist, expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.UPDATE_AGENT, request, lambda answer: agent_from(answer.agent))


def _defaults_of(defaults: AgentDefaults) -> agent_pb2.AgentDefaults:
    return agent_pb2.AgentDefaults(
        entry_ttl=None if defaults.entry_ttl is None else duration_of(defaults.entry_ttl),
        fragment_ttl=None if defaults.fragment_ttl is None else duration_of(defaults.fragment_ttl),
        context_max_tokens=defaults.context_max_tokens,
        model=defaults.model,
    )


def list_agents(patterns: Iterable[str], options: AgentListOptions) -> Call[Page[AgentInfo]]:
    """List agents, page by page."""
    request = pb.ListAgentsRequest(
        agent_ids=patterns,
        filter=filter_of(options),
        order=LIST_ORDER.number(options.get("order", ListOrder.UNSPECIFIED)),
        view=RECORD_VIEW.number(options.get("view", RecordView.UNSPECIFIED)),
        consistency=consistency_of({"max_staleness": options.get("max_staleness")}),
        page_size=LIST_PAGE_SIZE,
    )
    return page_call(method.LIST_AGENTS, request, lambda answer: [agent_from(agent) for agent in answer.agents])


def get_stats(agent_id: str) -> Call[AgentStats]:
    """Read the numbers and sizes of an agent's records."""
    request = pb.GetAgentStatsRequest(agent_id=agent_id)
    return call(method.GET_AGENT_STATS, request, lambda answer: stats_from(answer.stats))


def clear_agent(
    agent_id: str,
    kinds: Iterable[RecordKind | str] | None,
    *,
    must_exist: bool = False,
    expected_revision: int | None = None,
    erase: bool = False,
) -> Call[Cleared]:
    """Remove an agent's records of these kinds; of the default kinds when none are given."""
    request = pb.ClearAgentRequest(
        agent_id=agent_id,
        kinds=[RECORD_KIND.number(kind) for kind in any_of("kinds", kinds)],
        agent_precondition=precondition_of(must_exist=must_exist, expected_revision=expected_revision),
        request_id=new_request_id(),
        erase=erase,
    )
    return call(method.CLEAR_AGENT, request, cleared_from, patience=erasing(erase=erase))


def end_agent(
    agent_id: str,
    *,
    snapshot: bool,
    patience: float,
    must_exist: bool = False,
    expected_revision: int | None = None,
    erase: bool = False,
) -> Call[Ended]:
    """Remove an agent with all of its records. If ``snapshot`` is true, take a snapshot first."""
    request = pb.EndAgentRequest(
        agent_id=agent_id,
        create_snapshot=snapshot,
        agent_precondition=precondition_of(must_exist=must_exist, expected_revision=expected_revision),
        request_id=new_request_id(),
        erase=erase,
    )
    return call(method.END_AGENT, request, ended_from, patience=patience if snapshot or erase else 0.0)


def forget_user(
    agent_id: str, user_id: str, *, block_reimport: bool, expected_revision: int | None, patience: float
) -> Call[ForgottenUser]:
    """Remove all records of a user, and erase them."""
    request = pb.ForgetUserRequest(
        agent_id=agent_id,
        user_id=user_id,
        block_reimport=block_reimport,
        agent_precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.FORGET_USER, request, forgotten_user_from, patience=patience)


def get_server_info() -> Call[ServerInfo]:
    """Read the description of the server."""
    return call(method.GET_SERVER_INFO, GetServerInfoRequest(), server_from)
