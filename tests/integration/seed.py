"""Reproducible randomness."""

import os
import random
import sys


def seeded() -> random.Random:
    """Return a generator whose seed pytest shows when the test fails. MEMORYD_TEST_SEED sets the seed."""
    seed = int(os.environ.get("MEMORYD_TEST_SEED") or random.SystemRandom().randrange(2**32))
    sys.stdout.write(f"MEMORYD_TEST_SEED={seed}\n")
    return random.Random(seed)
