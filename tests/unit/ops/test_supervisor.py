"""The supervisor forks, so that each test lets it do so in a process of its own, and reads what its workers say."""

import os
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.wait import WAIT_S_MAX

from memoryd_server.ops import supervisor

PRELUDE = """
import logging, os, select, signal, sys, time
from memoryd_server.ops import supervisor
from memoryd_server.ops.supervisor import Supervisor, Worker
logging.basicConfig(stream=sys.stderr, level=logging.INFO)
def say(*words):
    os.write(1, (" ".join(map(str, words)) + chr(10)).encode())
def serve(worker):
    go, go_end = os.pipe()
    os.set_blocking(go_end, False)
    signal.set_wakeup_fd(go_end)
    signal.signal(signal.SIGTERM, lambda *_: None)
    worker.report_ready()
    say("serving", worker.number, os.getpid())
    if worker.lifeline in select.select([worker.lifeline, go], [], [])[0]:
        say("orphaned", worker.number)
    return 0
"""


class Supervised:
    """A supervisor in a process of its own."""

    def __init__(self, script: str) -> None:
        text = PRELUDE + textwrap.dedent(script)
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def heard(self, *words: str) -> list[str]:
        """The next line, which begins with these words."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline().split()
        assert line[: len(words)] == list(words), (line, self.end() if not line else "")
        return line

    def end(self) -> tuple[int, str]:
        """Its exit code and its log, once it has ended by itself."""
        code, _, log = self.last_words()
        return code, log

    def last_words(self) -> tuple[int, str, str]:
        """Its exit code, what it has said that was not heard, and its log, once it has ended by itself."""
        words, log = self.process.communicate(timeout=WAIT_S_MAX)
        return self.process.returncode, words, log


@pytest.fixture
def supervised() -> Iterator[list[Supervised]]:
    begun: list[Supervised] = []
    yield begun
    for each in begun:
        each.process.kill()
        each.process.communicate()


def begin(begun: list[Supervised], script: str = "sys.exit(Supervisor(2, serve).run())") -> Supervised:
    begun.append(Supervised(script))
    return begun[-1]


def serving(process: Supervised, count: int = 2) -> dict[str, int]:
    """The workers' processes by number, once ``count`` of them serve."""
    lines = [process.heard("serving") for _ in range(count)]
    return {line[1]: int(line[2]) for line in lines}


def test_a_signal_ends_all_workers(supervised: list[Supervised]) -> None:
    process = begin(supervised)
    assert serving(process).keys() == {"0", "1"}
    process.process.send_signal(signal.SIGTERM)
    code, log = process.end()
    assert code == 0
    assert log.count("worker stopped") == 2


def test_the_service_manager_hears_of_the_workers_from_their_supervisor_alone(
    supervised: list[Supervised], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(WAIT_S_MAX)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        work = """
        def work(worker):
            say("worker", os.environ.get("NOTIFY_SOCKET", "has none"))
            return serve(worker)
        sys.exit(Supervisor(1, work).run())
        """
        process = begin(supervised, work)
        process.heard("worker", "has", "none")
        assert manager.recv(100) == b"READY=1"
        process.process.send_signal(signal.SIGTERM)
        assert manager.recv(100) == b"STOPPING=1"
        process.heard("serving")
        assert process.end()[0] == 0


def test_an_interrupt_of_the_terminal_reaches_workers_once(
    supervised: list[Supervised],
) -> None:
    process = begin(supervised)
    workers = serving(process)
    assert all(os.getpgid(pid) == pid for pid in workers.values())
    process.process.send_signal(signal.SIGINT)
    assert process.end()[0] == 0


def test_a_worker_that_was_killed_is_replaced_in_its_place(supervised: list[Supervised]) -> None:
    process = begin(supervised)
    workers = serving(process)
    os.kill(workers["1"], signal.SIGKILL)
    replaced = process.heard("serving", "1")
    assert int(replaced[2]) != workers["1"]
    process.process.send_signal(signal.SIGTERM)
    code, log = process.end()
    assert (code, log.count("worker died, replacing it")) == (0, 1)


def test_in_a_place_that_has_served_a_worker_that_cannot_begin_is_tried_again(supervised: list[Supervised]) -> None:
    process = begin(
        supervised,
        """
        chances, chances_end = os.pipe()
        os.write(chances_end, b"x")
        os.set_blocking(chances, False)
        def work(worker):
            if worker.number == 0:
                return serve(worker)
            try:
                os.read(chances, 1)
            except BlockingIOError:
                say("tried")
                return 1
            worker.report_ready()
            return 1
        sys.exit(Supervisor(2, work).run())
        """,
    )
    process.heard("serving", "0")
    for _ in range(3):
        process.heard("tried")
    process.process.send_signal(signal.SIGTERM)
    code, log = process.end()
    assert (code, "could not begin" in log) == (0, False)


def test_in_a_place_that_has_not_served_a_worker_that_cannot_begin_ends_all_with_its_code(
    supervised: list[Supervised],
) -> None:
    process = begin(
        supervised,
        """
        def work(worker):
            worker.await_turn()
            return 7 if worker.number else serve(worker)
        sys.exit(Supervisor(2, work).run())
        """,
    )
    process.heard("serving", "0")
    code, log = process.end()
    assert code == 7
    assert "replaced" not in log
    assert log.count("ERROR:memoryd.supervisor:worker failed to start") == 1
    assert log.count("INFO:memoryd.supervisor:worker stopped") == 1


def test_what_the_first_worker_cannot_do_no_other_tries(supervised: list[Supervised]) -> None:
    process = begin(
        supervised,
        """
        def work(worker):
            worker.await_turn()
            say("tried", worker.number, worker.is_first)
            return 7
        sys.exit(Supervisor(3, work).run())
        """,
    )
    assert process.last_words()[:2] == (7, "tried 0 True\n")


def test_who_replaces_the_first_worker_is_not_the_first(supervised: list[Supervised]) -> None:
    process = begin(
        supervised,
        """
        def work(worker):
            say("first" if worker.is_first else "later", worker.number)
            worker.await_turn()
            return serve(worker)
        sys.exit(Supervisor(1, work).run())
        """,
    )
    process.heard("first", "0")
    os.kill(int(process.heard("serving", "0")[2]), signal.SIGKILL)
    process.heard("later", "0")
    process.heard("serving", "0")


@pytest.mark.parametrize("body", ["", "worker.report_ready(); say('serving'); signal.sigwait({signal.SIGTERM})"])
def test_a_worker_that_was_killed_where_it_is_not_replaced_makes_the_code_1(
    supervised: list[Supervised], body: str
) -> None:
    process = begin(
        supervised,
        f"""
        def work(worker):
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
            {body}
            os.kill(os.getpid(), signal.SIGKILL)
        sys.exit(Supervisor(1, work).run())
        """,
    )
    if body:
        process.heard("serving")
        process.process.send_signal(signal.SIGTERM)
    assert process.end()[0] == 1


def test_a_signal_is_heard_as_soon_as_it_does_not_end_the_process_itself(supervised: list[Supervised]) -> None:
    process = begin(
        supervised,
        """
        install = signal.signal
        def told_meanwhile(number, handler):
            signal.signal = install
            before = install(number, handler)
            os.kill(os.getpid(), number)
            return before
        signal.signal = told_meanwhile
        sys.exit(Supervisor(1, serve).run())
        """,
    )
    assert process.end()[0] == 0


def test_a_signal_to_a_worker_that_is_being_forked_is_its_own(supervised: list[Supervised]) -> None:
    process = begin(
        supervised,
        """
        setpgid = os.setpgid
        def told_meanwhile(*arguments):
            setpgid(*arguments)
            os.kill(os.getpid(), signal.SIGTERM)
        os.setpgid = told_meanwhile
        sys.exit(Supervisor(1, serve).run())
        """,
    )
    code, words, log = process.last_words()
    assert (code, words) == (1, "")
    assert "worker failed to start" in log


def test_workers_learn_that_the_supervisor_is_gone(supervised: list[Supervised]) -> None:
    process = begin(supervised)
    serving(process)
    process.process.kill()
    assert {process.heard("orphaned")[1], process.heard("orphaned")[1]} == {"0", "1"}


def test_what_dies_again_and_again_is_replaced_after_a_growing_while() -> None:
    place = supervisor._Slot()
    waits = []
    for _ in range(8):
        place.plan_replacement(now=1.0)
        waits.append(place.replace_time - 1.0)
    assert waits == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0])
    place.plan_replacement(now=supervisor.WORKER_STEADY_S)
    assert place.replace_time == supervisor.WORKER_STEADY_S
    place.plan_replacement(now=1.0)
    assert place.replace_time == 1.0 + supervisor.WORKER_REPLACE_S_MIN


def test_the_module_needs_nothing_that_cannot_be_forked() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, memoryd_server.ops.cli.daemon.process; print('grpc' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    assert loaded.stdout.strip() == "False"


def test_a_hangup_ends_neither_the_supervisor_nor_a_worker(supervised: list[Supervised]) -> None:
    process = begin(supervised)
    for pid in (process.process.pid, *serving(process).values()):
        os.kill(pid, signal.SIGHUP)
    process.process.send_signal(signal.SIGTERM)
    code, log = process.end()
    assert code == 0
    assert log.count("worker stopped") == 2
