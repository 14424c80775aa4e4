"""Gauges of the contents of the loaded agents."""

from operator import attrgetter
from typing import Any

from memoryd_server.domain.agent.part import Changes, Part
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.ports.telemetry import Gauge


class PartGauge:
    """An ``AgentObserver`` that keeps gauges at the totals of one part over all loaded agents.

    ``gauges`` maps an attribute of the part's value, a number or a collection, to its gauge.
    """

    def __init__(self, part: Part[Any, Any], gauges: dict[str, Gauge]) -> None:
        self._name = part.name
        self._gauges = [(attrgetter(attribute), gauge) for attribute, gauge in gauges.items()]

    def note_change(
        self, before: AgentState | None, after: AgentState, changes: Changes | None, *, is_own: bool
    ) -> None:
        """Add the difference; see ``AgentObserver``."""
        # This runs in every commit: an unchanged attribute costs no call.
        value = after.parts.get(self._name)
        former = None if before is None else before.parts.get(self._name)
        for of, gauge in self._gauges:
            now = 0 if value is None else of(value)
            earlier = 0 if former is None else of(former)
            if now is not earlier:
                gauge.add(_number(now) - _number(earlier))

    def note_gone(self, state: AgentState) -> None:
        """Subtract the agent's contents; see ``AgentObserver``."""
        value = state.parts.get(self._name)
        if value is not None:
            for of, gauge in self._gauges:
                gauge.add(-_number(of(value)))


def _number(value: Any) -> int:
    return value if isinstance(value, int) else len(value)
