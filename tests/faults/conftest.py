"""Fixtures of the tests that kill daemons, cut connections and fill disks."""

import random

import pytest
from tests.integration.seed import seeded


@pytest.fixture
def chance() -> random.Random:
    """Return a source of random moments, of which a failure prints the seed."""
    return seeded()
