"""Makes memories of what customers say, in a process of its own. It may be ended at any time, by any signal."""

import sys

import memoryd
from memoryd import errors

OUTAGE_S = 300
"""Maximum time for which a call is repeated while the daemon is away, in seconds."""


def worth_remembering(text: str) -> bool:
    """Decide as a language model would: statements about the customer, no questions."""
    return text.startswith("I ") and not text.endswith("?")


def consolidate(desk: memoryd.Agent) -> None:
    """Make memories of some waiting fragments, exactly once, or return when none come for a while."""
    lease = desk.fragments.take(limit=10, wait=30)
    if lease is None:
        return
    try:
        # Either the memories are stored and the fragments leave the buffer, or neither, also if this process dies here.
        with desk.transaction() as tx:
            for fragment in lease.fragments:
                if worth_remembering(fragment.content):
                    tx.memories.remember(f"{fragment.user_id}: {fragment.content}", user_id=fragment.user_id)
            tx.fragments.acknowledge(lease.token)
    except errors.LeaseLost:
        return  # another consolidator has them
    print(f"consolidated {len(lease.fragments)} fragments", flush=True)


def main() -> int:
    try:
        with memoryd.connect(origin="consolidator", timeout=OUTAGE_S, connect_timeout=OUTAGE_S) as client:
            desk = client.agent("support")
            print("waiting for fragments", flush=True)
            while True:
                consolidate(desk)
    except memoryd.MemorydError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
