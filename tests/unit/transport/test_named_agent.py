"""The agent that a request names, for the details of errors."""

from typing import Any

import pytest
from tests.integration.contract import METHODS, Method

from memoryd.v1.agent_service_pb2 import GetAgentRequest
from memoryd.v1.event_pb2 import EventFilter
from memoryd.v1.event_service_pb2 import WatchEventsRequest
from memoryd.v1.server_service_pb2 import GetServerInfoRequest
from memoryd_server.domain.limit import AGENT_ID_BYTES_MAX, FILTER_TERMS_MAX, FILTERS_MAX
from memoryd_server.transport.named_agent import agent_namer


def about(request_type: Any, agent_id: str) -> Any | None:
    """Return a request that names an agent wherever its type has room for one; None if there is none."""
    request, has_room = request_type(), False
    for field in request_type.DESCRIPTOR.fields:
        inner = field.message_type.fields_by_name if field.message_type else {}
        if field.name == "agent_id":
            request.agent_id, has_room = agent_id, True
        elif field.name == "agent_ids":
            request.agent_ids.append(agent_id)
            has_room = True
        elif "agent_id" in inner and not field.is_repeated:
            getattr(request, field.name).agent_id, has_room = agent_id, True
        elif "agent_ids" in inner:
            getattr(request, field.name).add(agent_ids=[agent_id])
            has_room = True
    return request if has_room else None


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_the_agent_of_every_request_that_has_one_is_found(method: Method) -> None:
    name, request = agent_namer(method.request_type), about(method.request_type, "a")
    assert name(method.request_type()) == ""
    if request is None:
        assert not any(field.name in ("agent_id", "agent_ids") for field in method.request_type.DESCRIPTOR.fields)
    else:
        assert name(request) == "a"


def test_filters_name_an_agent_if_they_agree() -> None:
    name = agent_namer(WatchEventsRequest)
    assert name(WatchEventsRequest(filters=[EventFilter(agent_ids=["a"]), EventFilter(agent_ids=["a"])])) == "a"
    assert name(WatchEventsRequest(filters=[EventFilter(agent_ids=["a", "b"])])) == ""
    assert name(WatchEventsRequest(filters=[EventFilter(agent_ids=["a"]), EventFilter(agent_ids=["b"])])) == ""


def test_filters_beyond_what_a_request_may_have_are_not_searched() -> None:
    name = agent_namer(WatchEventsRequest)
    many = [EventFilter() for _ in range(FILTERS_MAX + 1)]
    assert name(WatchEventsRequest(filters=[*many, EventFilter(agent_ids=["a"])])) == ""
    ids = ["a"] * (FILTER_TERMS_MAX + 1)
    assert name(WatchEventsRequest(filters=[EventFilter(agent_ids=[*ids, "b"])])) == "a"


def test_a_pattern_names_nobody() -> None:
    assert agent_namer(WatchEventsRequest)(WatchEventsRequest(filters=[EventFilter(agent_ids=["a*"])])) == ""


@pytest.mark.parametrize("agent_id", ["", " ", "a\nb", "x" * (AGENT_ID_BYTES_MAX + 1)])
def test_an_id_that_is_not_valid_names_nobody(agent_id: str) -> None:
    assert agent_namer(GetAgentRequest)(GetAgentRequest(agent_id=agent_id)) == ""


def test_a_request_without_an_agent_names_nobody() -> None:
    assert agent_namer(GetServerInfoRequest)(GetServerInfoRequest()) == ""
