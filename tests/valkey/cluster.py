"""A real cluster of three primaries, whose slots a test can move and whose nodes it can kill."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

from tests.port import free_port
from tests.valkey.link import Refusal
from tests.valkey.member import Member, members
from tests.valkey.server import ValkeyServer
from tests.wait import until

SLOT_COUNT = 16_384
PRIMARY_COUNT = 3
MIGRATE_MS_MAX = 5_000

OPTIONS: Mapping[str, str] = {
    "cluster-enabled": "yes",
    # Short, so that a failure is detected soon; not shorter, so that a slow node is not taken for a failed one.
    "cluster-node-timeout": "2000",
    # A replica may take over however long it was disconnected: there is no other one.
    "cluster-replica-validity-factor": "0",
}


class ValkeyCluster:
    """A cluster whose nodes 0 to 2 start as primaries of a third of the slots, and node 3 + n as the replica of n."""

    def __init__(
        self,
        directory: Path,
        *,
        replicas: bool = False,
        options: Mapping[str, str] | None = None,
        credentials: tuple[str, str] | None = None,
    ) -> None:
        self.nodes: list[ValkeyServer] = []
        for index in range(PRIMARY_COUNT * (2 if replicas else 1)):
            own = {**OPTIONS, "cluster-port": str(free_port()), **(options or {})}
            node = ValkeyServer(directory / f"node-{index}", options=own, credentials=credentials)
            self.nodes.append(node)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The URL of the first node, from which a client discovers the others."""
        return self.nodes[0].url

    @property
    def running(self) -> list[ValkeyServer]:
        """The nodes that have a process."""
        return [node for node in self.nodes if node.runs]

    def start(self) -> None:
        """Start the nodes, join them to a cluster and wait until each of them reports that it is complete."""
        try:
            for node in self.nodes:
                node.start()
            self._join()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Kill all nodes."""
        for node in self.nodes:
            node.close()

    def wait_until_ok(self) -> None:
        """Wait until every running node has cluster_state:ok and all agree on slots and replicas."""
        until(self._is_ok, "cluster_state:ok everywhere")

    def slot_of(self, key: str | bytes) -> int:
        """Return the slot of a key."""
        slot = self.running[0].command("CLUSTER", "KEYSLOT", key)
        assert isinstance(slot, int)
        return slot

    def node_of(self, key: str | bytes) -> ValkeyServer:
        """Return the primary that owns a key's slot."""
        return self.owner(self.slot_of(key))

    def owner(self, slot: int) -> ValkeyServer:
        """Return the primary that owns a slot, according to the first running node."""
        (owner,) = [each for each in members(self.running[0]) if slot in each.slots]
        return self._node(owner)

    def replicas_of(self, primary: ValkeyServer) -> list[ValkeyServer]:
        """Return the running replicas of a node."""
        known = members(self.running[0])
        (identity,) = [each.id for each in known if each.port == primary.port]
        replicas = [self._node(each) for each in known if each.primary_id == identity]
        return [each for each in replicas if each.runs]

    def move_slot(
        self, slot: int, to: ValkeyServer, *, keys_max: int = 1, between: Callable[[], object] = lambda: None
    ) -> None:
        """Move a slot with its keys, `keys_max` at a time. `between` is called at the start and after each step.

        Until the end the old owner answers ASK for a key that has moved, and TRYAGAIN for a command of which some keys
        have moved.
        """
        source = self.owner(slot)
        if source is to:
            return
        to.command("CLUSTER", "SETSLOT", slot, "IMPORTING", self._id(source))
        source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", self._id(to))
        between()
        while keys := source.command("CLUSTER", "GETKEYSINSLOT", slot, keys_max):
            assert isinstance(keys, list)
            self._migrate(source, to, [key for key in keys if isinstance(key, bytes)])
            between()
        # The new owner first: otherwise it could redirect a client back that the old owner redirected to it.
        others = [node for node in self.running if node.role == "master" and node not in (source, to)]
        for node in (to, source, *others):
            node.command("CLUSTER", "SETSLOT", slot, "NODE", self._id(to))
        self.wait_until_ok()
        assert self.owner(slot) is to

    def fail_over(self, primary: ValkeyServer, *, kill: bool = False) -> ValkeyServer:
        """Promote a primary's replica, by agreement or by killing the primary. Return the new primary."""
        # The primary must know its replica: otherwise it ignores the replica's request to take over.
        self.wait_until_ok()
        (replica,) = self.replicas_of(primary)
        until(lambda: replica.is_synced, f"replica {replica.address} has its primary's data")
        if kill:
            primary.kill()
        else:
            replica.command("CLUSTER", "FAILOVER")
        until(lambda: replica.role == "master", f"replica {replica.address} takes over")
        self.wait_until_ok()
        return replica

    def _join(self) -> None:
        for index, node in enumerate(self.nodes):
            node.command("CLUSTER", "SET-CONFIG-EPOCH", index + 1)
        for index, node in enumerate(self.nodes[:PRIMARY_COUNT]):
            first, end = (SLOT_COUNT * each // PRIMARY_COUNT for each in (index, index + 1))
            node.command("CLUSTER", "ADDSLOTS", *range(first, end))
        first_node = self.nodes[0]
        for node in self.nodes[1:]:
            bus_port = node.command("CONFIG", "GET", "cluster-port")
            assert isinstance(bus_port, list)
            assert isinstance(bus_port[1], bytes)
            first_node.command("CLUSTER", "MEET", "127.0.0.1", node.port, bus_port[1])
        until(self._all_are_known, "all nodes know each other")
        for primary, replica in zip(self.nodes, self.nodes[PRIMARY_COUNT:], strict=False):
            replica.command("CLUSTER", "REPLICATE", self._id(primary))
        self.wait_until_ok()
        replicas = self.nodes[PRIMARY_COUNT:]
        until(lambda: all(each.is_synced for each in replicas), "all replicas are synced")

    def _all_are_known(self) -> bool:
        ports = {node.port for node in self.nodes}
        return all({each.port for each in members(node) if not each.is_new} == ports for node in self.nodes)

    def _is_ok(self) -> bool:
        views = set()
        for node in self.running:
            state = node.command("CLUSTER", "INFO")
            assert isinstance(state, bytes)
            if b"cluster_state:ok" not in state:
                return False
            views.add(frozenset((each.port, each.primary_id, each.slots) for each in members(node)))
        (view, *others) = views
        return not others and sum(len(slots) for _, _, slots in view) == SLOT_COUNT

    def _migrate(self, source: ValkeyServer, to: ValkeyServer, keys: list[bytes]) -> None:
        access = ("AUTH2", *to.credentials) if to.credentials else ()
        try:
            source.command("MIGRATE", "127.0.0.1", to.port, "", 0, MIGRATE_MS_MAX, *access, "KEYS", *keys)
        except Refusal as refusal:
            raise AssertionError(f"{keys!r} did not move from {source.address} to {to.address}") from refusal

    def _id(self, node: ValkeyServer) -> str:
        identity = node.command("CLUSTER", "MYID")
        assert isinstance(identity, bytes)
        return identity.decode()

    def _node(self, member: Member) -> ValkeyServer:
        (node,) = [each for each in self.nodes if each.port == member.port]
        return node
