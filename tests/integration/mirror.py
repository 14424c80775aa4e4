"""An agent's state built from its events alone, with checks that no event is missing, repeated or out of order."""

from collections.abc import Iterable

from tests.integration.wire import Memory

from memoryd.v1 import event_pb2
from memoryd.v1.event_pb2 import Event


class Mirror:
    """An agent's values by scope and key, as its events have set them."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str], str] = {}
        self.scopes: set[str] = set()
        self.revision = 0
        self._index = -1

    def apply(self, events: Iterable[Event]) -> "Mirror":
        """Apply events in order, those of the initial state first, and return self."""
        for event in events:
            if event.cause == event_pb2.EVENT_CAUSE_INITIAL_STATE:
                self.revision = max(self.revision, event.revision)
            else:
                self._check_order(event)
            self._change(event)
        return self

    def expect(self, agent: Memory) -> None:
        """Assert that the agent holds exactly these scopes and values."""
        scope_ids = {scope.scope_id for scope in agent.scopes(page_size=1000).scopes}
        assert scope_ids == self.scopes
        held = {}
        for scope_id in ("", *scope_ids):
            token = ""
            while True:
                page = agent.list(scope_id, page_size=1000, page_token=token)
                held.update({(scope_id, entry.key): entry.value_json for entry in page.entries})
                token = page.next_page_token
                if not token:
                    break
        assert held == self.values

    def _check_order(self, event: Event) -> None:
        if event.revision == self.revision and self._index >= 0:
            assert event.index == self._index + 1, f"event {event.index} of {event.revision} after {self._index}"
        else:
            assert event.revision > self.revision, f"revision {event.revision} after {self.revision}"
            assert event.index == 0, f"revision {event.revision} begins with event {event.index}"
        self.revision, self._index = event.revision, event.index

    def _change(self, event: Event) -> None:
        if event.type == event_pb2.EVENT_TYPE_ENTRY_SET:
            place = (event.entry.scope_id, event.entry.key)
            is_initial = event.cause == event_pb2.EVENT_CAUSE_INITIAL_STATE
            assert bool(event.previous_revision) == (place in self.values) or is_initial
            self.values[place] = event.entry.entry.value_json
        elif event.type == event_pb2.EVENT_TYPE_ENTRY_REMOVED:
            del self.values[event.entry.scope_id, event.entry.key]
        elif event.type == event_pb2.EVENT_TYPE_SCOPE_CREATED:
            assert event.scope.scope_id not in self.scopes
            self.scopes.add(event.scope.scope_id)
        elif event.type == event_pb2.EVENT_TYPE_AGENT_ENDED:
            self.values.clear()
            self.scopes.clear()
        elif event.type == event_pb2.EVENT_TYPE_SCOPE_DISPOSED:
            self.scopes.remove(event.scope.scope_id)
            assert self._drop_values(event.scope.scope_id) == event.scope.cleared_entry_count
        elif event.type == event_pb2.EVENT_TYPE_ENTRIES_CLEARED:
            assert self._drop_values(event.cleared.scope_id) == sum(each.count for each in event.cleared.cleared)

    def _drop_values(self, scope_id: str) -> int:
        dropped = [each for each in self.values if each[0] == scope_id]
        for each in dropped:
            del self.values[each]
        return len(dropped)
