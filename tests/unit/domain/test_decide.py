"""Whatever is asked for in whatever order, decisions keep what ``sample.check_decision`` says."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.domain.mirror import Mirror
from tests.unit.domain.sample import NOW, Agent, draft

from memoryd_server.domain import command
from memoryd_server.domain.command import AgentImage, Precondition
from memoryd_server.domain.decide import _DECISIONS, decide
from memoryd_server.domain.entry import ROOT
from memoryd_server.domain.error import Refusal
from memoryd_server.domain.event import EventType
from memoryd_server.domain.limit import SECOND_NS, Limits
from memoryd_server.domain.state import AgentState

LIMITS = Limits(entries_per_agent=6, scopes_per_agent=4, storage_bytes_per_agent=60)
KEYS = st.sampled_from(["k1", "k2", "k3"])
VALUES = st.sampled_from(["1", "22222222", "3333333333333333"])
PRECONDITIONS = st.one_of(
    st.none(), st.just(Precondition(must_not_exist=True)), st.integers(0, 8).map(lambda n: Precondition(False, n))
)
TTLS = st.one_of(st.none(), st.integers(1, 4).map(lambda seconds: seconds * SECOND_NS))


def test_every_command_has_a_decision() -> None:
    assert set(_DECISIONS) == set(command.Command.__args__)


class RandomAgent(Agent):
    """An agent that draws what is done to it."""

    def __init__(self, data: st.DataObject) -> None:
        super().__init__(LIMITS)
        self._data = data
        self._scope_ids = [ROOT, "unknown"]
        self._image = AgentImage()

    def step(self) -> None:
        self.now += self.draw(st.sampled_from([0, SECOND_NS]))
        if self.draw(st.integers(0, 9)) == 0:
            self._image = self.image()
        before = self.state
        try:
            self.do(self.draw(st.sampled_from(self._commands()))())
        except Refusal:
            assert self.state is before

    def draw(self, strategy: "st.SearchStrategy[object]") -> object:
        return self._data.draw(strategy)

    def _draft(self) -> object:
        ttl = self.draw(TTLS)
        return draft(self.draw(KEYS), self.draw(VALUES), None if ttl is None else self.now + ttl)

    def _scope(self) -> object:
        return self.draw(st.sampled_from(self._scope_ids))

    def _new_scope(self) -> command.Command:
        scope_id = self.new_id()
        self._scope_ids.append(scope_id)
        name = self.draw(st.sampled_from(["s", "t"]))
        return command.CreateScope(name, self._scope(), scope_id, self.draw(PRECONDITIONS))

    def _operations(self) -> tuple[object, ...]:
        operations = []
        for key in self.draw(st.lists(KEYS, min_size=1, unique=True)):
            if self.draw(st.booleans()):
                drafted = draft(key, self.draw(VALUES))
                operations.append(command.SetOperation(drafted, self.draw(PRECONDITIONS)))
            else:
                operations.append(command.RemoveOperation(key))
        return tuple(operations)

    def _commands(self) -> list[object]:
        draw, scope, key = self.draw, self._scope, lambda: self.draw(KEYS)
        token = lambda: draw(st.sampled_from(["t1", "t2"]))  # noqa: E731 - one of the makers below
        return [
            lambda: command.SetEntry(scope(), self._draft(), self.new_id(), "", draw(PRECONDITIONS)),
            lambda: command.SetEntry(scope(), self._draft(), self.new_id(), token()),
            lambda: command.GetOrSetEntry(scope(), self._draft(), self.new_id(), draw(st.booleans())),
            lambda: command.ReserveEntry(scope(), key(), token(), 2 * SECOND_NS, draw(st.booleans())),
            lambda: command.RenewReservation(scope(), key(), token(), 2 * SECOND_NS),
            lambda: command.ReleaseReservation(scope(), key(), token()),
            lambda: command.RemoveEntry(scope(), key(), draw(PRECONDITIONS)),
            lambda: command.ClearEntries(scope(), draw(PRECONDITIONS)),
            lambda: command.WriteEntries(scope(), self._operations(), self.new_id()),
            self._new_scope,
            self._new_scope,
            lambda: command.MergeScope(scope(), draw(st.booleans()), draw(st.booleans()), self.new_id()),
            lambda: command.DisposeScope(scope(), draw(PRECONDITIONS)),
            command.ClearAgent,
            command.EndAgent,
            lambda: command.RestoreAgent(self._image, "snapshot"),
            command.ExpireRecords,
            lambda: command.RecordAccesses(
                (command.Access(scope(), key(), draw(st.sampled_from(["id1", "id2", "id3"])), 2, self.now),)
            ),
        ]


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_records_and_events_tell_exactly_what_each_command_changed(data: st.DataObject) -> None:
    agent = RandomAgent(data)
    for _ in range(data.draw(st.integers(1, 30))):
        agent.step()


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_a_restore_tells_the_difference_and_nothing_else(data: st.DataObject) -> None:
    agent = RandomAgent(data)
    for _ in range(data.draw(st.integers(0, 15))):
        agent.step()
    image = agent.image()
    for _ in range(data.draw(st.integers(0, 15))):
        agent.step()
    before = agent.state
    agent.do(command.RestoreAgent(image, "snapshot"))

    live = {(entry.scope_id, entry.key): entry for entry in image.entries if entry.is_live(agent.now)}
    restored = {
        (entry.scope_id, entry.key): entry for local in agent.state.entries.values() for entry in local.values()
    }
    assert set(restored) == set(live)
    assert all(restored[place].has_content_of(entry) for place, entry in live.items())
    assert set(agent.state.scopes) == {scope.scope_id for scope in image.scopes}
    assert not agent.state.reservations
    known = Mirror.of(before)
    for event in agent.decision.events:
        if event.type is EventType.ENTRY_SET and (event.scope_id, event.key) in known.entries:
            assert event.entry is not None
            assert not known.entries[event.scope_id, event.key].has_content_of(event.entry)
    assert agent.decision.events[-1].type is EventType.AGENT_RESTORED


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_a_refused_or_empty_command_leaves_the_very_same_state(data: st.DataObject) -> None:
    agent = RandomAgent(data)
    for _ in range(5):
        agent.step()
    decision = decide(agent.state, command.RemoveEntry(ROOT, "not there"), agent.now, LIMITS)
    assert decision.state is agent.state
    assert not decision.changes


def test_an_agent_begins_with_its_first_change_and_keeps_its_create_time() -> None:
    agent = Agent()
    assert not agent.state.exists
    agent.do(command.RemoveEntry(ROOT, "k"))
    assert not agent.state.exists
    agent.set("k")
    agent.now += 5
    agent.set("k")
    assert (agent.state.create_time, agent.state.update_time, agent.state.revision) == (NOW, NOW + 5, 2)


def test_the_origin_of_a_command_is_in_its_events() -> None:
    decision = decide(AgentState("a"), command.SetEntry(ROOT, draft("k"), "id"), NOW, Limits(), "me")
    assert [event.origin for event in decision.events] == ["me"]
