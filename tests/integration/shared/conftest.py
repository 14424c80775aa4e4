"""Two daemons that all tests of this folder use."""

from collections.abc import Iterator

import pytest
from tests.integration.shared.pair import Pair, sharing
from tests.valkey.server import ValkeyServer


@pytest.fixture(scope="session")
def pair(valkey: ValkeyServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Two daemons on one server, for tests that use new agents only, and leave the daemons and the server running."""
    with sharing(tmp_path_factory.mktemp("pair"), valkey.url) as running:
        yield running
