"""The player of scenarios over the generated stubs."""

import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import grpc

from conformance.comparison import difference
from conformance.document import ScenarioError, read
from conformance.stub import DEADLINE_S, Stubs, as_json, error_of
from conformance.variable import Variables

KINDS = {
    "call": {"call", "request", "response", "error", "save"},
    "watch": {"watch", "request", "error"},
    "events": {"events", "expect"},
    "repeat": {"repeat", "steps"},
    "tasks": {"tasks", "steps"},
}


class MismatchError(Exception):
    """A response or an event is not what the scenario expects."""


def play(address: str, file: str) -> str | None:
    """Play a scenario file. Return the reason why it failed, or None."""
    stubs = Stubs(address)
    try:
        Player(stubs).steps(read(file)["steps"], _names())
    except (ScenarioError, MismatchError, OSError) as error:
        return str(error)
    finally:
        stubs.close()
    return None


def _names() -> Variables:
    return Variables({name: f"scenario-{uuid4().hex[:12]}" for name in ("agent", "other")})


class Player:
    """One playing of one scenario: its watches, which its tasks share."""

    def __init__(self, stubs: Stubs) -> None:
        self._stubs = stubs
        self._watches: dict[str, _Watch] = {}

    def steps(self, steps: Any, variables: Variables, before: str = "") -> None:
        """Play steps one after the other. Raises MismatchError and ScenarioError, with the number of the step."""
        if not isinstance(steps, list):
            raise ScenarioError(f"{before or 'it'} has no steps")
        for number, step in enumerate(steps, start=1):
            kind = next(iter(KINDS.keys() & step), "")
            place = f"{before}step {number}, {kind} {step.get(kind)}"
            if not kind or step.keys() - KINDS[kind]:
                raise ScenarioError(f"{place}: not a step: {', '.join(step)}")
            if kind == "repeat":
                for n in range(step["repeat"]):
                    self.steps(step["steps"], variables.extended(n=str(n)), f"{place}, ")
            elif kind == "tasks":
                self._tasks(step, variables, f"{place}, ")
            else:
                try:
                    self._step(kind, step, variables)
                except (ScenarioError, MismatchError) as error:
                    raise type(error)(f"{place}: {error}") from None

    def _step(self, kind: str, step: dict[str, Any], variables: Variables) -> None:
        match kind:
            case "call":
                self._call(step, variables)
            case "watch":
                self._watch(step, variables)
            case "events":
                self._events(step, variables)

    def _call(self, step: dict[str, Any], variables: Variables) -> None:
        try:
            response = self._stubs.call(step["call"], variables.filled(step.get("request", {})))
        except grpc.RpcError as error:
            _expect_error(step, variables, error)
            return
        if "error" in step:
            raise MismatchError(f"expected an error, got {response}")
        _expect(variables.filled(step.get("response", {})), response)
        for name, path in step.get("save", {}).items():
            variables.save(name, path, response)

    def _watch(self, step: dict[str, Any], variables: Variables) -> None:
        watch = _Watch(self._stubs.watch(variables.filled(step.get("request", {}))))
        try:
            watch.opened()
        except grpc.RpcError as error:
            _expect_error(step, variables, error)
            return
        if "error" in step:
            raise MismatchError("expected an error, but the watch opened")
        self._watches[step["watch"]] = watch

    def _events(self, step: dict[str, Any], variables: Variables) -> None:
        if step["events"] not in self._watches:
            raise ScenarioError("there is no such watch")
        expected = variables.filled(step["expect"])
        try:
            received = self._watches[step["events"]].take(len(expected))
        except grpc.RpcError as error:
            raise MismatchError(f"the watch failed: {error_of(error)}") from None
        _expect(expected, received)

    def _tasks(self, step: dict[str, Any], variables: Variables, place: str) -> None:
        count = step["tasks"]
        with ThreadPoolExecutor(count) as pool:
            tasks = [
                pool.submit(self.steps, step["steps"], variables.extended(task=str(task)), place)
                for task in range(count)
            ]
        for task in tasks:
            task.result()


class _Watch:
    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._events: deque[Any] = deque()

    def opened(self) -> None:
        with _Deadline(self._stream):
            next(self._stream)

    def take(self, count: int) -> list[Any]:
        """Return the next events, fewer than ``count`` if the others do not arrive in time."""
        with _Deadline(self._stream) as deadline:
            while len(self._events) < count and not deadline.passed:
                try:
                    self._events.extend(as_json(next(self._stream))["events"])
                except grpc.RpcError:
                    if not deadline.passed:
                        raise
        return [self._events.popleft() for _ in range(min(count, len(self._events)))]


class _Deadline:
    """Cancels a stream that takes too long."""

    def __init__(self, stream: Any) -> None:
        self.passed = False
        self._stream = stream
        self._timer = threading.Timer(DEADLINE_S, self._pass)

    def __enter__(self) -> "_Deadline":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def _pass(self) -> None:
        self.passed = True
        self._stream.cancel()


def _expect(expected: Any, actual: Any) -> None:
    found = difference(expected, actual)
    if found is not None:
        raise MismatchError(found)


def _expect_error(step: dict[str, Any], variables: Variables, error: grpc.RpcError) -> None:
    actual = error_of(error)
    if "error" not in step:
        raise MismatchError(f"{actual['code']}: {actual['message']}")
    _expect(variables.filled(step["error"]), actual)
