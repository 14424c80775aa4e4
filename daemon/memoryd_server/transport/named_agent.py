"""The agent that a request names, which the details of an error contain."""

from collections.abc import Callable, Iterable
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from memoryd_server.domain import validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import FILTER_TERMS_MAX, FILTERS_MAX

_AGENT = "agent_id"
_AGENTS = "agent_ids"


def agent_namer(request_type: type[Message]) -> Callable[[Any], str]:
    """Return a function that returns the only agent that a request of this type names; empty if there is none.

    A request names an agent by its field ``agent_id``, by that of its header or of the request in it, or by the
    ``agent_ids`` of its filters. An id that is not valid names nobody: it may be too large for the details of an error.
    """
    found = _namer(request_type.DESCRIPTOR)

    def name(request: Any) -> str:
        named = {agent_id for agent_id in found(request) if agent_id}
        return _valid(named.pop()) if len(named) == 1 else ""

    return name


def agents_namer(request_type: type[Message]) -> Callable[[Any], Iterable[str]]:
    """Return a function that yields all agents that a request of this type names by their ids, as ``agent_namer``."""
    found = _namer(request_type.DESCRIPTOR)
    return lambda request: (agent_id for each in found(request) if each and (agent_id := _valid(each)))


def _namer(descriptor: Any) -> Callable[[Any], Iterable[str]]:
    if _AGENT in descriptor.fields_by_name:
        return lambda message: (message.agent_id,)
    if _AGENTS in descriptor.fields_by_name:
        # No more than a valid request has: one that was refused for its size may name millions.
        return lambda message: message.agent_ids[: FILTER_TERMS_MAX + 1]
    inner = [
        _inner(field, _namer(field.message_type))
        for field in descriptor.fields
        if field.type == FieldDescriptor.TYPE_MESSAGE and {_AGENT, _AGENTS} & set(field.message_type.fields_by_name)
    ]
    return lambda message: (each for namer in inner for each in namer(message))


def _inner(field: Any, namer: Callable[[Any], Iterable[str]]) -> Callable[[Any], Iterable[str]]:
    name = field.name
    if field.is_repeated:
        return lambda message: (each for inner in getattr(message, name)[: FILTERS_MAX + 1] for each in namer(inner))
    return lambda message: namer(getattr(message, name))


def _valid(agent_id: str) -> str:
    try:
        return validation.agent_id(agent_id)
    except InvalidField:
        return ""
