"""A mirror of all records of an agent, from nothing but a watch: the initial state, and the events of any changes."""

import random
from collections.abc import Iterable
from typing import Any

import pytest
from google.protobuf.message import Message
from tests.integration.kind_of_record import KINDS, Kind, call, numbered, plan_steps
from tests.integration.watcher import Watcher
from tests.integration.wire import Memory, refused
from tests.unit.transport.plans.plan_watcher import PlanWatcher

from memoryd.v1 import event_pb2, record_pb2
from memoryd.v1 import event_service_pb2 as pb

NUMBERS = range(3)
BY_FIELD = {kind.field: kind for kind in KINDS}
_IN_PIECES = {"plan", "plan_step"}
"""The kinds whose events have what changed of a record."""
Records = dict[tuple[Any, ...], Message]


class Mirror:
    """The records that events have reported, by the field of their kind and by their ids."""

    def __init__(self) -> None:
        self.records: dict[str, Records] = {kind.field: {} for kind in KINDS}
        self._plans = PlanWatcher()

    def apply(self, event: event_pb2.Event) -> None:
        """Apply one event."""
        field = event.WhichOneof("subject")
        assert field
        subject = getattr(event, field)
        if field == "cleared":
            self._clear([record_pb2.RecordKind.Name(each.kind) for each in subject.cleared], subject.scope_id)
        elif field == "flushed":
            for fragment in self.records["fragment"].values():
                fragment.flushed = True  # type: ignore[attr-defined]
        elif event.type == event_pb2.EVENT_TYPE_AGENT_ENDED:
            self.records = {kind.field: {} for kind in KINDS}
        elif field in BY_FIELD and field not in _IN_PIECES:
            self._change(BY_FIELD[field], subject)
        if event.type == event_pb2.EVENT_TYPE_CONVERSATION_DELETED:
            messages = self.records["message"]
            of_others = {place: each for place, each in messages.items() if place[0] != subject.conversation_id}
            self.records["message"] = of_others
        self._plans.apply(event)
        plans = self._plans.plans.values()
        self.records["plan"] = {(plan.plan_id,): plan for plan in plans}
        steps = (step for plan in plans for step in plan_steps(plan))
        self.records["plan_step"] = {BY_FIELD["plan_step"].id_of(step): step for step in steps}

    def _change(self, kind: Kind, subject: Any) -> None:
        known, place = self.records[kind.field], kind.id_of(subject)
        if subject.HasField(kind.field):
            known[place] = bare(kind, getattr(subject, kind.field))
            return
        known.pop(place, None)
        if kind.field == "scope":
            self._clear(["RECORD_KIND_ENTRY"], subject.scope_id)
        if kind.field == "memory":
            links = self.records["memory_link"]
            self.records["memory_link"] = {ends: link for ends, link in links.items() if place[0] not in ends[:2]}

    def _clear(self, kinds: Iterable[str], scope_id: str) -> None:
        for name in kinds:
            field = name.removeprefix("RECORD_KIND_").lower()
            records = self.records.get(field, {})
            if field == "entry":
                self.records[field] = {place: each for place, each in records.items() if place[0] != scope_id}
            else:
                records.clear()
            if field == "memory":
                self.records["memory_link"].clear()


def bare(kind: Kind, record: Message) -> Message:
    """Return a copy of a record without the fields that change without an event."""
    copy = type(record)()
    copy.CopyFrom(record)
    for name in kind.counted:
        copy.ClearField(name)
    return copy


def stored(agent: Memory) -> dict[str, Records]:
    return {kind.field: {kind.id_of(each): bare(kind, each) for each in kind.listed(agent)} for kind in KINDS}


def fill(agent: Memory) -> None:
    """Create records of every kind, some of which are changed since."""
    ninth = {"memory_id": "m9", "content": "nine", "user_id": "ann", "allow_duplicates": True}
    call(agent, "LongTermMemoryService.CreateMemory", {"draft": ninth})
    for kind in KINDS:
        for number in NUMBERS:
            for method, request in kind.changes[: 1 + number % 2]:
                call(agent, method, numbered(request, number))


def change(agent: Memory, chance: random.Random) -> None:
    """Change any record, or clear all of a kind. What does not exist any more, or exists again, is refused."""
    if chance.random() < 0.03:
        call(agent, "AgentService.ClearAgent", {"kinds": [chance.choice(CLEARED)]})
        return
    kind, number = chance.choice(KINDS), chance.choice(NUMBERS)
    calls = [*kind.changes, *([kind.removal] if kind.removal else [])]
    method, request = chance.choice(calls)
    try:
        call(agent, method, numbered(request, number))
    except Exception:  # noqa: BLE001 - refusals of all sorts are part of the test
        reason = refused(lambda: call(agent, method, numbered(request, number))).reason
        assert reason in {"RECORD_NOT_FOUND", "RECORD_EXISTS", "PLAN_ENDED"}


CLEARED = (
    "RECORD_KIND_ENTRY",
    "RECORD_KIND_FRAGMENT",
    "RECORD_KIND_MEMORY",
    "RECORD_KIND_NOTE",
    "RECORD_KIND_PLAN",
    "RECORD_KIND_ENTITY_WINDOW",
    "RECORD_KIND_DOCUMENT",
    "RECORD_KIND_CONVERSATION",
)


@pytest.mark.parametrize("seed", range(3))
def test_a_mirror_has_every_record_that_the_lists_have(agent: Memory, seed: int) -> None:
    fill(agent)
    mirror, chance = Mirror(), random.Random(seed)
    with Watcher(agent.wire, agent.id, include_initial_state=True) as watcher:
        complete = watcher.until_phase(pb.WATCH_PHASE_INITIAL_STATE_COMPLETE)
        initial = len(watcher.events)
        for event in watcher.events:
            mirror.apply(event)
        for field, records in stored(agent).items():
            assert mirror.records[field] == records, field
            assert records, f"the agent has no {field}"
        for _ in range(60):
            change(agent, chance)
        revision = agent.revision
        assert revision > complete.revision
        watcher.wait(lambda: watcher.events[-1].revision == revision)
        for event in watcher.events[initial:]:
            mirror.apply(event)
    for field, records in stored(agent).items():
        assert mirror.records[field] == records, field
