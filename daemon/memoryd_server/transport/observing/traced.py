"""Runs a coroutine within a span."""

import types
from collections.abc import Coroutine, Generator
from contextvars import copy_context
from typing import Any

from memoryd_server.ports.tracing import SPAN, Span


@types.coroutine
def within(span: Span, coroutine: Coroutine[Any, Any, Any]) -> Generator[Any, Any, Any]:
    """Run a coroutine with ``span`` as the current one, in the task of the caller.

    Each step runs in a context of its own. A span that was set in the caller's context would stay there when the front
    end's first step of a call ends, and be that of the next call.
    """
    context = copy_context()
    context.run(SPAN.set, span)
    step, argument = coroutine.send, None
    while True:
        try:
            waits_for = context.run(step, argument)
        except StopIteration as end:
            return end.value
        try:
            argument, step = (yield waits_for), coroutine.send
        except BaseException as error:  # noqa: BLE001 - the coroutine handles it, or raises it again
            argument, step = error, coroutine.throw
