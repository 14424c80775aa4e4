"""A cluster's slots move and its nodes die under load: nothing acknowledged is lost, and the daemons recover."""

import random
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.shared_load import UNAVAILABLE, load_of
from tests.integration.shared.health import SERVING, health_of
from tests.integration.shared.pair import Pair, sharing, use
from tests.valkey.cluster import ValkeyCluster
from tests.valkey.url import with_options

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]

SHARDS = 12
ROUNDS = 3


@pytest.fixture(params=[False, True], ids=["primaries", "replicas"])
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ValkeyCluster]:
    with ValkeyCluster(tmp_path / "cluster", replicas=request.param) as running:
        yield running


@pytest.fixture
def pair(cluster: ValkeyCluster, tmp_path: Path) -> Iterator[Pair]:
    addresses = ",".join(node.address for node in cluster.nodes[:2])
    replicas = 1 if len(cluster.nodes) > 3 else 0
    url = with_options(f"redis+cluster://{addresses}", shards=SHARDS, replicas=replicas)
    with sharing(tmp_path, url) as running:
        yield running


def key_of(pair: Pair, agent_id: str) -> str:
    """Return one of the keys of an agent's shard."""
    return f"{{{pair.prefix}:{zlib.crc32(agent_id.encode()) % SHARDS}}}:shard"


@pytest.mark.parametrize("cluster", [False], indirect=True, ids=["primaries"])
def test_slots_that_move_lose_nothing(cluster: ValkeyCluster, pair: Pair, chance: random.Random) -> None:
    load = load_of(pair, chance)
    for _ in range(ROUNDS):
        with load.running():
            load.until_acknowledged()
            for ledger in load.ledgers:
                slot = cluster.slot_of(key_of(pair, ledger.agent_id))
                others = [node for node in cluster.nodes if node is not cluster.owner(slot)]
                cluster.move_slot(slot, chance.choice(others))
    assert load.refusals.keys() <= {UNAVAILABLE}
    use(pair, agents=8)


@pytest.mark.parametrize("cluster", [False], indirect=True, ids=["primaries"])
def test_a_node_that_is_killed_and_comes_back_loses_nothing(
    cluster: ValkeyCluster, pair: Pair, chance: random.Random
) -> None:
    load = load_of(pair, chance)
    for _ in range(ROUNDS):
        with load.running():
            load.until_acknowledged()
            node = cluster.node_of(key_of(pair, chance.choice(load.ledgers).agent_id))
            node.kill()
            load.until_refused(UNAVAILABLE)
            node.start()
            cluster.wait_until_ok()
    assert load.refusals.keys() == {UNAVAILABLE}
    use(pair, agents=8)


@pytest.mark.parametrize("cluster", [True], indirect=True, ids=["replicas"])
def test_a_replica_that_takes_over_for_a_killed_node_loses_nothing(
    cluster: ValkeyCluster, pair: Pair, chance: random.Random
) -> None:
    load = load_of(pair, chance)
    with load.running():
        load.until_acknowledged()
        old = cluster.node_of(key_of(pair, load.ledgers[0].agent_id))
        cluster.fail_over(old, kill=True)
        old.restart()
        cluster.wait_until_ok()
    assert load.refusals.keys() <= {UNAVAILABLE}
    assert [health_of(wire) for wire in pair.wires] == [SERVING, SERVING]
    use(pair, agents=8)
