"""The trial of one store: its speed, updates by many writers, kills, its restart and its memory."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec
from tests.benchmarks.environment import MissingLibrary, last_line
from tests.benchmarks.peers.peer import Measured, Peer, Running, log_of, program, speed_of
from tests.benchmarks.process import rss_bytes

KILLS = 5
STORED_BEFORE_A_KILL = (100, 400)
RECORDS = 2_000
SEED = 23

T = TypeVar("T")


class Updates(msgspec.Struct, frozen=True):
    """The updates of one counter that returned, those that raised an error, and the value of the counter after them."""

    returned: int
    refused: int
    counted: int


class Trial(msgspec.Struct, frozen=True):
    """The results of one store. What could not be measured is None, and ``failures`` says why.

    ``stored`` and ``left`` are the records that a store had said were stored when it was killed, and those that were
    there afterwards. ``ready_s`` is the time from the start of the process that holds the memory until it has read a
    record, and ``bytes`` its resident memory, both with RECORDS records.
    """

    name: str
    speed: list[Measured]
    updates: Updates | None
    stored: int | None
    left: int | None
    ready_s: float | None
    bytes: int | None
    failures: list[str]


class _Stored(msgspec.Struct):
    stored: int


class _Left(msgspec.Struct):
    left: int


class _Place:
    """The directory of one work, and the server of the store, if it has one."""

    def __init__(self, peer: Peer, directory: Path, server: Running | None) -> None:
        self._peer = peer
        self._directory = directory
        self.server = server

    @contextmanager
    def asked(self, kind: type[T], work: str, *numbers: int) -> Iterator[tuple[Iterator[T], Callable[[], None], int]]:
        """Run the program, and yield its answers, what kills the holder of the memory, and the pid of the program."""
        address = "" if self.server is None else self.server.address
        with program(self._peer, self._directory, work, address, *numbers) as running:
            assert running.stdout is not None
            answers = (msgspec.json.decode(line, type=kind) for line in running.stdout if line.endswith(b"\n"))
            yield answers, running.kill if self.server is None else self.server.kill, running.pid

    def answer(self, kind: type[T], work: str, *numbers: int) -> T:
        """Run the program, and return its answer. Raises MissingLibrary."""
        with self.asked(kind, work, *numbers) as (answers, _, _):
            return self.first(answers)

    def first(self, answers: Iterator[T]) -> T:
        """Return the next answer. Raises MissingLibrary if the program ended."""
        for answer in answers:
            return answer
        raise MissingLibrary(last_line(log_of(self._directory).read_text("utf-8", "replace")))


def tried(peer: Peer, directory: Path) -> Trial:
    """Return the results of a store."""
    failures: list[str] = []

    def of(work: Callable[[_Place], T], name: str) -> T | None:
        try:
            with _place(peer, directory / name) as place:
                return work(place)
        except MissingLibrary as failure:
            failures.append(f"{name}: {failure}")
            return None

    speed_directory = directory / "speed"
    speed_directory.mkdir(parents=True)
    try:
        speed = speed_of(peer, speed_directory)
    except MissingLibrary as missing:
        return Trial(peer.title, [], None, None, None, None, None, [str(missing)])
    updates = of(lambda place: place.answer(Updates, "updates"), "updates")
    stored, left = of(_killed, "kills") or (None, None)
    ready_s, size = of(_restarted, "restart") or (None, None)
    return Trial(peer.title, speed, updates, stored, left, ready_s, size, failures)


def _killed(place: _Place) -> tuple[int, int]:
    """Kill the store while it writes, several times, and return what it had stored, and what is left of that."""
    chance = random.Random(SEED)
    following = 0
    for _ in range(KILLS):
        enough = following + chance.randint(*STORED_BEFORE_A_KILL)
        with place.asked(_Stored, "writes", following) as (answers, kill, _):
            for answer in answers:
                following = answer.stored + 1
                if answer.stored == enough:
                    kill()
        if place.server is not None:
            place.server.start()
    left = place.answer(_Left, "count", 0, following - 1)
    return following, left.left


def _restarted(place: _Place) -> tuple[float, int]:
    """Fill the store, kill it, and return the seconds until it is ready again, and its memory then."""
    with place.asked(_Stored, "fill", RECORDS) as (answers, kill, _):
        place.first(answers)
        kill()
    began = time.monotonic()
    if place.server is not None:
        place.server.start()
        ready_s = time.monotonic() - began
    with place.asked(_Left, "count", RECORDS - 1, RECORDS - 1) as (answers, _, pid):
        assert place.first(answers).left == 1
        if place.server is not None:
            return ready_s, place.server.rss_bytes()
        return time.monotonic() - began, rss_bytes(pid)


@contextmanager
def _place(peer: Peer, directory: Path) -> Iterator[_Place]:
    directory.mkdir()
    if peer.server is None:
        yield _Place(peer, directory, None)
        return
    with peer.server.started(directory) as server:
        yield _Place(peer, directory, server)
