"""The states that an agent has had, as one writer made them, and what a reader of a near cache may see of them."""

import random
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

import memoryd
from memoryd import errors

ROOT = ""
KEYS = [f"k{number}" for number in range(6)]
SCOPES_MAX = 3
GONE = object()
"""Read in a scope that there is not."""

NEVER = float("inf")
Values = dict[str, dict[str, tuple[int, float | None]]]
"""For each scope, the number of each entry and when it expires; None if that is not known yet."""


@dataclass
class State:
    """The agent between two changes. ``acked_at`` is when the change to it was acknowledged; infinity if not yet."""

    values: Values
    parents: dict[str, str]
    acked_at: float = NEVER

    def copy(self) -> "State":
        """Return a copy that is not acknowledged."""
        return State({scope_id: dict(each) for scope_id, each in self.values.items()}, dict(self.parents))

    def reads(self, scope_id: str, key: str, begin: float, end: float) -> set[object]:
        """Return what a look-up between two times of the wall clock may return."""
        may: set[object] = set()
        while True:
            if scope_id not in self.values:
                return may | {GONE}
            number, expires_at = self.values[scope_id].get(key, (None, 0.0))
            if number is not None and (expires_at is None or begin < expires_at):
                may.add(number)
                if expires_at is not None and end < expires_at:
                    return may
            if scope_id == ROOT:
                return may | {None}
            scope_id = self.parents[scope_id]


@dataclass
class History:
    """The states of an agent, oldest first. The last may be one that is not acknowledged yet."""

    states: list[State] = field(default_factory=lambda: [State({ROOT: {}}, {}, 0.0)])

    def floor(self, acked_before: float) -> int:
        """Return the newest state that was acknowledged before a time."""
        return max(index for index, state in enumerate(self.states) if state.acked_at < acked_before)

    def explains(self, floor: int, scope_id: str, seen: Iterable[tuple[str, object]], begin: float, end: float) -> bool:
        """Return True if one state from ``floor`` on explains all of what was read."""
        found = list(seen)
        return any(
            all(value in state.reads(scope_id, key, begin, end) for key, value in found)
            for state in self.states[floor:]
        )


class Writer:
    """Changes an agent at random, and writes down each state before and after it is acknowledged."""

    def __init__(self, agent: memoryd.Agent, seed: int) -> None:
        self.history = History()
        self.count = 0
        self._agent = agent
        self._random = random.Random(seed)
        self._numbers = 0
        self._saved: tuple[State, str] | None = None

    def run(self, count: int) -> None:
        """Make a number of changes."""
        often = (self._set, self._set, self._set, self._set_for_a_while, self._remove, self._batch, self._open_scope)
        rare = (self._merge, self._dispose, self._clear, self._save, self._restore, self._end)
        for _ in range(count):
            self._random.choice(often if self._random.random() < 0.75 else rare)()
            self.count += 1

    @property
    def state(self) -> State:
        """The last state."""
        return self.history.states[-1]

    def _place(self) -> str:
        return self._random.choice(sorted(self.state.values))

    def _memory(self, scope_id: str) -> memoryd.WorkingMemory:
        return self._agent.attach(scope_id) if scope_id else self._agent

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _next(self) -> State:
        """Return a copy of the last state, to be changed and then to be announced."""
        return self.state.copy()

    def _begin(self, state: State) -> None:
        self.history.states.append(state)

    def _done(self) -> None:
        self.state.acked_at = time.monotonic()

    def _set(self) -> None:
        scope_id, key, number, state = self._place(), self._random.choice(KEYS), self._number(), self._next()
        state.values[scope_id][key] = (number, NEVER)
        self._begin(state)
        self._memory(scope_id).set(key, number)
        self._done()

    def _set_for_a_while(self) -> None:
        # In the root only: whether a merge still finds such an entry is known to the daemon alone.
        key, number, state = self._random.choice(KEYS), self._number(), self._next()
        state.values[ROOT][key] = (number, None)
        self._begin(state)
        stored = self._agent.set(key, number, ttl=0.02)  # time: it expires while others read
        assert stored.entry.expire_time is not None
        state.values[ROOT][key] = (number, stored.entry.expire_time.timestamp())
        self._done()

    def _remove(self) -> None:
        scope_id, key, state = self._place(), self._random.choice(KEYS), self._next()
        state.values[scope_id].pop(key, None)
        self._begin(state)
        self._memory(scope_id).remove(key)
        self._done()

    def _batch(self) -> None:
        scope_id, state = self._place(), self._next()
        numbers = {key: self._number() for key in self._random.sample(KEYS, 3)}
        state.values[scope_id] |= {key: (number, NEVER) for key, number in numbers.items()}
        self._begin(state)
        with self._memory(scope_id).batch() as batch:
            for key, number in numbers.items():
                batch.set(key, number)
        self._done()

    def _open_scope(self) -> None:
        if len(self.state.values) > SCOPES_MAX:
            return
        parent, state = self._place(), self._next()
        # Nobody reads in a scope whose id is not known yet.
        scope = self._memory(parent).create_scope("s")
        state.values[scope.scope_id], state.parents[scope.scope_id] = {}, parent
        self._begin(state)
        self._done()

    def _leaf(self) -> str | None:
        """Return a scope without scopes below it; None if there is no scope."""
        leaves = sorted(set(self.state.parents) - set(self.state.parents.values()))
        return self._random.choice(leaves) if leaves else None

    def _merge(self) -> None:
        if (scope_id := self._leaf()) is None:
            return
        state = self._next()
        merged = state.values.pop(scope_id)
        state.values[state.parents.pop(scope_id)] |= merged
        self._begin(state)
        self._agent.attach(scope_id).merge()
        self._done()

    def _dispose(self) -> None:
        if (scope_id := self._leaf()) is None:
            return
        state = self._next()
        del state.values[scope_id], state.parents[scope_id]
        self._begin(state)
        self._agent.attach(scope_id).dispose()
        self._done()

    def _clear(self) -> None:
        scope_id, state = self._place(), self._next()
        state.values[scope_id] = {}
        self._begin(state)
        self._memory(scope_id).clear()
        self._done()

    def _save(self) -> None:
        with_id = f"s{self._number()}-{self._agent.agent_id}"
        try:
            self._agent.create_snapshot(with_id)
        except errors.AgentNotFound:
            return
        self._saved = self._next(), with_id

    def _restore(self) -> None:
        if self._saved is None:
            return
        saved, snapshot_id = self._saved
        self._begin(saved.copy())
        self._agent.restore_snapshot(snapshot_id)
        self._done()

    def _end(self) -> None:
        if self._random.random() < 0.5:
            return
        self._begin(State({ROOT: {}}, {}))
        self._agent.end()
        self._done()
