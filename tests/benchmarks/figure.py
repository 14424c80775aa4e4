"""Figures: the results of a benchmark."""

import enum
import math
from collections.abc import Sequence

import msgspec


class Verdict(enum.StrEnum):
    """A figure's comparison with its target."""

    PASS = "PASS"
    MISS = "MISS"
    UNJUDGED = "-"
    """The figure has no target."""


class Figure(msgspec.Struct, frozen=True):
    """One measured number. ``name`` is unique; ``id`` is the target's, such as P-1.

    At most one of ``at_least`` and ``below`` is set; without one the figure has no target. ``detail`` has the numbers
    and the circumstances behind it.
    """

    id: str
    name: str
    value: float
    unit: str
    at_least: float | None = None
    below: float | None = None
    detail: str = ""

    @property
    def verdict(self) -> Verdict:
        """The comparison with the target."""
        if self.at_least is not None:
            return Verdict.PASS if self.value >= self.at_least else Verdict.MISS
        if self.below is not None:
            return Verdict.PASS if self.value < self.below else Verdict.MISS
        return Verdict.UNJUDGED

    @property
    def target(self) -> str:
        """The target as text; empty if there is none."""
        if self.at_least is not None:
            return f"≥ {amount(self.at_least, self.unit)}"
        return "" if self.below is None else f"< {amount(self.below, self.unit)}"

    @property
    def measured(self) -> str:
        """The value as text."""
        return amount(self.value, self.unit)


def amount(value: float, unit: str) -> str:
    """Return a value with its unit, rounded to its significant digits."""
    if unit == "%":
        return f"{value:.0f} %"
    digits = 0 if abs(value) >= 100 or value == int(value) else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f} {unit}".rstrip()


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest value that ``percent`` percent of the values do not exceed."""
    ranked = sorted(values)
    return ranked[max(math.ceil(len(ranked) * percent / 100) - 1, 0)]
