"""A description of all data that a daemon returns, as JSON that a person can read; the comparison of two of them."""

import json
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message
from tests.formats.filling import ENDED_AGENT, KINDS_AGENT, PEOPLE_AGENT
from tests.integration.kind_of_record import KINDS, call
from tests.integration.wire import Memory, Wire

from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1.event_pb2 import EventFilter

QUERIES = ("what does Ada drink?", "where does Ada live?", "who repairs bikes?")
_ALL_USERS = {"all_users": True}

Described = dict[str, Any]


def describe(wire: Wire) -> Described:
    """Return all records and retained events, and what recalls and searches return."""
    return {
        "agents": {name: _agent(wire.agent(name)) for name in (KINDS_AGENT, PEOPLE_AGENT)},
        "ended": events_of(wire, ENDED_AGENT),
        "recalled": {query: _recalled(wire.agent(PEOPLE_AGENT), query) for query in QUERIES},
        "found": _found(wire.agent(PEOPLE_AGENT)),
    }


def events_of(wire: Wire, agent_id: str) -> list[Described]:
    """Return all retained events of an agent, oldest first."""
    request = event_pb.ListEventsRequest(page_size=7, filters=[EventFilter(agent_ids=[agent_id])])
    events: list[Described] = []
    while True:
        page = wire.events.ListEvents(request)
        events += map(as_json, page.events)
        if not page.next_page_token:
            return events
        request.page_token = page.next_page_token


def as_json(message: Message, *without: str) -> Described:
    """Return a message as JSON, without some of its fields."""
    chosen: Described = json_format.MessageToDict(message, preserving_proto_field_name=True)
    for name in without:
        chosen.pop(name, None)
    return chosen


def differences(expected: Any, actual: Any, place: str = "") -> list[str]:
    """Return where a value lacks what another one has. Fields of objects that are only in ``actual`` are no difference.

    A later version may add fields to the contract, never take them away.
    """
    if isinstance(expected, dict) and isinstance(actual, dict):
        missing = [f"{place}/{name} is missing" for name in expected if name not in actual]
        shared = (name for name in expected if name in actual)
        return missing + [
            each for name in shared for each in differences(expected[name], actual[name], f"{place}/{name}")
        ]
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        pairs = enumerate(zip(expected, actual, strict=True))
        return [each for n, (one, other) in pairs for each in differences(one, other, f"{place}/{n}")]
    return [] if expected == actual else [f"{place} is {json.dumps(actual)} instead of {json.dumps(expected)}"]


def _agent(agent: Memory) -> Described:
    kinds = {
        kind.field: [as_json(record, *kind.counted) for record in kind.listed(agent)]
        for kind in KINDS
        if kind.field != "agent"
    }
    return {
        "description": as_json(call(agent, "AgentService.GetAgent", {}).agent),
        "records": {field: records for field, records in kinds.items() if records},
        "versions": _versions(agent),
        "events": events_of(agent.wire, agent.id),
    }


def _versions(agent: Memory) -> Described:
    """Return earlier content and confidences of the memories, by id."""
    versions = {}
    for memory in call(agent, "LongTermMemoryService.ListMemories", {"filter": _ALL_USERS}).memories:
        request = {"memory_id": memory.memory_id, "include_history": True}
        found = as_json(call(agent, "LongTermMemoryService.GetMemory", request).memory)
        created = {"memory_id": memory.memory_id, "read_time": memory.create_time.ToJsonString()}
        first = call(agent, "LongTermMemoryService.GetMemory", created).memory
        versions[memory.memory_id] = {"first": first.content, "history": found.get("confidence_history", [])}
    return versions


def _recalled(agent: Memory, query: str) -> list[str]:
    """Return the content of the best memory. Scores, and the order of the others, are no promise of a format."""
    request = {"query": query, "limit": 1, "filter": _ALL_USERS}
    return [each.memory.content for each in call(agent, "LongTermMemoryService.RecallMemories", request).memories]


def _found(agent: Memory) -> list[str]:
    """Return the content of the best chunk of all documents."""
    request = {"query": "close the safe", "limit": 1}
    return [each.chunk.text for each in call(agent, "DocumentService.SearchDocuments", request).chunks]
