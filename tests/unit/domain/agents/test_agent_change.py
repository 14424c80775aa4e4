import pytest
from tests.unit.domain.sample import NOW, Agent, draft, fragment_draft

from memoryd_server.domain.agent.commit import CommitWrites
from memoryd_server.domain.agent.event import EventFilter
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agents.agent import (
    AGENT,
    NO_DEFAULTS,
    AgentDefaults,
    defaults_of,
    description_of,
)
from memoryd_server.domain.agents.agent_change import AgentPatch, AgentUpdated, UpdateAgent
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import SetEntry
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import AgentNotFound, QuotaExceeded
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.fragments.fragment_change import CreateFragment
from memoryd_server.domain.lifecycle.agent_change import CLEARABLE, ClearAgent, EndAgent, RestoreAgent
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.record_filter import RecordFilter

DEFAULTS = AgentDefaults(5, 7, 100, "gpt-5")


def update(agent: Agent, **fields: object) -> AgentUpdated:
    done = agent.do(UpdateAgent(AgentPatch(**fields)))  # type: ignore[arg-type]
    assert isinstance(done, AgentUpdated)
    return done


def test_an_update_creates_an_agent_that_does_not_exist() -> None:
    agent = Agent()
    done = update(agent, display_name="Ann")
    assert (done.created, done.changed, done.revision, done.create_time, done.update_time) == (True, True, 1, NOW, NOW)
    assert done.description is not None
    assert done.description.display_name == "Ann"
    assert description_of(agent.state) == done.description
    assert [(event.type, event.previous_revision) for event in agent.events] == [(EventType.AGENT_UPDATED, 0)]


def test_an_update_without_anything_new_still_creates_the_agent() -> None:
    agent = Agent()
    assert update(agent, display_name="").created
    assert agent.state.exists
    agent.now += 1
    again = update(agent, display_name="")
    assert (again.created, again.changed, again.revision, again.update_time) == (False, False, 1, NOW)


def test_an_update_that_requires_the_agent_does_not_create_it() -> None:
    agent = Agent()
    with pytest.raises(AgentNotFound):
        agent.do(UpdateAgent(AgentPatch("Ann")), precondition=Precondition(must_exist=True))


def test_an_update_of_an_agent_without_a_description_keeps_its_times() -> None:
    agent = Agent()
    agent.set("k")
    agent.now += 1
    unchanged = update(agent, tags=())
    assert (unchanged.description, unchanged.changed, unchanged.create_time) == (None, False, NOW)
    done = update(agent, tags=("a",))
    assert (done.created, done.create_time, done.update_time, done.revision) == (False, NOW, NOW + 1, 2)


def test_an_update_keeps_what_it_does_not_name_and_reports_what_changed() -> None:
    agent = Agent()
    update(agent, display_name="Ann", tags=("a",), metadata_json='{"k":1}', defaults=DEFAULTS)
    done = update(agent, display_name="Bo", tags=("a",))
    assert done.description is not None
    assert (done.description.display_name, done.description.tags) == ("Bo", ("a",))
    assert (done.description.metadata_json, done.description.defaults) == ('{"k":1}', DEFAULTS)
    assert (agent.events[-1].changed, agent.events[-1].previous_revision) == (("display_name",), 1)


def test_a_description_counts_its_texts_and_is_no_record() -> None:
    agent = Agent()
    done = update(agent, display_name="änn", tags=("b",), metadata_json="{}", defaults=DEFAULTS)
    assert done.description is not None
    assert agent.state.size_bytes == done.description.size_bytes == len("aenn" + "b" + "{}" + "gpt-5")
    assert done.memory_bytes > done.description.size_bytes
    assert AGENT.live_counts(agent.state.part(AGENT), NOW) == {}
    statistics = AGENT.statistics(agent.state.part(AGENT), NOW)
    assert (statistics.size_bytes, statistics.record_counts) == (agent.state.size_bytes, {})


def test_a_description_without_room_is_refused() -> None:
    agent = Agent(Limits(storage_bytes_per_agent=5))
    with pytest.raises(QuotaExceeded):
        update(agent, display_name="longer")


def test_a_description_survives_the_clearing_of_all_kinds_and_not_the_end() -> None:
    agent = Agent()
    update(agent, display_name="Ann")
    agent.do(ClearAgent(CLEARABLE))
    assert RecordKind.AGENT not in CLEARABLE
    assert description_of(agent.state) is not None
    ended = agent.do(EndAgent())
    assert ended.counts == {}
    agent.set("k")
    assert description_of(agent.state) is None


def test_a_restore_replaces_the_description_and_keeps_the_creation_of_the_agent() -> None:
    other = Agent()
    update(other, display_name="Other")
    image = {**dict.fromkeys(other.image(), ()), AGENT.name: [description_of(other.state)]}
    agent = Agent()
    agent.now += 9
    agent.set("k")
    agent.do(RestoreAgent(image, "s"))
    restored = description_of(agent.state)
    assert restored is not None
    assert (restored.display_name, restored.create_time, restored.revision) == ("Other", NOW + 9, 2)
    updated = [event.cause for event in agent.events if event.type is EventType.AGENT_UPDATED]
    assert updated == [EventCause.RESTORE]
    last = agent.events[-1]
    assert last.subject.description == restored
    agent.do(RestoreAgent({**image, AGENT.name: []}, "s"))
    assert description_of(agent.state) is None
    assert agent.events[-1].subject.description is None


def test_filters_treat_a_description_as_one_of_the_root_and_of_no_user() -> None:
    agent = Agent()
    update(agent, display_name="Ann")
    (event,) = agent.events
    assert EventFilter(scope_ids=frozenset({""})).keeps("a", event)
    assert EventFilter(kinds=frozenset({RecordKind.AGENT})).keeps("a", event)
    assert not EventFilter(scope_ids=frozenset({"s"})).keeps("a", event)
    assert not EventFilter(scope_ids=frozenset({""}), key_prefix="k").keeps("a", event)
    assert not EventFilter(record=RecordFilter(user_ids=frozenset({"ann"}))).keeps("a", event)


def test_an_entry_that_never_expires_keeps_that() -> None:
    agent = Agent()
    agent.set("k")
    update(agent, defaults=DEFAULTS)
    agent.do(SetEntry(ROOT, draft("k"), "e", kept=("expire_time",)))
    assert agent.state.part(WORKING_MEMORY).entries[ROOT]["k"].expire_time is None
    agent.do(SetEntry(ROOT, draft("k"), "e", kept=("tags",)))
    assert agent.state.part(WORKING_MEMORY).entries[ROOT]["k"].expire_time == agent.now + 5


def test_entries_without_an_expiry_get_the_default_of_their_agent() -> None:
    agent = Agent()
    agent.set("before")
    update(agent, defaults=DEFAULTS)
    agent.set("k")
    agent.do(SetEntry(ROOT, draft("own", expire_time=agent.now + 1_000), "own"))
    entries = agent.state.part(WORKING_MEMORY).entries[ROOT]
    times = {key: entries[key].expire_time for key in ("before", "k", "own")}
    assert times == {"before": None, "k": agent.now + 5, "own": agent.now + 1_000}


def test_fragments_without_an_expiry_get_the_default_of_their_agent_or_of_the_daemon() -> None:
    agent = Agent()
    draft_of = fragment_draft("x", None)
    assert agent.do(CreateFragment(draft_of, 1, ttl_ns=3)).expire_time == agent.now + 3
    update(agent, defaults=DEFAULTS)
    assert agent.do(CreateFragment(draft_of, 2, ttl_ns=3)).expire_time == agent.now + 7
    assert agent.do(CreateFragment(fragment_draft("x", agent.now + 9), 3, ttl_ns=3)).expire_time == agent.now + 9


def test_an_agent_without_a_description_has_no_defaults() -> None:
    assert defaults_of(Agent().state) == NO_DEFAULTS


def test_defaults_that_a_commit_changes_apply_to_its_later_writes() -> None:
    agent = Agent()
    update(agent, defaults=DEFAULTS)
    later = SetEntry(ROOT, draft("k"), "e")
    agent.do(CommitWrites((UpdateAgent(AgentPatch(defaults=AgentDefaults(8))), later)))
    assert agent.state.part(WORKING_MEMORY).entries[ROOT]["k"].expire_time == agent.now + 8
