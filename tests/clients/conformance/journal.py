"""What the daemon itself tells of the past, to hold against what clients saw."""

from typing import Any

from tests.integration.wire import Wire

from memoryd.v1 import event_service_pb2 as pb
from memoryd.v1.event_pb2 import EventFilter, EventType


def events(wire: Wire, agent_id: str, key_prefix: str = "") -> list[dict[str, Any]]:
    """All events of an agent that the journal has, in the form in which programs tell them."""
    request = pb.ListEventsRequest(filters=[EventFilter(agent_ids=[agent_id], key_prefix=key_prefix)], page_size=1000)
    told: list[dict[str, Any]] = []
    while True:
        page = wire.events.ListEvents(request)
        told += [
            {"revision": each.revision, "index": each.index, "type": EventType.Name(each.type), "key": each.key}
            for each in page.events
        ]
        if not page.next_page_token:
            return told
        request.page_token = page.next_page_token
