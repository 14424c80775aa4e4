"""A consumer of flushed fragments, without its connection: a flow of steps that a shell performs."""

import logging
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from memoryd.errors import (
    CallFailed,
    InvalidArgument,
    LeaseLost,
    MemorydError,
    PermissionDenied,
    Unauthenticated,
    Unimplemented,
)
from memoryd.model.fragment import FragmentLease
from memoryd.protocol.call import Call
from memoryd.protocol.fragment import (
    Handle,
    acknowledge_fragments,
    handle,
    lease_fragments,
    release_fragments,
)
from memoryd.protocol.retry import backoff

log = logging.getLogger("memoryd")

LONGEST_DELAY = 30.0
_HOPELESS = (InvalidArgument, PermissionDenied, Unauthenticated, Unimplemented)


@dataclass(frozen=True, slots=True)
class Pause:
    """The step of doing nothing for a while, or until the consumer is stopped."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Consumption:
    """What is consumed: at most ``limit`` fragments at a time. ``lease`` and ``wait`` are in seconds."""

    agent_id: str
    limit: int
    lease: float
    wait: float


Steps = Generator[Call[Any] | Handle | Pause, Any, None]


def consume(asked: Consumption, stopped: Callable[[], bool]) -> Steps:
    """Lease fragments and have them handled, again and again, until ``stopped``.

    The shell performs each step, and sends the answer or throws the error into this generator; a lease or a pause that
    was cut short by the stop is answered with None. What the handler raises gives the fragments back, and the next are
    taken after a growing pause. A daemon that is away is waited for. Raises CallFailed when asking again is no use.
    """
    failures = 0
    while not stopped():
        try:
            leased: FragmentLease | None = yield lease_fragments(asked.agent_id, asked.limit, asked.lease, asked.wait)
            if leased is None:
                continue
            failures = 0 if (yield from _handled(asked, leased)) else failures + 1
        except CallFailed as error:
            if isinstance(error, _HOPELESS):
                raise
            failures += 1
            log.info("fragments are asked for again later: %s", error.message)
        if failures:
            yield Pause(backoff(failures, longest=LONGEST_DELAY))


def _handled(asked: Consumption, leased: FragmentLease) -> Generator[Call[Any] | Handle, Any, bool]:
    """Have fragments handled; answers whether they were. Raises CallFailed."""
    try:
        yield handle(asked.agent_id, leased, asked.lease)
    except GeneratorExit:
        raise  # nobody is there to perform another step
    except BaseException as error:
        with suppress(MemorydError):
            yield release_fragments(asked.agent_id, leased.token)
        if not isinstance(error, Exception):
            raise
        log.exception("%d fragments were not handled, and are given back", len(leased.fragments))
        return False
    try:
        yield acknowledge_fragments(asked.agent_id, leased.token)
    except LeaseLost:
        log.warning("the lease of %d fragments ended too early: others may handle them again", len(leased.fragments))
    return True
