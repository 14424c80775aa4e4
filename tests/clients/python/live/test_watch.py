import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import pytest
from tests.wait import PATIENT, WAIT_S_MAX

import memoryd
from memoryd import EventCause, EventType, WatchPhase, errors


def seen(watch: memoryd.Watch, count: int) -> list[memoryd.Event]:
    return list(islice(watch, count))


def test_no_commit_is_missed_from_the_beginning_of_the_block(agent: memoryd.Agent) -> None:
    agent.set("before", 0)
    with agent.watch() as watch:
        stored = agent.set("k", {"a": 1}, type_name="Mood")
        agent.remove("k")
        first, second = seen(watch, 2)
    assert (first.type, first.key, first.revision, first.previous_revision) == (
        EventType.ENTRY_SET,
        "k",
        stored.revision,
        0,
    )
    assert first.entry is not None
    assert (first.entry.value, first.entry.type_name, first.cause) == ({"a": 1}, "Mood", EventCause.REQUEST)
    assert (second.type, second.key, second.revision) == (EventType.ENTRY_REMOVED, "k", stored.revision + 1)
    assert watch.revision == stored.revision + 1


def test_the_initial_state_comes_first_and_its_end_is_a_phase(agent: memoryd.Agent) -> None:
    agent.set("a", 1)
    with agent.watch(initial_state=True) as watch:
        agent.set("b", 2)
        messages = []
        for message in watch.messages():
            messages.append(message)
            if message.phase is WatchPhase.LIVE:
                break
    phases = [message.phase for message in messages]
    assert phases[0] is WatchPhase.OPENED
    assert phases.index(WatchPhase.INITIAL_STATE) < phases.index(WatchPhase.INITIAL_STATE_COMPLETE)
    events = [event for message in messages for event in message.events]
    assert [(event.key, event.cause) for event in events] == [
        ("a", EventCause.INITIAL_STATE),
        ("b", EventCause.REQUEST),
    ]
    assert watch.initial_state_complete


def test_an_empty_initial_state_ends_too(agent: memoryd.Agent) -> None:
    with agent.watch(initial_state=True) as watch:
        assert not watch.initial_state_complete
        assert [message.phase for message in islice(watch.messages(), 2)] == [
            WatchPhase.OPENED,
            WatchPhase.INITIAL_STATE_COMPLETE,
        ]
        assert watch.initial_state_complete


def test_a_token_resumes_with_no_gap_and_no_duplicate(agent: memoryd.Agent) -> None:
    with agent.watch() as watch:
        for number in range(5):
            agent.set("k", number)
        assert [event.entry and event.entry.value for event in seen(watch, 3)] == [0, 1, 2]
        token = watch.resume_token
    with agent.watch(resume_token=token) as watch:
        agent.set("k", 5)
        values: list[int] = []
        for event in watch:
            assert event.entry is not None
            values.append(event.entry.value)
            if values[-1] == 5:
                break
    # Within a message, the token stays at the previous one: events may be repeated, but none is missed.
    assert values == list(range(values[0], 6))
    assert values[0] <= 3


def test_a_watch_may_start_after_a_revision(agent: memoryd.Agent) -> None:
    first = agent.set("a", 1)
    agent.set("b", 2)
    with agent.watch(after_revision=first.revision) as watch:
        assert next(iter(watch)).key == "b"
    with pytest.raises(errors.RevisionInFuture), agent.watch(after_revision=first.revision + 100):
        pass


def test_events_are_filtered_by_key_type_scope_and_origin(client: memoryd.Client, agent: memoryd.Agent) -> None:
    with (
        memoryd.connect(client.target, origin="me", **PATIENT) as other,
        agent.watch(key_prefix="a", event_types=["entry_set"], exclude_origin="me") as watch,
        agent.watch(scope_ids=[""]) as root,
    ):
        with agent.scope("task") as scope:
            scope.set("a-scope", 1)
        other.agent(agent.agent_id).set("a-mine", 1)
        agent.set("b", 1)
        agent.set("a-last", 1)
        assert [event.key for event in seen(watch, 2)] == ["a-scope", "a-last"]
        assert [(event.key, event.origin) for event in seen(root, 3)] == [("a-mine", "me"), ("b", ""), ("a-last", "")]


def test_a_scope_is_watched_with_those_below_it(agent: memoryd.Agent) -> None:
    with agent.scope("task") as scope, scope.watch(event_types=["entry_set"]) as watch:
        agent.set("root", 1)
        with scope.scope("step") as step:
            step.set("below", 1)
        scope.set("here", 1)
        assert [event.key for event in seen(watch, 2)] == ["below", "here"]


def test_values_may_be_left_out(agent: memoryd.Agent) -> None:
    with agent.watch(content=False) as watch:
        agent.set("k", "secret")
        event = next(iter(watch))
    assert event.entry is not None
    assert event.entry.value_json == ""


def test_many_agents_are_watched_at_once(client: memoryd.Client, agent_id: str) -> None:
    agents = [f"{agent_id}-{number}" for number in range(3)]
    with client.watch(memoryd.EventFilter(agent_ids=agents[:2])) as watch:
        for each in reversed(agents):
            client.agent(each).set("k", 1)
        assert [event.agent_id for event in seen(watch, 2)] == [agents[1], agents[0]]


@pytest.mark.parametrize("closes", ["watch", "client"])
def test_closing_it_or_its_client_ends_a_watch_that_waits_in_another_thread(
    client: memoryd.Client, agent: memoryd.Agent, closes: str
) -> None:
    waits = threading.Event()
    with ThreadPoolExecutor(1) as pool, agent.watch() as watch:

        def listen() -> list[memoryd.Event]:
            waits.set()
            return list(watch)

        events = pool.submit(listen)
        assert waits.wait(WAIT_S_MAX)
        (watch if closes == "watch" else client).close()
        assert events.result(WAIT_S_MAX) == []


def test_a_watch_of_a_closed_client_is_refused(client: memoryd.Client, agent: memoryd.Agent) -> None:
    client.close()
    with pytest.raises(errors.Cancelled), agent.watch():
        pass


def test_an_invalid_token_is_refused(agent: memoryd.Agent) -> None:
    with pytest.raises(errors.InvalidResumeToken), agent.watch(resume_token="not a token"):
        pass


def test_past_events_are_listed(client: memoryd.Client, agent: memoryd.Agent) -> None:
    first = agent.set("a", 1)
    agent.set("b", 2)
    agent.remove("a")
    assert [(event.type, event.key) for event in agent.events()] == [
        ("entry_set", "a"),
        ("entry_set", "b"),
        ("entry_removed", "a"),
    ]
    assert [event.key for event in agent.events(after_revision=first.revision, event_types=["entry_set"])] == ["b"]
    chosen = memoryd.EventFilter(agent_ids=[agent.agent_id], key_prefix="b")
    assert [event.key for event in client.events(chosen)] == ["b"]
