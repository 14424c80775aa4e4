"""A consumer of flushed fragments as a generator of steps, which ``memoryd.sync`` and ``memoryd.aio`` perform."""

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

# How long one call waits for fragments, in seconds. A consumer checks between two calls if it is stopped, and never
# cancels one: the daemon may have leased fragments to it already, which then nobody gets before the lease expires.
CONSUMER_WAIT = 1.0
DELAY_S_MAX = 30.0
_PERMANENT = (InvalidArgument, PermissionDenied, Unauthenticated, Unimplemented)


@dataclass(frozen=True, slots=True)
class Pause:
    """The step of waiting for a number of seconds, or until the consumer is stopped."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Consumption:
    """The parameters of a consumer: at most ``limit`` fragments at a time, leased for ``lease`` seconds."""

    agent_id: str
    limit: int
    lease: float


Steps = Generator[Call[Any] | Handle | Pause, Any, None]


def consume(consumption: Consumption, stopped: Callable[[], bool]) -> Steps:
    """Lease fragments and have them handled, again and again, until ``stopped`` returns true.

    The caller performs each step, and sends its result or throws its error into this generator. If the handler raises,
    its fragments are released, and the next are leased after a growing pause. Fragments that arrive after the stop are
    released unhandled. Calls are retried while the daemon is unavailable. Logs and raises an error that no retry can
    resolve.
    """
    try:
        yield from _consume(consumption, stopped)
    except Exception as error:
        log.error("consumer of agent %s ended: %s", consumption.agent_id, error)
        raise


def _consume(consumption: Consumption, stopped: Callable[[], bool]) -> Steps:
    failures = 0
    while not stopped():
        try:
            leased: FragmentLease | None = yield lease_fragments(
                consumption.agent_id, consumption.limit, consumption.lease, CONSUMER_WAIT
            )
            if leased is None:
                continue
            if stopped():
                yield from _release(consumption, leased)
                return
            failures = 0 if (yield from _handled(consumption, leased)) else failures + 1
        except CallFailed as error:
            if isinstance(error, _PERMANENT):
                raise
            if stopped():
                return
            failures += 1
            log.info("consumer retries after a failed call: %s", error.message)
        if failures and not stopped():
            yield Pause(backoff(failures, delay_max=DELAY_S_MAX))


def _handled(consumption: Consumption, leased: FragmentLease) -> Generator[Call[Any] | Handle, Any, bool]:
    """Have fragments handled, and return True if the handler succeeded. Raises CallFailed if a call failed."""
    try:
        yield handle(consumption.agent_id, leased, consumption.lease)
    except GeneratorExit:
        raise  # the generator is being closed: no other step would be performed
    except BaseException as error:
        yield from _release(consumption, leased)
        if not isinstance(error, Exception):
            raise
        log.exception("handler failed, %d fragments released", len(leased.fragments))
        return False
    try:
        yield acknowledge_fragments(consumption.agent_id, leased.token)
    except CallFailed as error:
        # Not released: the fragments were handled, and the daemon may have removed them before the call failed.
        log.warning("%d handled fragments not acknowledged, may be delivered again: %s", len(leased.fragments), error)
        if not isinstance(error, LeaseLost):
            raise
    return True


def _release(consumption: Consumption, leased: FragmentLease) -> Generator[Call[Any], Any, None]:
    """Release the fragments for other consumers. If that fails, they are released when their lease expires."""
    with suppress(MemorydError):
        yield release_fragments(consumption.agent_id, leased.token)
