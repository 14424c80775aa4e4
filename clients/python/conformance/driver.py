"""The driver, which executes commands with the client as a user's program would."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from threading import Condition, Thread
from typing import Any, Self

import memoryd
from conformance.measurement import measure


class Driver:
    """The client that commands are executed with, and its watches by name."""

    def __init__(self) -> None:
        self._connected: memoryd.Client | None = None
        self._watches: dict[str, Watching] = {}
        self._commands: dict[str, Callable[..., dict[str, Any]]] = {
            "connect": self._connect,
            "set": self._set,
            "get": self._get,
            "set_native": self._set_native,
            "get_native": self._get_native,
            "update": self._update,
            "get_or_set": self._get_or_set,
            "watch": self._watch,
            "watched": self._watched,
            "unwatch": self._unwatch,
            "measure": self._measure,
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for watching in self._watches.values():
            watching.close()
        if self._connected is not None:
            self._connected.close()

    def execute(self, command: dict[str, Any]) -> dict[str, Any]:
        """Execute a command, and return its result or its error."""
        try:
            return {"result": self._commands[command.pop("do")](**command)}
        except memoryd.MemorydError as error:
            code = "" if error.code is None else error.code.name
            failure = {"type": type(error).__name__, "code": code, "reason": error.reason, "message": error.message}
        except Exception as error:  # noqa: BLE001 - every error is a response
            failure = {"type": "Other", "code": "", "reason": "", "message": repr(error)}
        return {"error": failure}

    def _connect(
        self,
        target: str,
        token: str | None = None,
        origin: str | None = None,
        timeout_s: float = 10.0,
        connect_timeout_s: float = 5.0,
        ca_file: str | None = None,
    ) -> dict[str, Any]:
        if self._connected is not None:
            self._connected.close()
        self._connected = memoryd.connect(
            target,
            token=token,
            origin=origin,
            tls=None if ca_file is None else memoryd.Tls(ca_file=ca_file),
            timeout=timeout_s,
            connect_timeout=connect_timeout_s,
        )
        return {}

    def _client(self) -> memoryd.Client:
        if self._connected is None:
            raise RuntimeError("not connected: send the command connect first")
        return self._connected

    def _agent(self, agent_id: str) -> memoryd.Agent:
        return self._client().agent(agent_id)

    def _set(self, agent: str, key: str, value_json: str) -> dict[str, Any]:
        return {"revision": self._agent(agent).set(key, memoryd.Json(value_json)).revision}

    def _get(self, agent: str, key: str) -> dict[str, Any]:
        entry = self._agent(agent).get_entry(key)
        return {"found": entry is not None, "value_json": "" if entry is None else entry.value_json}

    def _set_native(self, agent: str, key: str, value_json: str) -> dict[str, Any]:
        return {"revision": self._agent(agent).set(key, json.loads(value_json)).revision}

    def _get_native(self, agent: str, key: str) -> dict[str, Any]:
        missing = object()
        value = self._agent(agent).get(key, missing)
        return {"found": value is not missing, "value_json": "" if value is missing else json.dumps(value)}

    def _update(self, agent: str, key: str, count: int, transaction: bool = False) -> dict[str, Any]:
        entries = self._agent(agent)
        last = None
        for _ in range(count):
            last = _increment(entries, key) if transaction else entries.update(key, lambda value: value + 1, default=0)
        return {"last": last}

    def _get_or_set(
        self,
        agent: str,
        key: str,
        value_json: str,
        factory_s: float = 0.0,
        fail: bool = False,
        lease_s: float = 30.0,
        wait_s: float | None = None,
    ) -> dict[str, Any]:
        made: list[Any] = []

        def factory() -> Any:
            made.append(json.loads(value_json))
            time.sleep(factory_s)
            if fail:
                raise RuntimeError("the factory failed")
            return made[0]

        value = self._agent(agent).get_or_set(key, factory, lease=lease_s, wait=wait_s)
        return {"value_json": json.dumps(value), "made": bool(made)}

    def _watch(
        self,
        name: str,
        agent: str,
        key_prefix: str = "",
        initial_state: bool = False,
        outage_max_s: float = 300.0,
        resume_token: str | None = None,
    ) -> dict[str, Any]:
        watch = self._agent(agent).watch(
            key_prefix=key_prefix, initial_state=initial_state, outage_max=outage_max_s, resume_token=resume_token
        )
        self._watches[name] = Watching(watch)
        return {}

    def _watched(self, name: str, count: int, timeout_s: float) -> dict[str, Any]:
        return self._watches[name].received(count, timeout_s)

    def _unwatch(self, name: str) -> dict[str, Any]:
        self._watches.pop(name).close()
        return {}

    def _measure(self, agent: str, call: str, calls: int, callers: int = 1, batching: bool = False) -> dict[str, Any]:
        return measure(self._client().target, agent, call, calls, callers, batching)


def _increment(agent: memoryd.Agent, key: str) -> int:
    """Add 1 to the integer under the key, by a transaction on what was read."""
    while True:
        entry = agent.get_entry(key)
        value: int = 1 if entry is None else entry.value + 1
        with suppress(memoryd.errors.RevisionMismatch):
            with agent.transaction() as tx:
                tx.set(key, value, expected_revision=0 if entry is None else entry.revision)
            return value


class Watching:
    """A watch whose events a thread receives. The constructor returns once the watch is open."""

    def __init__(self, watch: memoryd.Watch) -> None:
        self._watch = watch
        self._events: list[dict[str, Any]] = []
        self._error: Exception | None = None
        self._changed = Condition()
        begun: Future[None] = Future()
        self._thread = Thread(target=self._listen, args=(begun,))
        self._thread.start()
        begun.result()

    def close(self) -> None:
        """End the watch."""
        self._watch.close()
        self._thread.join()

    def received(self, count: int, timeout_s: float) -> dict[str, Any]:
        """Wait until ``count`` events were received or the timeout has passed, and return all of them."""
        with self._changed:
            self._changed.wait_for(lambda: self._error or len(self._events) >= count, timeout_s)
            if self._error:
                raise self._error
            token = self._watch.resume_token
            return {"events": list(self._events), "resumes": self._watch.resumes, "resume_token": token}

    def _listen(self, begun: Future[None]) -> None:
        try:
            with self._watch, self._ending():
                begun.set_result(None)
                for event in self._watch:
                    with self._changed:
                        self._events.append(_event(event))
                        self._changed.notify_all()
        except memoryd.MemorydError as error:
            with suppress(Exception):
                begun.set_exception(error)

    @contextmanager
    def _ending(self) -> Iterator[None]:
        try:
            yield
        except memoryd.MemorydError as error:
            with self._changed:
                self._error = error
                self._changed.notify_all()


def _event(event: memoryd.Event) -> dict[str, Any]:
    event_type = f"EVENT_TYPE_{event.type.upper()}"
    return {"revision": event.revision, "index": event.index, "type": event_type, "key": event.key}
