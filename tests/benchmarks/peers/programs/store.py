"""The work of a contest, for any store. It needs the standard library alone: the programs' environments differ."""

import itertools
import json
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from tests.benchmarks.peers.programs import calling

WRITERS = 20
UPDATES_OF_EACH = 25
COUNTER = "counter"


class Store(Protocol):
    """A store, called as its documentation has it, by several threads."""

    def write(self, key: str, text: str) -> None:
        """Store a text, and return when the store says that it is stored."""

    def read(self, key: str) -> str | None:
        """Return the text of a key, or None."""

    def increment(self, key: str) -> None:
        """Add 1 to a text that is a number, by the means that the store has to change a value."""


def run(opened: Callable[[str], AbstractContextManager[Store]], speed: Callable[[str], None]) -> None:
    """Do the work that the first argument names. The second is what a server's client connects to, or empty."""
    calling.begin()
    work, server, *numbers = sys.argv[1:]
    if work == "speed":
        speed(server)
        return
    with opened(server) as store:
        _print(_WORKS[work](store, *map(int, numbers)))
        # Until it is killed, its memory can be measured.
        sys.stdin.read()


def _updates(store: Store) -> dict[str, int]:
    """Increment one counter from many threads, and return the number of updates that returned, and what is counted."""
    store.write(COUNTER, "0")
    store.increment(COUNTER)
    returned, refused = itertools.count(), itertools.count()

    def write() -> None:
        for _ in range(UPDATES_OF_EACH):
            try:
                store.increment(COUNTER)
            except Exception as error:  # noqa: BLE001 - of any library; a refused update is not a lost one
                sys.stderr.write(f"{error!r}\n")
                next(refused)
            else:
                next(returned)

    threads = [threading.Thread(target=write) for _ in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"returned": next(returned), "refused": next(refused), "counted": int(store.read(COUNTER) or 0) - 1}


def _writes(store: Store, first: int) -> dict[str, int]:
    """Write one record after the other, and print the number of each that was stored, until the process is killed."""
    for number in itertools.count(first):
        store.write(_key(number), calling.text_of(number))
        _print({"stored": number})
    raise AssertionError


def _count(store: Store, first: int, last: int) -> dict[str, int]:
    """Return how many of the numbered records are there, whole."""
    return {"left": sum(store.read(_key(number)) == calling.text_of(number) for number in range(first, last + 1))}


def _fill(store: Store, records: int) -> dict[str, int]:
    """Write records."""
    for number in range(records):
        store.write(_key(number), calling.text_of(number))
    return {"stored": records}


_WORKS: dict[str, Callable[..., dict[str, int]]] = {
    "updates": _updates,
    "writes": _writes,
    "count": _count,
    "fill": _fill,
}


def _key(number: int) -> str:
    return f"record-{number}"


def _print(answer: dict[str, int]) -> None:
    print(json.dumps(answer), file=calling.output(), flush=True)
