"""Salience: how much a memory matters at a time. It is computed on demand, and never stored.

salience = strength * 2 ** (-age / half_life)

``strength`` begins as the mean of the memory's importance and its confidence. Recalls and links bring it closer to 1.
Each of the two closes a share of the missing part: the access share times n / (n + 10) for n accesses, and the link
share times w / (w + 2) for links of the total strength w. ``age`` is the time since the memory was created, last
recalled or last reinforced. Each reinforcement adds one half-life to the half-life: a confirmed memory fades more
slowly.
"""

import math

import msgspec

from memoryd_server.domain.limit import DAY_NS, EXPIRY_NS_MAX
from memoryd_server.domain.memories.memory import Memory

_ACCESSES_AT_HALF = 10
_LINK_STRENGTH_AT_HALF = 2.0


class SaliencePolicy(msgspec.Struct, frozen=True):
    """The settings of salience that an operator may choose.

    ``half_life_ns`` is the half-life of a memory without reinforcements. ``access_share`` and ``link_share`` are the
    shares of the missing salience that accesses and links may close. Memories with a salience below ``archive_below``
    are archived; 0 disables that.
    """

    half_life_ns: int = 30 * DAY_NS
    access_share: float = 0.3
    link_share: float = 0.2
    archive_below: float = 0.05


def salience_of(memory: Memory, link_strength: float, now: int, policy: SaliencePolicy) -> float:
    """Return the salience at ``now``, from 0 to 1. ``link_strength`` is the sum of the strengths of its links."""
    age = max(now - _last_touch(memory), 0)
    return _strength(memory, link_strength, policy) * math.exp2(-age / _half_life_ns(memory, policy))


def archive_time_of(memory: Memory, link_strength: float, policy: SaliencePolicy) -> int | None:
    """Return the time at which the salience falls below the threshold, in ns since the Unix epoch.

    None if it never does, or only later than the latest allowed expiry.
    """
    if policy.archive_below <= 0:
        return None
    strength = _strength(memory, link_strength, policy)
    half_lives = math.log2(strength / policy.archive_below) if strength > 0 else 0.0
    age = max(half_lives * _half_life_ns(memory, policy), 0.0)
    if age > EXPIRY_NS_MAX:
        return None
    # Add a nanosecond, since the salience must be below the threshold and not at it.
    return _last_touch(memory) + math.ceil(age) + 1


def _last_touch(memory: Memory) -> int:
    return max(memory.create_time, memory.last_access_time, memory.reinforce_time or 0)


def _half_life_ns(memory: Memory, policy: SaliencePolicy) -> int:
    return policy.half_life_ns * (1 + memory.reinforce_count)


def _strength(memory: Memory, link_strength: float, policy: SaliencePolicy) -> float:
    missing = 1 - (memory.importance + memory.confidence) / 2
    missing *= 1 - policy.access_share * memory.access_count / (memory.access_count + _ACCESSES_AT_HALF)
    missing *= 1 - policy.link_share * link_strength / (link_strength + _LINK_STRENGTH_AT_HALF)
    return 1 - missing
