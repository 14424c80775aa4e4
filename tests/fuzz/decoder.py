"""A decoder under the fuzzer, and what is found in it."""

import logging
import os
import random
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from tests.attack.daemon import MISTAKE
from tests.attack.memory import memory_mb

CORPUS = Path(__file__).with_name("corpus")
GROWTH_MAX_MB = 64
"""Maximum growth of the process's memory, once a tenth of the inputs were tried."""
_WARM_UP = 10


class Finding(msgspec.Struct, frozen=True):
    """An input that did harm. ``number`` is that of the input, with which its seed makes it again; -1 of the corpus."""

    target: str
    number: int
    data: bytes
    problem: str


Make = Callable[[random.Random], bytes]
Read = Callable[[bytes, Path], object]
"""Reads bytes, for which it may use a directory."""


class Decoder(msgspec.Struct, frozen=True):
    """Something that reads bytes of anybody: ``make`` makes them, and ``read`` raises one of ``refusals`` or nothing.

    ``share`` is its part of all inputs of decoders: more for what is cheap to read.
    """

    name: str
    make: Make
    read: Read
    refusals: tuple[type[Exception], ...]
    share: int = 4


def fuzz_decoder(decoder: Decoder, seed: int, count: int, first: int = 0) -> list[Finding]:
    """Try the corpus, and then a number of inputs. Return one finding for each place that fails."""
    found: dict[str, Finding] = {}

    def attempt(number: int, data: bytes) -> None:
        if problem := problem_of(decoder, data, Path(directory)):
            found.setdefault(problem.splitlines()[-1], Finding(decoder.name, number, data, problem))

    with logged_problems() as problems, tempfile.TemporaryDirectory(prefix="memoryd-fuzz-") as directory:
        for path in sorted((CORPUS / decoder.name).glob("*")):
            attempt(-1, path.read_bytes())
        before = 0
        for number in range(first, first + count):
            if number == first + count // _WARM_UP:
                before = memory_mb(os.getpid())
            attempt(number, decoder.make(random.Random(f"{seed} {decoder.name} {number}")))
        growth = memory_mb(os.getpid()) - before
    findings = list(found.values())
    if before and growth > GROWTH_MAX_MB:
        findings.append(Finding(decoder.name, -1, b"", f"the memory grew by {growth} MB"))
    return findings + [Finding(decoder.name, -1, b"", f"logged: {problem}") for problem in problems]


def problem_of(decoder: Decoder, data: bytes, directory: Path) -> str:
    """Return what a decoder raised other than a refusal, with the place as its last line; empty if nothing."""
    try:
        decoder.read(data, directory)
    except decoder.refusals:
        pass
    except Exception as error:  # noqa: BLE001 - what is no refusal is what is looked for
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if "memoryd_server" in frame.filename] or frames
        place = f"{type(error).__name__} at {Path(own[-1].filename).name}:{own[-1].lineno}"
        return f"{''.join(traceback.format_exception(error)[-12:])}\n{place}"
    return ""


@contextmanager
def logged_problems() -> Iterator[list[str]]:
    """Collect what is logged as an error or with a traceback, in a with block."""
    problems: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if (record.levelno >= logging.ERROR or record.exc_info) and record.msg != MISTAKE:
                problems.append(f"{self.format(record)}")

    collector, log = Collector(), logging.getLogger("memoryd")
    log.addHandler(collector)
    try:
        yield problems
    finally:
        log.removeHandler(collector)
