"""Fixtures of servers that tests share. Name this module in ``pytest_plugins``.

Tests that share a server use keys of their own, and leave it running, as a primary, with its slots unmoved.
"""

from collections.abc import Iterator

import pytest
from tests.valkey.cluster import ValkeyCluster
from tests.valkey.server import ValkeyServer


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValkeyServer]:
    """Yield a running server."""
    with ValkeyServer(tmp_path_factory.mktemp("valkey")) as server:
        yield server


@pytest.fixture(scope="session")
def valkey_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValkeyCluster]:
    """Yield a running cluster of three primaries without replicas."""
    with ValkeyCluster(tmp_path_factory.mktemp("valkey-cluster")) as cluster:
        yield cluster
