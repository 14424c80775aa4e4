"""A ledger outside of the daemon: the changes that were sent and acknowledged, compared with what the daemon has."""

import json
import random
from dataclasses import dataclass, field

import grpc
from tests.integration.mirror import Mirror
from tests.integration.wire import Memory, Wire, code_of

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.event_pb2 import Event, EventFilter
from memoryd.v1.event_service_pb2 import WatchEventsRequest

BATCH_KEYS = ("batch-0", "batch-1", "batch-2", "batch-3")
KEYS = 5


@dataclass
class Attempt:
    """A change that was sent: the new values by key, None for a removed one. ``revision`` is 0 until acknowledged."""

    values: dict[str, int | None]
    revision: int = 0


@dataclass
class Ledger:
    """All changes of one writer, which alone changes its agent, in the order of sending.

    A writer sends one change at a time, so that only the last one may be in doubt: sent, but not acknowledged.
    """

    agent_id: str
    attempts: list[Attempt] = field(default_factory=list)
    token: str = ""
    events: list[Event] = field(default_factory=list)

    @property
    def acknowledged(self) -> int:
        """The number of acknowledged changes."""
        return sum(1 for attempt in self.attempts if attempt.revision)

    def write(self, wire: Wire, chance: random.Random) -> None:
        """Make one change after the other until the daemon is gone."""
        while True:
            try:
                self.change(wire, chance)
            except grpc.RpcError as error:
                code = code_of(error)
                assert code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED), self.attempts[-1]
                return

    def change(self, wire: Wire, chance: random.Random) -> None:
        """Make a random change. If the call fails, the change is in doubt until the next ``check``."""
        attempt = self._attempt(chance)
        self.attempts.append(attempt)
        attempt.revision = self._send(wire, attempt)

    def check(self, wire: Wire) -> None:
        """Assert that the daemon has all acknowledged changes, that batches are whole, and that revisions only grew.

        Settles the change in doubt by what the daemon has.
        """
        revisions = [attempt.revision for attempt in self.attempts if attempt.revision]
        assert revisions == sorted(set(revisions)), "an acknowledged revision came twice"
        agent = wire.agent(self.agent_id)
        held = agent.values()
        assert len({held.get(key) for key in BATCH_KEYS}) == 1, f"half a batch: {held}"
        possible = self._possible()
        assert held in possible, f"held {held}, acknowledged {possible[0]}"
        assert agent.revision >= max(revisions, default=0)
        # From now on the change in doubt has either happened or not: later checks must find the same.
        self._settle(held, agent.revision)

    def follow(self, wire: Wire) -> None:
        """Resume the watch at its last token, read up to the current revision, and assert that no event is missing."""
        agent = wire.agent(self.agent_id)
        revision = agent.revision
        if not revision:
            return
        filters = [EventFilter(agent_ids=[self.agent_id])]
        request = WatchEventsRequest(filters=filters, after_revision=0)
        if self.token:
            request = WatchEventsRequest(filters=filters, resume_token=self.token)
        watch = wire.events.WatchEvents(request)
        last = self.events[-1].revision if self.events else 0
        while last < revision:
            message = next(watch)
            self.events += message.events
            self.token = message.resume_token
            last = self.events[-1].revision if self.events else 0
        watch.cancel()
        assert sorted({event.revision for event in self.events}) == list(range(1, revision + 1)), "a gap"
        Mirror().apply(self.events).expect(agent)

    def _attempt(self, chance: random.Random) -> Attempt:
        number = len(self.attempts) + 1
        kind = chance.randrange(4)
        if kind == 0:
            return Attempt(dict.fromkeys(BATCH_KEYS, number))
        key = f"key-{chance.randrange(KEYS)}"
        # Removing an absent key would be no change, and have no revision.
        return Attempt({key: None if kind == 1 and self._state().get(key) is not None else number})

    def _send(self, wire: Wire, attempt: Attempt) -> int:
        operations = [
            pb.EntryOperation(set=pb.SetEntryOperation(key=key, value_json=json.dumps(value)))
            for key, value in attempt.values.items()
            if value is not None
        ]
        agent = Memory(wire, self.agent_id)
        if len(operations) > 1:
            request = pb.BatchWriteEntriesRequest(agent_id=self.agent_id, operations=operations)
            return wire.memory.BatchWriteEntries(request).revision
        ((key, value),) = attempt.values.items()
        return agent.remove(key).revision if value is None else agent.set(key, value).revision

    def _state(self) -> dict[str, int]:
        """Return the values after all acknowledged changes."""
        values: dict[str, int | None] = {}
        for attempt in self.attempts:
            if attempt.revision:
                values.update(attempt.values)
        return {key: value for key, value in values.items() if value is not None}

    def _possible(self) -> list[dict[str, int]]:
        """Return the values that the daemon may have: without the change in doubt, and with it."""
        states = [self._state()]
        if self.attempts and not self.attempts[-1].revision:
            with_last = {**states[0], **self.attempts[-1].values}
            states.append({key: value for key, value in with_last.items() if value is not None})
        return states

    def _settle(self, held: dict[str, int], revision: int) -> None:
        if self.attempts and not self.attempts[-1].revision:
            last = self.attempts.pop()
            if held != self._state():
                last.revision = revision
                self.attempts.append(last)
