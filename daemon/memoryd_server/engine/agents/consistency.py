"""The consistency that a read requires."""

import msgspec


class Consistency(msgspec.Struct, frozen=True):
    """A requirement on the state that a read returns. Without any it has all commits that ended before the call.

    If ``max_staleness_ns`` is set, commits of other daemons in that time before the call may be missing. If
    ``min_revision`` is set, the state has at least this revision of the agent, and may lack later commits.
    """

    max_staleness_ns: int = 0
    min_revision: int = 0


CURRENT = Consistency()
"""All commits that ended before the call, by any daemon."""
