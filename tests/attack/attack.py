"""An attack: what it does, and what the daemon may answer."""

from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

GROWTH_MAX_MB = 150
"""Maximum growth of the daemon's memory in an attack, unless the attack's budget is larger."""


class Target(msgspec.Struct, frozen=True):
    """The attacked daemon. ``token`` may use the agents ``attacker-…``, and no others; ``operator`` may use all.

    ``directory`` has the daemon's data in ``data``, and room for the attacker's own files.
    """

    address: str
    pid: int
    token: str
    operator: str
    directory: Path

    @property
    def bearer(self) -> tuple[tuple[str, str], ...]:
        """The metadata of a call with the token."""
        return bearer(self.token)


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """Return the metadata of a call with a token."""
    return (("authorization", f"Bearer {token}"),)


Outcomes = Counter[str]
"""The number of calls by outcome: OK, the reason of a refusal, or a broken promise in words."""

Run = Callable[[Target, int], Awaitable[Outcomes]]
"""Attacks once, with a number of calls or what else is counted."""


class Attack(msgspec.Struct, frozen=True):
    """One way to harm a daemon.

    ``what`` says what is done, with ``{times}`` for how often at a time. ``times`` is for the tool, ``times_small`` for
    tests. ``may`` are the outcomes that keep the promise. ``flags`` are more flags of the daemon.
    """

    name: str
    what: str
    run: Run
    times: int
    times_small: int
    may: frozenset[str]
    flags: tuple[str, ...] = ()
    growth_max_mb: int = GROWTH_MAX_MB
    kept_max_mb: int = GROWTH_MAX_MB
    """Maximum growth that is left ten seconds after it: more than usual if what the attacker stores is cached."""
    is_quick: bool = False
    """If true, the small attack takes few seconds, and is an everyday test."""

    def broken(self, outcomes: Outcomes) -> dict[str, int]:
        """Return the outcomes that break the promise, with their numbers."""
        return {outcome: count for outcome, count in outcomes.items() if outcome not in self.may}
