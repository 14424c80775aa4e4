"""The verdict on a trial: which promises it broke."""

from typing import NamedTuple

from tests.attack.attack import Attack
from tests.attack.trial import Latency, Result

RATIO_MAX = 3.0
"""Maximum of other callers' p99 during an attack, in multiples of the quiet one."""
QUIET_MS_MIN = 5.0
"""Minimum of a quiet p99: on two cores, the time slice of another process alone takes as long."""


class Slow(NamedTuple):
    """A method that was too slow for others. It is crowded if it was not, apart from the time of waiting for a core."""

    text: str
    is_crowded: bool


def broken_promises(attack: Attack, result: Result) -> list[str]:
    """Return the broken promises in words; empty if all held, apart from waits for a core."""
    kept = result.memory.after - result.memory.before
    is_kept = kept > attack.kept_max_mb
    found = [*broken_outcomes(attack, result), *([f"{kept} MB of memory were kept"] if is_kept else [])]
    return [*found, *(slow.text for slow in slow_calls(result) if not slow.is_crowded)]


def broken_outcomes(attack: Attack, result: Result) -> list[str]:
    """Return the broken promises that do not depend on the speed of the machine."""
    found = [f"{outcome}: {count}" for outcome, count in result.broken.items()]
    for window in (result.quiet, result.during, result.after):
        found += [f"others refused with {outcome}: {count}" for outcome, count in window.refused.items()]
    if result.lost:
        found.append(f"{result.lost} acknowledged writes lost")
    memory = result.memory
    if memory.peak - memory.before > attack.growth_max_mb:
        found.append(f"memory grew by {memory.peak - memory.before} MB, more than {attack.growth_max_mb}")
    if result.problems:
        found.append(f"{len(result.problems)} errors logged, such as: {result.problems[0][:100]}")
    if result.exit_code:
        found.append(f"exit code {result.exit_code}")
    return found


def ratios(result: Result) -> tuple[float, float]:
    """Return the multiples of the quiet p99 during the attack, of GetEntry and of SetEntry."""
    return _ratio(result.quiet.get, result.during.get), _ratio(result.quiet.set, result.during.set)


def slow_calls(result: Result) -> list[Slow]:
    """Return the methods of which others' p99 exceeded RATIO_MAX."""
    quiet, during = result.quiet, result.during
    found = []
    for name, before, amid in (("GetEntry", quiet.get, during.get), ("SetEntry", quiet.set, during.set)):
        ratio, apart = _ratio(before, amid), _ratio_apart(before, amid)
        if ratio > RATIO_MAX:
            text = f"p99 of {name} {ratio:.1f} times quiet, {apart:.1f} apart from waits for a core"
            found.append(Slow(text, apart <= RATIO_MAX))
    return found


def _ratio(quiet: Latency, during: Latency) -> float:
    return during.p99 / max(quiet.p99, QUIET_MS_MIN)


def _ratio_apart(quiet: Latency, during: Latency) -> float:
    return during.p99_apart_from_cores / max(quiet.p99_apart_from_cores, QUIET_MS_MIN)
