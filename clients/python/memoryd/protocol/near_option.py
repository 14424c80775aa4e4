"""The options of a near cache."""

from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple, TypedDict

from memoryd.model.moment import seconds_of

DEFAULT_STALENESS_MAX = 5.0
DEFAULT_BYTES_MAX = 64 << 20
STALENESS_MIN = 0.1
PROBES = 3
"""The number of times that a cache finds out how current it is, within the staleness that it may have."""


class WhenStale(StrEnum):
    """The behaviour of the reads of a near cache while it may be older than its ``max_staleness``.

    ``ASK`` has the daemon answer the read, ``REFUSE`` raises StaleRead, ``SERVE`` returns what the cache has.
    """

    ASK = "ask"
    REFUSE = "refuse"
    SERVE = "serve"


class NearCacheOptions(TypedDict, total=False):
    """The options of a near cache.

    ``max_staleness``: every read has all changes that were committed at least this long before it, in seconds or as a
    timedelta: at least 0.1 s, by default 5 s. None for no bound, and no calls to find out.
    ``when_stale``: what a read does while that is not certain: "ask" the daemon, by default, "refuse", or "serve".
    ``scope_id``: hold only this scope, those below it, and those that it inherits from.
    ``key_prefix``: hold only the entries whose keys start with this. Reads of others are calls to the daemon.
    ``notes``: false to hold no notes. Reads of notes are then calls to the daemon.
    ``max_bytes``: the memory that the records may take, roughly; by default 64 MiB.
    """

    max_staleness: timedelta | float | None
    when_stale: WhenStale | str
    scope_id: str
    key_prefix: str
    notes: bool
    max_bytes: int


class NearCacheSettings(NamedTuple):
    """The options of a near cache with their defaults. Raises ValueError for those that are not allowed."""

    staleness_max: float
    when_stale: WhenStale
    scope_id: str
    key_prefix: str
    notes: bool
    bytes_max: int

    @property
    def probe_interval(self) -> float:
        """The number of seconds between two calls that find out how current the cache is."""
        return self.staleness_max / PROBES if self.is_bounded else DEFAULT_STALENESS_MAX / PROBES

    @property
    def is_bounded(self) -> bool:
        """True if the staleness is bounded."""
        return self.staleness_max < float("inf")


def settings_of(options: NearCacheOptions) -> NearCacheSettings:
    """Return the options with their defaults. Raises ValueError."""
    given = options.get("max_staleness", DEFAULT_STALENESS_MAX)
    staleness_max = float("inf") if given is None else seconds_of(given)
    if staleness_max < STALENESS_MIN:
        raise ValueError(f"max_staleness must be at least {STALENESS_MIN} s, not {staleness_max}")
    bytes_max = options.get("max_bytes", DEFAULT_BYTES_MAX)
    if bytes_max < 1:
        raise ValueError(f"max_bytes must be positive, not {bytes_max}")
    when_stale = WhenStale(options.get("when_stale", WhenStale.ASK))
    return NearCacheSettings(
        staleness_max,
        when_stale,
        options.get("scope_id", ""),
        options.get("key_prefix", ""),
        options.get("notes", True),
        bytes_max,
    )
