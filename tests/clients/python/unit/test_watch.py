"""The position and the recovery of a watch, without a connection."""

from typing import Any

import pytest

from memoryd.errors import Cancelled, Draining, RevisionCompacted, Unavailable
from memoryd.model.event import EventFilter, WatchPhase
from memoryd.protocol.event import WatchOptions, watch_request
from memoryd.protocol.watch import DELAY_S_MAX, WatchProgress
from memoryd.v1 import event_pb2
from memoryd.v1 import event_service_pb2 as pb


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def progress(clock: Clock, *, outage_max: float | None = 60.0, **options: Any) -> WatchProgress:
    chosen: WatchOptions = options  # type: ignore[assignment]
    request = watch_request([EventFilter(agent_ids=["a"])], chosen)
    return WatchProgress(request, connect_timeout=5.0, outage_max=outage_max, clock=clock)  # time: own clock


def response(phase: str, token: str = "", revisions: tuple[int, ...] = ()) -> pb.WatchEventsResponse:
    return pb.WatchEventsResponse(
        phase=pb.WatchPhase.Value(f"WATCH_PHASE_{phase}"),  # type: ignore[arg-type]
        resume_token=token,
        revision=max(revisions, default=0),
        events=[event_pb2.Event(revision=revision) for revision in revisions],
    )


def test_it_resumes_after_the_last_message_that_was_received(clock: Clock) -> None:
    watch = progress(clock, after_revision=7)
    assert watch.request().after_revision == 7
    watch.receive(response("LIVE", "token-1", (8,)))
    assert watch.request().WhichOneof("start") == "resume_token"
    assert watch.request().resume_token == "token-1"
    assert watch.request().filters[0].agent_ids == ["a"]


def test_the_token_for_the_watcher_moves_with_the_last_event_of_a_message(clock: Clock) -> None:
    watch = progress(clock, resume_token="token-0")
    events = watch.deliver(watch.receive(response("LIVE", "token-1", (1, 2))))
    assert next(events).revision == 1
    assert watch.resume_token == "token-0"
    assert next(events).revision == 2
    assert (watch.resume_token, watch.revision) == ("token-1", 2)


def test_progress_advances_the_token_past_filtered_events(clock: Clock) -> None:
    watch = progress(clock)
    assert list(watch.deliver(watch.receive(response("PROGRESS", "token-9")))) == []
    assert watch.resume_token == "token-9"


def test_a_break_in_the_initial_state_restarts_it_and_is_announced(clock: Clock) -> None:
    watch = progress(clock, initial_state=True)
    watch.receive(response("OPENED", "too-early"))
    watch.receive(response("INITIAL_STATE", "", (1,)))
    watch.lose(Unavailable("gone"))
    assert watch.request().include_initial_state
    restarted = watch.restart()
    assert restarted is not None
    assert restarted.phase is WatchPhase.RESTARTED
    assert watch.restart() is None


def test_a_break_before_the_initial_state_is_not_announced(clock: Clock) -> None:
    watch = progress(clock, initial_state=True)
    watch.receive(response("OPENED", "too-early"))
    watch.lose(Unavailable("gone"))
    assert watch.restart() is None


def test_after_the_initial_state_a_break_resumes(clock: Clock) -> None:
    watch = progress(clock, initial_state=True)
    watch.receive(response("INITIAL_STATE", "", (1,)))
    watch.receive(response("INITIAL_STATE_COMPLETE", "token-1"))
    assert watch.initial_state_complete
    watch.lose(Unavailable("gone"))
    assert watch.restart() is None
    assert watch.request().resume_token == "token-1"


def test_a_daemon_that_never_answered_is_given_up_soon(clock: Clock) -> None:
    watch = progress(clock)
    with pytest.raises(Unavailable):  # noqa: PT012 - the loop is the shell's
        while True:
            clock.now += watch.lose(Unavailable("gone"))
    assert clock.now <= 5.0


def test_an_unavailable_daemon_is_retried_until_the_longest_outage_allowed(clock: Clock) -> None:
    watch = progress(clock)
    watch.receive(response("OPENED", "token-1"))
    clock.now = 1000.0
    with pytest.raises(Unavailable):  # noqa: PT012 - the loop is the shell's
        while True:
            delay = watch.lose(Unavailable("gone"))
            assert delay <= DELAY_S_MAX
            clock.now += delay
    assert 1050.0 < clock.now <= 1060.0


def test_each_message_ends_an_outage(clock: Clock) -> None:
    watch = progress(clock)
    for _ in range(21):
        watch.receive(response("OPENED", "token-1"))
        clock.now += 10.0 + watch.lose(Unavailable("gone"))
    assert watch.resumes == 20


def test_without_a_bound_it_waits_for_ever(clock: Clock) -> None:
    watch = progress(clock, outage_max=None)
    watch.receive(response("OPENED", "token-1"))
    for _ in range(100):
        clock.now += watch.lose(Unavailable("gone"))
    assert clock.now > 200.0


def test_a_watch_that_a_stopping_server_cancelled_resumes(clock: Clock) -> None:
    watch = progress(clock)
    watch.receive(response("OPENED", "token-1"))
    assert watch.lose(Cancelled("stopped")) > 0


def test_a_draining_server_says_when_to_come_back(clock: Clock) -> None:
    watch = progress(clock)
    watch.receive(response("OPENED", "token-1"))
    assert watch.lose(Draining("soon", retry_delay=7.0)) == 7.0


def test_what_the_journal_no_longer_has_is_an_error_and_no_outage(clock: Clock) -> None:
    with pytest.raises(RevisionCompacted):
        progress(clock).lose(RevisionCompacted("gone"))


def test_a_watch_has_one_start(clock: Clock) -> None:
    with pytest.raises(ValueError, match="exclude"):
        progress(clock, after_revision=1, initial_state=True)
