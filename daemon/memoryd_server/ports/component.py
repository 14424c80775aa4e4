"""The health of the daemon's components: the one account that every probe and every answer about health reads."""

import enum
from collections.abc import Callable

import msgspec


class ComponentState(enum.IntEnum):
    """The health of a component. The numbers are those of the contract.

    DEGRADED is a fault that the daemon serves with, FAILED one that it cannot serve with.
    """

    OK = 1
    DEGRADED = 2
    FAILED = 3


class Health(msgspec.Struct, frozen=True):
    """The health of a component since ``since``, in nanoseconds since the epoch. ``reason`` is empty while it is OK.

    Every caller may read the reason: it has no path, address or name. With a fault that ``stops_changes``, changes are
    refused, and reads are served.
    """

    name: str
    state: ComponentState
    reason: str
    since: int
    stops_changes: bool = False


class Component:
    """One component. Its users note here whether it works; in the event loop only."""

    def __init__(self, components: "Components", name: str) -> None:
        self._components = components
        self.health = Health(name, ComponentState.OK, "", components.now())

    def ok(self) -> None:
        """Note that the component works."""
        self._note(ComponentState.OK, "")

    def degrade(self, reason: str, *, stops_changes: bool = False) -> None:
        """Note a fault that the daemon serves with."""
        self._note(ComponentState.DEGRADED, reason, stops_changes=stops_changes)

    def fail(self, reason: str) -> None:
        """Note a fault that the daemon cannot serve with."""
        self._note(ComponentState.FAILED, reason, stops_changes=True)

    def _note(self, state: ComponentState, reason: str, *, stops_changes: bool = False) -> None:
        before = self.health
        if (before.state, before.reason, before.stops_changes) != (state, reason, stops_changes):
            since = before.since if state is before.state else self._components.now()
            self.health = Health(before.name, state, reason, since, stops_changes)
            self._components.notify()


class Components:
    """The components of a daemon, in the order in which they were added."""

    def __init__(self, now: Callable[[], int]) -> None:
        self.now = now
        self._all: dict[str, Component] = {}
        self._observers: list[Callable[[], None]] = []
        self._looks: list[Callable[[], None]] = []

    def of(self, name: str) -> Component:
        """Return the component of this name, which is OK at first."""
        if name not in self._all:
            self._all[name] = Component(self, name)
        return self._all[name]

    def look(self, look: Callable[[], None]) -> None:
        """Call ``look`` before each ``read``: it notes the health of a component that nobody else notes."""
        self._looks.append(look)

    def observe(self, observer: Callable[[], None]) -> None:
        """Call ``observer`` now, and after each change."""
        self._observers.append(observer)
        observer()

    def notify(self) -> None:
        """Call all observers."""
        for observer in self._observers:
            observer()

    def read(self) -> list[Health]:
        """Return the health of all components now."""
        for look in self._looks:
            look()
        return [each.health for each in self._all.values()]

    @property
    def fault(self) -> str:
        """The reason why the daemon cannot serve; empty if it can. May be read on any thread."""
        failed = (each.health for each in list(self._all.values()) if each.health.state is ComponentState.FAILED)
        return next((health.reason for health in failed), "")

    @property
    def accepts_changes(self) -> bool:
        """True if no component has a fault that stops changes."""
        return not any(each.health.stops_changes for each in self._all.values())
