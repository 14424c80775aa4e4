"""The metrics of the daemon: plain accumulators, cheap enough to update on every call.

An OpenTelemetry instrument costs about 10 µs an update, these cost a fraction of one. Each is updated by one thread
only, that of the event loop unless its owner says otherwise, and read by any. A unit is one of UCUM: ``s``, ``By``;
empty for a count, or where the name contains it.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence

LATENCY_BOUNDS_MS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1_000.0, 5_000.0)
"""Upper bounds of the buckets of a histogram in milliseconds, inclusive; one more bucket counts longer times."""

SECONDS_BOUNDS = (
    *(0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0),
    10.0,
)
"""The same of a histogram in seconds. Most calls take less than a millisecond."""


class Counter:
    """A number of occurrences, which never decreases. Attributes distinguish counters of the same name."""

    __slots__ = ("attributes", "description", "name", "unit", "value")

    def __init__(self, name: str, description: str, unit: str = "", **attributes: str) -> None:
        self.name = name
        self.attributes = attributes
        self.description = description
        self.unit = unit
        self.value = 0

    def add(self, count: int = 1) -> None:
        """Add ``count``, which is not negative."""
        self.value += count


class Gauge:
    """A current number, which may increase and decrease. Attributes distinguish gauges of the same name."""

    __slots__ = ("attributes", "description", "name", "unit", "value")

    def __init__(self, name: str, description: str, unit: str = "", **attributes: str) -> None:
        self.name = name
        self.attributes = attributes
        self.description = description
        self.unit = unit
        self.value = 0

    def add(self, difference: int) -> None:
        """Add ``difference``, which may be negative."""
        self.value += difference

    def set(self, value: int) -> None:
        """Replace the value."""
        self.value = value


class Histogram:
    """A distribution of values, in buckets with the upper bounds ``bounds``. Attributes distinguish those of a name."""

    __slots__ = ("attributes", "bounds", "bucket_counts", "description", "name", "sum", "unit")

    def __init__(
        self,
        name: str,
        description: str,
        unit: str = "s",
        bounds: Sequence[float] = SECONDS_BOUNDS,
        attributes: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.attributes = dict(attributes or {})
        self.description = description
        self.unit = unit
        self.bounds = bounds
        self.bucket_counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def observe(self, value: float) -> None:
        """Add one value, in the histogram's unit."""
        self.bucket_counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    @property
    def count(self) -> int:
        """The number of values."""
        return sum(self.bucket_counts)


Instrument = Counter | Gauge | Histogram
