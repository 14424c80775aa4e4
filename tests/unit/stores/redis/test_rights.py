"""The rights that docs/operations/scaling.md grants memoryd's user suffice for all that the store does."""

import re
import shlex
from pathlib import Path

import pytest
from tests.unit.stores.redis.writing import Writer, fresh_store
from tests.valkey.cluster import ValkeyCluster
from tests.valkey.link import Link
from tests.valkey.server import ValkeyServer
from tests.wait import WAIT_S_MAX

from memoryd_server.ports.store import NEVER, AgentQuery
from memoryd_server.stores.redis.sharing import RedisSharing
from memoryd_server.stores.redis.store import RedisStore

GUIDE = Path(__file__).parents[4] / "docs" / "operations" / "scaling.md"
USER, PASSWORD = "memoryd", "PASSWORD"


def admit(server: ValkeyServer) -> None:
    """Grant the user the rights of the guide, on the keys of the tests."""
    (rules,) = re.findall(rf"ACL SETUSER {USER} (.*?)\n```", GUIDE.read_text("utf-8"), re.DOTALL)
    granted = rules.replace("\\\n", "").replace("~{memoryd*", "~{test-*")
    server.command("ACL", "SETUSER", USER, *shlex.split(granted))


def denied(server: ValkeyServer) -> object:
    """Return the server's log of denied commands."""
    return server.command("ACL", "LOG")


async def use(store: RedisStore) -> None:
    """Call every operation of the store."""
    await store.open()
    sharing = store.sharing
    assert isinstance(sharing, RedisSharing)
    writer, ended = Writer(store), Writer(store, "ended")
    await writer.write("k", "l", deadline=5)
    await writer.write("k", deletes=("l",))
    await writer.write("k", drop=True)
    await ended.write("k")
    await ended.write(ended=True)
    shard = store.shard_of("a")
    assert await store.load("a")
    await store.totals()
    assert [each.head.agent_id for each in await store.list_agents(AgentQuery(9))] == ["a"]
    assert await store.due_agents(9, 9) == []
    assert not await sharing.changed("a", writer.point)
    assert not await sharing.changed("a", writer.point, settle=True)
    assert await sharing.changed("a", NEVER)
    assert len(await sharing.rows_since("a", NEVER) or ()) == 3
    assert await sharing.await_rows({shard: NEVER}, 0.01)
    assert await sharing.nonce_at(shard, 1)
    assert (await store.read_journal(0, 9, None, shard)).rows
    assert await store.locate("a", 1) >= 1
    assert await store.rewrite_journal("a", {1: b"changed"}) == 1
    assert (await store.read_journal(0, 9, None, shard)).rows[0].data == b"changed"
    assert set(await sharing.duties()) == {0, 1}
    assert await sharing.daemon_count() == 1
    assert await sharing.unavailable_shards(WAIT_S_MAX) == []
    assert await store.prune_journal(0, 0) == 5
    assert await store.load_head("ended") is None
    await store.close()


@pytest.mark.whole
@pytest.mark.parametrize(("level", "replicas"), [("synced", 1), ("journaled", 1), ("memory", 0)])
async def test_the_rights_of_the_guide_suffice_for_a_server_with_replicas(
    tmp_path: Path, level: str, replicas: int
) -> None:
    with ValkeyServer(tmp_path / "primary") as server, ValkeyServer(tmp_path / "replica") as replica:
        admit(server)
        if replicas:
            replica.replicate(server)
        url = f"redis://{USER}:{PASSWORD}@{server.address}/1"
        await use(fresh_store(url, level=level, replicas=replicas))
        assert denied(server) == []


async def test_the_rights_of_the_guide_suffice_for_a_cluster(valkey_cluster: ValkeyCluster) -> None:
    for node in valkey_cluster.nodes:
        admit(node)
    try:
        await use(fresh_store(f"redis+cluster://{USER}:{PASSWORD}@{valkey_cluster.nodes[0].address}"))
        for node in valkey_cluster.nodes:
            with Link(node.port, (USER, PASSWORD)) as link:
                link.call("ASKING")
            assert denied(node) == []
    finally:
        for node in valkey_cluster.nodes:
            node.command("ACL", "DELUSER", USER)
