import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.integration.cli.process import Process
from tests.wait import PATIENT

import memoryd

Start = Callable[..., Process]


def keys(process: Process) -> list[str]:
    """The keys of the events that it has printed as rows."""
    return [row.split("\t")[6] for row in process.out.splitlines()]


def place_after(agent: memoryd.Agent, revision: int) -> str:
    """The resume token of a watch that has heard of this revision and of nothing later."""
    with agent.watch(after_revision=revision - 1) as watch:
        next(iter(watch))
        return watch.resume_token


def test_what_is_there_and_what_happens_is_printed_until_ctrl_c(
    start: Start, shared_daemon: Daemon, agent: memoryd.Agent
) -> None:
    agent.set("before", 1)
    watch = start("watch", agent.agent_id, "--initial", address=shared_daemon.address)
    watch.wait_until(lambda: keys(watch) == ["before"])
    agent.set("after", {"a": [1]})
    agent.remove("before")
    watch.wait_until(lambda: len(keys(watch)) == 3)
    assert watch.interrupt() == 0
    rows = [row.split("\t")[1:] for row in watch.out.splitlines()]
    assert rows == [
        ["1", agent.agent_id, "", "entry_set", "initial_state", "before", "1"],
        ["2", agent.agent_id, "", "entry_set", "request", "after", '{"a":[1]}'],
        ["3", agent.agent_id, "", "entry_removed", "request", "before", ""],
    ]
    assert watch.err == ""


def test_json_is_an_event_a_line_from_a_revision_on(start: Start, shared_daemon: Daemon, agent: memoryd.Agent) -> None:
    for number in range(1, 4):
        agent.set("n", number)
    watch = start("watch", agent.agent_id, "--from-revision", "2", "--json", address=shared_daemon.address)
    watch.wait_until(lambda: watch.out.count("\n") == 2)
    assert watch.interrupt() == 0
    events = [json.loads(line) for line in watch.out.splitlines()]
    assert [(event["revision"], event["subject"]["entry"]["value"]) for event in events] == [(2, 2), (3, 3)]


def test_only_selected_events_are_printed(start: Start, shared_daemon: Daemon, agent: memoryd.Agent) -> None:
    scope = agent.create_scope("task")
    flags = ["--scope", scope.scope_id, "--prefix", "wanted", "--type", "entry_set", "--from-revision", "1"]
    agent.set("wanted-in-root", 1)
    scope.set("other", 1)
    scope.set("wanted", 1)
    scope.remove("wanted")
    scope.create_scope("below").set("wanted-below", 1)
    watch = start("watch", agent.agent_id, *flags, address=shared_daemon.address)
    watch.wait_until(lambda: len(keys(watch)) == 2)
    assert watch.interrupt() == 0
    assert keys(watch) == ["wanted", "wanted-below"]


@pytest.mark.whole
def test_a_restart_is_waited_for_and_said(start: Start, daemon: Daemon) -> None:
    with memoryd.connect(daemon.address, **PATIENT) as client:
        agent = client.agent("a")
        agent.set("first", 1)
        watch = start("watch", "a", "--from-revision", "1", address=daemon.address)
        watch.wait_until(lambda: keys(watch) == ["first"])
        daemon.kill()
        watch.wait_until(lambda: "lost" in watch.err)
        daemon.start()
        agent.set("second", 2)
        watch.wait_until(lambda: keys(watch) == ["first", "second"])
    assert watch.interrupt() == 0
    assert watch.err == (
        "memoryd: connection lost; the watch resumes when the daemon is back\n"
        "memoryd: connection restored; the watch has resumed\n"
    )


def test_a_watch_goes_on_from_its_file_with_no_gap_and_no_duplicate(
    start: Start, shared_daemon: Daemon, agent: memoryd.Agent, tmp_path: Path
) -> None:
    file = tmp_path / "place"
    arguments = ["watch", agent.agent_id, "--from-revision", "1", "--resume-file", str(file)]
    agent.set("first", 1)
    watch = start(*arguments, address=shared_daemon.address)
    watch.wait_until(lambda: keys(watch) == ["first"])
    for key in ("second", "third"):
        agent.set(key, 1)
    # The place is kept after it was printed, so that a kill between them repeats an event and loses none.
    place = place_after(agent, 3)
    watch.wait_until(lambda: file.read_text().strip() == place)
    assert keys(watch) == ["first", "second", "third"]
    assert watch.interrupt() == 0
    agent.set("missed", 1)
    again = start(*arguments, address=shared_daemon.address)
    again.wait_until(lambda: keys(again) == ["missed"])
    assert again.interrupt() == 0


def test_a_watch_that_is_not_allowed_ends_with_the_reason(
    start: Start, shared_daemon: Daemon, agent: memoryd.Agent
) -> None:
    agent.set("k", 1)
    watch = start("watch", agent.agent_id, "--from-revision", "99", address=shared_daemon.address)
    assert watch.wait() == 1
    assert watch.err.endswith("(REVISION_IN_FUTURE)\n")


@pytest.mark.parametrize("flag", ["--initial", "--json"])
def test_a_watch_of_no_daemon_ends_and_names_the_address(start: Start, flag: str) -> None:
    watch = start("watch", flag, address="127.0.0.1:1")
    assert watch.wait() == 69
    assert watch.err.startswith("memoryd: no daemon answers at 127.0.0.1:1 (nothing listens there): start one with ")
