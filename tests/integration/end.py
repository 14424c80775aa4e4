"""The ends of calls that are refused: their code and their reason."""

from collections.abc import Callable

import grpc
from tests.integration.watcher import Watcher
from tests.integration.wire import refused

UNAUTHENTICATED = (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")


def ends_with(call: Callable[[], object]) -> tuple[grpc.StatusCode, str]:
    """Return the end of a call that is refused."""
    refusal = refused(call)
    return refusal.code, refusal.reason


def end_of(watcher: Watcher) -> tuple[grpc.StatusCode, str]:
    """Return the end of a watch, which it waits for."""
    refusal = watcher.refused()
    return refusal.code, refusal.reason
