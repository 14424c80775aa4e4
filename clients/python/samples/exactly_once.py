"""Consolidates fragments into memories exactly once: a crash or a second consumer neither loses nor repeats one.

Run it while a daemon runs: ``python exactly_once.py``. MEMORYD_ADDRESS is the daemon's address, by default
127.0.0.1:7600.
"""

import sys

import memoryd
from memoryd import errors

FRAGMENTS = ["Ada likes chess", "Ada drinks tea", "Bob is late again"]


def main() -> int:
    try:
        with memoryd.connect(origin="exactly-once") as client:
            agent = client.agent("exactly-once")
            agent.clear_all()
            for content in FRAGMENTS:
                agent.fragments.create(content)
            agent.fragments.flush()
            while consolidate(agent):
                pass
            print("memories of", agent.get("consolidated"), "fragments")
    except memoryd.MemorydError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def consolidate(agent: memoryd.Agent) -> bool:
    """Turn some fragments into memories. Returns False when there are none."""
    lease = agent.fragments.take(limit=2)
    if lease is None:
        return False
    entry = agent.get_entry("consolidated")
    try:
        # Acknowledging, remembering and counting are one change: all of it happens, or nothing.
        with agent.transaction() as tx:
            tx.fragments.acknowledge(lease.token)
            for fragment in lease.fragments:
                tx.memories.remember(fragment.content, user_id="ada")
            count = len(lease.fragments) + (0 if entry is None else entry.value)
            tx.set("consolidated", count, expected_revision=0 if entry is None else entry.revision)
    except errors.LeaseLost:
        return True  # Another consumer has the fragments. Nothing of this try has happened.
    except errors.RevisionMismatch:
        agent.fragments.release(lease.token)  # Another consumer has counted meanwhile: try again.
        return True
    print(f"consolidated {len(lease.fragments)} fragments at revision {tx.revision}")
    return True


if __name__ == "__main__":
    sys.exit(main())
