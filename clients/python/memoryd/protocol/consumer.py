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

# How long one call waits for fragments, in seconds: a consumer notices that it is stopped between two calls, since a
# call that was cut short may have been granted fragments, which nobody would get before the end of their lease.
CONSUMER_WAIT = 1.0
LONGEST_DELAY = 30.0
_HOPELESS = (InvalidArgument, PermissionDenied, Unauthenticated, Unimplemented)


@dataclass(frozen=True, slots=True)
class Pause:
    """The step of doing nothing for a while, or until the consumer is stopped."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Consumption:
    """What is consumed: at most ``limit`` fragments at a time, leased for ``lease`` seconds."""

    agent_id: str
    limit: int
    lease: float


Steps = Generator[Call[Any] | Handle | Pause, Any, None]


def consume(asked: Consumption, stopped: Callable[[], bool]) -> Steps:
    """Lease fragments and have them handled, again and again, until ``stopped``.

    The shell performs each step, and sends the answer or throws the error into this generator. What the handler raises
    gives the fragments back, and the next are taken after a growing pause. Fragments that come after the stop are given
    back unhandled. A daemon that is away is waited for. Logs and raises the CallFailed after which that is no use.
    """
    try:
        yield from _consume(asked, stopped)
    except Exception as error:
        log.error("the fragments of agent %s are consumed no longer: %s", asked.agent_id, error)
        raise


def _consume(asked: Consumption, stopped: Callable[[], bool]) -> Steps:
    failures = 0
    while not stopped():
        try:
            leased: FragmentLease | None = yield lease_fragments(
                asked.agent_id, asked.limit, asked.lease, CONSUMER_WAIT
            )
            if leased is None:
                continue
            if stopped():
                yield from _give_back(asked, leased)
                return
            failures = 0 if (yield from _handled(asked, leased)) else failures + 1
        except CallFailed as error:
            if isinstance(error, _HOPELESS):
                raise
            if stopped():
                return
            failures += 1
            log.info("fragments are asked for again later: %s", error.message)
        if failures and not stopped():
            yield Pause(backoff(failures, longest=LONGEST_DELAY))


def _handled(asked: Consumption, leased: FragmentLease) -> Generator[Call[Any] | Handle, Any, bool]:
    """Have fragments handled; answers whether they were. Raises CallFailed."""
    try:
        yield handle(asked.agent_id, leased, asked.lease)
    except GeneratorExit:
        raise  # nobody is there to perform another step
    except BaseException as error:
        yield from _give_back(asked, leased)
        if not isinstance(error, Exception):
            raise
        log.exception("%d fragments were not handled, and are given back", len(leased.fragments))
        return False
    try:
        yield acknowledge_fragments(asked.agent_id, leased.token)
    except CallFailed as error:
        log.warning("%d fragments were handled, and others may handle them again: %s", len(leased.fragments), error)
        if not isinstance(error, LeaseLost):
            raise
    return True


def _give_back(asked: Consumption, leased: FragmentLease) -> Generator[Call[Any], Any, None]:
    """Let others have the fragments: at once, or after their lease when the daemon cannot be told."""
    with suppress(MemorydError):
        yield release_fragments(asked.agent_id, leased.token)
