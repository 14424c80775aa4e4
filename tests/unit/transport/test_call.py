from functools import partial

import pytest
from tests.unit.transport.gated import METHOD

from memoryd_server.domain.error import AgentForbidden, InvalidField
from memoryd_server.domain.limit import ORIGIN_BYTES_MAX
from memoryd_server.domain.values.agent_pattern import ALL_AGENTS, NO_AGENTS, AgentPatterns
from memoryd_server.ops.auth.grant import Account, Grant, GrantRow
from memoryd_server.transport.call import Call
from memoryd_server.transport.exchange import Metadata, text_of


def call(*patterns: str, metadata: Metadata = ()) -> Call:
    grant = Grant(Account("someone"), [GrantRow(patterns or ("a", "team-*"))])
    return Call(METHOD, grant, partial(text_of, metadata))


def test_an_agent_of_the_caller_is_allowed() -> None:
    call().require_agent("a")
    call().require_agents(AgentPatterns.of(["a", "team-red", "team-*", "team-blue*"]))


@pytest.mark.parametrize("agent_id", ["b", "A", "team"])
def test_any_other_agent_is_forbidden(agent_id: str) -> None:
    with pytest.raises(AgentForbidden, match=agent_id):
        call().require_agent(agent_id)
    with pytest.raises(AgentForbidden, match=agent_id):
        call().require_agents(AgentPatterns.of(["a", agent_id]))


def test_access_to_all_agents_requires_the_right_to_all_agents() -> None:
    with pytest.raises(AgentForbidden):
        call().require_agent("")
    with pytest.raises(AgentForbidden):
        call("team-*").require_agents(ALL_AGENTS)
    call("*").require_agent("")
    call("*").require_agents(ALL_AGENTS)
    call("*").require_agent("whatever")


@pytest.mark.parametrize("pattern", ["a*", "team*", "t*", "x-*"])
def test_a_pattern_requires_the_right_to_all_of_its_agents(pattern: str) -> None:
    with pytest.raises(AgentForbidden, match=f"{pattern[:-1]}.*name agents that it may use in a filter"):
        call().require_agents(AgentPatterns.of(["a", pattern]))


def test_access_to_no_agent_requires_no_right() -> None:
    call().require_agents(NO_AGENTS)


def test_an_origin_is_read_from_the_metadata() -> None:
    assert call(metadata=(("other", "x"), ("memoryd-origin", "planner"))).origin == "planner"


@pytest.mark.parametrize("metadata", [(), (("other", "x"),), (("memoryd-origin", b"planner"),)])
def test_the_origin_is_empty_without_a_text_in_the_metadata(metadata: Metadata) -> None:
    assert call(metadata=metadata).origin == ""


@pytest.mark.parametrize("origin", ["a\nb", "x" * (ORIGIN_BYTES_MAX + 1)])
def test_an_origin_that_is_too_long_or_not_one_line_is_refused(origin: str) -> None:
    with pytest.raises(InvalidField, match="memoryd-origin"):
        _ = call(metadata=(("memoryd-origin", origin),)).origin
