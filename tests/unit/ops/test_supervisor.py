"""The supervisor forks, so that each test lets it do so in a process of its own, and reads what its workers say."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryd_server.ops import supervisor

PRELUDE = """
import logging, os, select, signal, sys, time
from memoryd_server.ops import supervisor
from memoryd_server.ops.supervisor import Supervisor, Worker
logging.basicConfig(stream=sys.stderr, level=logging.INFO)
def say(*words):
    os.write(1, (" ".join(map(str, words)) + chr(10)).encode())
def serve(worker):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    os.write(worker.ready, b"x")
    say("serving", worker.number, os.getpid())
    select.select([worker.lifeline], [], [])
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
        _, log = self.process.communicate(timeout=20)
        return self.process.returncode, log


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
    """The workers' processes by number, once so many serve."""
    lines = [process.heard("serving") for _ in range(count)]
    return {line[1]: int(line[2]) for line in lines}


def test_a_signal_ends_all_workers(supervised: list[Supervised]) -> None:
    process = begin(supervised)
    assert serving(process).keys() == {"0", "1"}
    process.process.send_signal(signal.SIGTERM)
    code, log = process.end()
    assert code == 0
    assert log.count("worker ended") == 2


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
    assert (code, log.count("worker died, and is replaced")) == (0, 1)


def test_once_one_has_served_a_worker_that_cannot_begin_is_tried_again(supervised: list[Supervised]) -> None:
    process = begin(
        supervised,
        """
        served, told = os.pipe()
        def work(worker):
            if worker.number == 1:
                os.read(served, 1)
                say("tried")
                return 1
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
            os.write(worker.ready, b"x")
            time.sleep(0.2)
            os.write(told, b"xxx")
            signal.pause()
        sys.exit(Supervisor(2, work).run())
        """,
    )
    for _ in range(3):
        process.heard("tried")
    process.process.send_signal(signal.SIGTERM)
    process.end()


def test_when_the_first_workers_cannot_begin_all_end_with_their_code(supervised: list[Supervised]) -> None:
    process = begin(supervised, "sys.exit(Supervisor(3, lambda worker: 7).run())")
    code, log = process.end()
    assert code == 7
    assert "replaced" not in log


def test_workers_learn_that_the_supervisor_is_gone(supervised: list[Supervised]) -> None:
    process = begin(supervised)
    serving(process)
    process.process.kill()
    assert {process.heard("orphaned")[1], process.heard("orphaned")[1]} == {"0", "1"}


def test_what_dies_again_and_again_is_replaced_after_a_growing_while() -> None:
    watched = supervisor.Supervisor(1, lambda _: 0)
    watched._has_served = True
    place = watched._places[0]
    waits = []
    for _ in range(8):
        place.pid, place.start_time = 1, supervisor.time.monotonic()
        watched._note_end(0, place, -9)
        waits.append(place.replace_s)
    assert waits == sorted(waits)
    assert waits[-1] == supervisor.REPLACE_S_MAX
    place.pid, place.start_time = 1, supervisor.time.monotonic() - supervisor.STEADY_S
    watched._note_end(0, place, -9)
    assert place.replace_s == supervisor.REPLACE_S_MIN
    assert watched._is_due(place)
    for descriptor in (watched._lifeline, watched._lifeline_end, watched._ready, watched._ready_end):
        os.close(descriptor)
    for descriptor in (watched._signals, watched._signals_end):
        os.close(descriptor)


def test_the_module_needs_nothing_that_cannot_be_forked() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, memoryd_server.ops.cli.serve; print('grpc' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    assert loaded.stdout.strip() == "False"
