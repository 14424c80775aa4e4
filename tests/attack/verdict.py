"""The verdict on a trial: which promises it broke."""

from collections.abc import Iterator

from tests.attack.attack import GROWTH_MAX_MB, Attack
from tests.attack.trial import Latency, Result, Window

RATIO_MAX = 3.0
"""Maximum of other callers' p99 during an attack, in multiples of the quiet one."""
QUIET_MS_MIN = 5.0
"""Minimum of a quiet p99: on two cores, the time slice of another process alone takes as long."""


def broken_promises(attack: Attack, result: Result) -> list[str]:
    """Return what a trial has shown not to hold, in words; empty if all promises held."""
    return [*broken_outcomes(attack, result), *_broken_latencies(result)]


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
    if memory.after - memory.before > max(GROWTH_MAX_MB, attack.kept_max_mb):
        found.append(f"{memory.after - memory.before} MB of memory were kept")
    if result.problems:
        found.append(f"{len(result.problems)} errors logged, such as: {result.problems[0][:100]}")
    if result.exit_code:
        found.append(f"exit code {result.exit_code}")
    return found


def ratios(result: Result) -> tuple[float, float]:
    """Return the multiples of the quiet p99 during the attack, of GetEntry and of SetEntry."""
    return _ratio(result.quiet.get, result.during.get), _ratio(result.quiet.set, result.during.set)


def _broken_latencies(result: Result) -> Iterator[str]:
    for name, quiet, during in _pairs(result.quiet, result.during):
        ratio = _ratio(quiet, during)
        if ratio > RATIO_MAX:
            apart = during.p99_apart_from_cores / max(quiet.p99, QUIET_MS_MIN)
            yield f"p99 of {name} {ratio:.1f} times quiet ({apart:.1f} apart from waits for a core)"


def _pairs(quiet: Window, during: Window) -> Iterator[tuple[str, Latency, Latency]]:
    yield "GetEntry", quiet.get, during.get
    yield "SetEntry", quiet.set, during.set


def _ratio(quiet: Latency, during: Latency) -> float:
    return during.p99 / max(quiet.p99, QUIET_MS_MIN)
