"""The events in the daemon's journal, to compare with those that clients received."""

from typing import Any

from tests.integration.wire import Wire

from memoryd.v1 import event_service_pb2 as pb
from memoryd.v1.event_pb2 import EventFilter, EventType


def events(wire: Wire, agent_id: str, key_prefix: str = "") -> list[dict[str, Any]]:
    """Return all events of an agent in the journal, in the form of the programs' command ``watched``."""
    request = pb.ListEventsRequest(filters=[EventFilter(agent_ids=[agent_id], key_prefix=key_prefix)], page_size=1000)
    found: list[dict[str, Any]] = []
    while True:
        page = wire.events.ListEvents(request)
        found += [
            {"revision": each.revision, "index": each.index, "type": EventType.Name(each.type), "key": each.entry.key}
            for each in page.events
        ]
        if not page.next_page_token:
            return found
        request.page_token = page.next_page_token
