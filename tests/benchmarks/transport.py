"""The transports under measurement: the daemon serves each in turn, in one run."""

import enum
import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

from tests.benchmarks.process import DaemonProcess

T = TypeVar("T")


class Transport(enum.StrEnum):
    """A value of ``--transport``."""

    FRONT = "front"
    GRPC = "grpc"

    @property
    def title(self) -> str:
        """Its name in a figure, behind "over"."""
        return "the front end" if self is Transport.FRONT else "grpcio's server"


def transports() -> Sequence[Transport]:
    """Return those that this machine has: the front end needs Rust, or its wheel."""
    return list(Transport) if importlib.util.find_spec("memoryd_front") is not None else [Transport.GRPC]


@contextmanager
def daemon_of(transport: Transport, directory: Path, *flags: str) -> Iterator[DaemonProcess]:
    """Yield a daemon of its own directory, below the given one, that serves over a transport."""
    own = directory / transport
    own.mkdir(parents=True)
    with DaemonProcess(own, "--transport", transport, *flags) as daemon:
        yield daemon


@contextmanager
def daemon_of_each(directory: Path, *flags: str) -> Iterator[dict[Transport, DaemonProcess]]:
    """Yield a daemon for each transport. They share a core, and only the one that is called uses it."""
    with ExitStack() as stack:
        yield {each: stack.enter_context(daemon_of(each, directory, *flags)) for each in transports()}


def in_turn(kinds: Sequence[T], rounds: int) -> Iterator[T]:
    """Yield each of ``kinds`` once a round, in alternating order (A B B A), since a shared machine's speed varies."""
    for number in range(rounds):
        yield from kinds if number % 2 == 0 else kinds[::-1]
