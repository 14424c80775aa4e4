"""Gauges of what the agents in memory hold."""

from operator import attrgetter
from typing import Any

from memoryd_server.domain.agent.part import Changes, Part
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.ports.telemetry import Gauge


class PartGauge:
    """Keeps gauges at the totals of one part over the agents in memory. An ``AgentObserver`` of that part.

    ``gauges`` has the gauge of each attribute of the part's value, which is a number or has a length.
    """

    def __init__(self, part: Part[Any, Any], gauges: dict[str, Gauge]) -> None:
        self._name = part.name
        self._gauges = [(attrgetter(attribute), gauge) for attribute, gauge in gauges.items()]

    def note_change(
        self, before: AgentState | None, after: AgentState, changes: Changes | None, *, is_own: bool
    ) -> None:
        """Add the difference; see ``AgentObserver``."""
        # One call for each commit of each agent: what did not change is left out without another one.
        value = after.parts.get(self._name)
        former = None if before is None else before.parts.get(self._name)
        for of, gauge in self._gauges:
            now = 0 if value is None else of(value)
            earlier = 0 if former is None else of(former)
            if now is not earlier:
                gauge.add(_number(now) - _number(earlier))

    def note_gone(self, state: AgentState) -> None:
        """Subtract what the agent held; see ``AgentObserver``."""
        value = state.parts.get(self._name)
        if value is not None:
            for of, gauge in self._gauges:
                gauge.add(-_number(of(value)))


def _number(value: Any) -> int:
    return value if isinstance(value, int) else len(value)
